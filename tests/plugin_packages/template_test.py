"""The template for vendors: built and installed by pip alone, and used in an empty environment."""

import os
import pathlib
import shutil
import site
import subprocess
import sys
import textwrap

import pytest

from tests.testing import patience

TEMPLATE = pathlib.Path("examples/plugin").resolve()
ENGINE = os.path.abspath(os.environ["CPU_PLUGIN"])


def clean(**settings: str) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("JAX_", "PJRT_", "PYTHON", "XLA_"))
    }
    return kept | settings


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """An environment with our wheels and the template's."""
    folder = tmp_path_factory.mktemp("vendor")
    source = folder / "plugin"
    shutil.copytree(TEMPLATE, source)
    environment = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    packages = next(environment.glob("lib/python*/site-packages"))
    (packages / "locked.pth").write_text("\n".join(site.getsitepackages()) + "\n")
    found = environment / "bin/python"
    install = [found, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    wheels = pathlib.Path("build").resolve().glob("jax*.whl")
    # Upstream's release of the same version is among the locked packages.
    subprocess.run([*install, "--ignore-installed", *wheels], check=True)
    # The headers are in the locked packages; pip would fetch them otherwise.
    build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-index"]
    subprocess.run(
        [*build, "--no-build-isolation", "--quiet", "--wheel-dir", folder, source],
        cwd=folder,
        env=clean(ACME_ENGINE=ENGINE),
        check=True,
    )
    (wheel,) = folder.glob("jax_acme_plugin-*.whl")
    subprocess.run([*install, wheel], check=True)
    return found


def run(python, *arguments: str, **settings: str) -> str:
    answer = subprocess.run(
        [python, *arguments],
        cwd=python.parent,
        env=clean(**settings),
        capture_output=True,
        text=True,
        timeout=patience.LIMIT_S,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout + answer.stderr


USE = textwrap.dedent("""
    import jax, jax.numpy as jnp, numpy as np
    from jax_plugins.acme import rules

    device = jax.devices()[0]
    assert (device.platform, device.device_kind) == ("acme", "Acme One")
    x = jnp.linspace(-1, 1, 5)
    fused = jax.jit(lambda x, y: rules.scaled_add(2.0, x, y))
    assert "acme_scaled_add" in fused.lower(x, x).as_text()
    np.testing.assert_allclose(fused(x, x), 3 * np.asarray(x))
    # Acme rounds to sixteen bits: it was Acme's handler that answered.
    rounded = np.asarray(jax.lax.erf(x)) * 65536
    assert (rounded == np.round(rounded)).all() and rounded.any()
    on_cpu = np.asarray(jax.jit(jax.lax.erf, backend="cpu")(np.asarray(x))) * 65536
    assert (on_cpu != np.round(on_cpu)).any()
    assert jax.lax.erf(x.astype(jnp.bfloat16)).dtype == jnp.bfloat16
    """)


def test_its_handlers_and_rules_are_called(python):
    run(python, "-c", USE, JAX_PLATFORMS="acme,cpu")


def test_its_devices_are_the_default_where_it_is_installed(python):
    show = "import jax; print(jax.default_backend(), len(jax.devices('cpu')))"
    assert run(python, "-c", show).split() == ["acme", "1"]
    assert run(python, "-c", show, JAX_PLATFORMS="cpu").split() == ["cpu", "1"]
    told = run(python, "-c", "import jax; jax.print_environment_info()")
    assert "plugin acme:" in told and "plugin.so: 1 devices" in told


def test_conformance(python):
    command = "import jax_plugins.acme as a; print(a.LIBRARY)"
    library = run(python, "-c", command).strip()
    told = run(python, "-m", "pypjrt.conform", library)
    assert " 0 FAIL" in told, told
