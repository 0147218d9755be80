"""Plugins, jax, jaxlib and machines that fit together or not: what is said, one row for each combination."""

import dataclasses
import os
import pathlib
import subprocess
import zipfile
from collections.abc import Callable

import pytest

from tests.plugin_packages import fake

GPU, CPU, ERROR = "['gpu']", "['cpu']", "an error"
BY_PATH = {"PJRT_NAMES_AND_LIBRARY_PATHS": f"cuda:{fake.LIBRARY}"}
# A package whose code must not run.
FORBIDDEN = "raise SystemExit('was imported')"


@dataclasses.dataclass(frozen=True)
class Row:
    """A combination, and what comes of it."""

    # What the error says where the platform is requested by name; none: it works.
    told: tuple[str, ...]
    # What there is where nothing is requested: GPU, CPU or ERROR.
    otherwise: str
    # What the warning says then; none: all is quiet.
    warned: tuple[str, ...] = ()
    # Of the fake, of jax.
    settings: dict[str, str] = dataclasses.field(default_factory=dict)
    # Writes packages into a folder that is searched first; returns more settings.
    arrange: Callable[[pathlib.Path], dict[str, str]] = lambda folder: BY_PATH
    platform: str = "cuda"


def arranges(function):
    """Makes a function that writes packages one that needs no other settings."""

    def run(folder):
        function(folder)
        return {}

    return run


def distribution(folder: pathlib.Path, name: str, version: str) -> None:
    """The files by which pip and Python find that a wheel is installed."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (info / "METADATA").write_text(text)


def registering(**arguments):
    """The fake, registered by a package."""
    return arranges(
        lambda folder: fake.package(folder, "some", fake.registering(**arguments))
    )


def other_jaxlib(version):
    @arranges
    def write(folder):
        package = folder / "jaxlib"
        package.mkdir()
        (package / "__init__.py").write_text("")
        text = f"__version__ = '{version}'\nnative_interface = 1\n"
        (package / "version.py").write_text(text)

    return write


def thin_wheel(version_of_library):
    """Our wheel for NVIDIA's GPUs, and a library of the vendor's name beside it."""

    @arranges
    def write(folder):
        with zipfile.ZipFile(os.environ["CUDA_WHEEL"]) as archive:
            archive.extractall(folder)
        library = folder / "jax_plugins/xla_cuda12/xla_cuda_plugin.so"
        library.parent.mkdir()
        library.symlink_to(fake.LIBRARY)
        distribution(folder, "jax-cuda12-pjrt", version_of_library)

    return write


@arranges
def old_thin_wheel(folder):
    fake.package(folder, "cuda", FORBIDDEN)
    distribution(folder, "jax-cuda-plugin", "0.9.1")


@arranges
def two_of_one_name(folder):
    copy = folder / "other.so"
    copy.write_bytes(pathlib.Path(fake.LIBRARY).read_bytes())
    fake.package(folder, "first", fake.registering())
    text = fake.registering(library_path=repr(str(copy)))
    fake.package(folder, "second", text)


def library(source, platform="cuda"):
    """A library made of a line of C."""

    def make(folder):
        (folder / "made.c").write_text(source)
        made = folder / "made.so"
        flags = ["cc", "-shared", "-fPIC", folder / "made.c", "-o", made]
        subprocess.run(flags, check=True)
        return {"PJRT_NAMES_AND_LIBRARY_PATHS": f"{platform}:{made}"}

    return make


def needing_another(folder):
    """A library that needs one which is not there any more."""
    vendor = folder / "libvendorblas.so.7"
    (folder / "vendor.c").write_text("int from_vendor(void) { return 0; }\n")
    flags = ["cc", "-shared", "-fPIC"]
    named = f"-Wl,-soname,{vendor.name}"
    subprocess.run([*flags, folder / "vendor.c", "-o", vendor, named], check=True)
    text = "int from_vendor(void);\nint GetPjrtApi(void) { return from_vendor(); }\n"
    (folder / "needy.c").write_text(text)
    plugin = folder / "needy.so"
    subprocess.run([*flags, folder / "needy.c", vendor, "-o", plugin], check=True)
    vendor.unlink()
    return {"PJRT_NAMES_AND_LIBRARY_PATHS": f"rocm:{plugin}"}


def no_library(folder):
    text = folder / "plugin.so"
    text.write_text("a text\n")
    return {"PJRT_NAMES_AND_LIBRARY_PATHS": f"cuda:{text}"}


def nowhere(folder):
    return {"PJRT_NAMES_AND_LIBRARY_PATHS": f"cuda:{folder}/nowhere.so"}


def nothing(folder):
    return {}


def failing(text: str) -> dict[str, str]:
    return {"FAKE_GPU_FAIL": f"PJRT_Client_Create:{text}"}


VERSIONS = "different versions of the PJRT C API"
INSUFFICIENT = "CUDA driver version is insufficient for CUDA runtime version"
USER_OPTIONS = "JAX_PJRT_CLIENT_CREATE_OPTIONS"
FROM_ENVIRONMENT = (
    "lambda: __import__('jax._src.runtime.devices.client_options', fromlist=['x'])"
    ".gpu_options('cuda')"
)

ROWS = {
    # The PJRT C API.
    "an older minor version": Row((), GPU, settings={"FAKE_GPU_API": "0.60"}),
    "a newer minor version, a longer table": Row(
        (), GPU, settings={"FAKE_GPU_API": "0.999", "FAKE_GPU_TABLE": "4096"}
    ),
    "an old table without functions that are called": Row(
        ("PJRT C API 0.20", "has no function PJRT_", VERSIONS, "jaxlib is"),
        CPU,
        ("has no function PJRT_",),
        {"FAKE_GPU_API": "0.20", "FAKE_GPU_TABLE": "400"},
    ),
    "a table that is too short to say its version": Row(
        ("fake_gpu.so", VERSIONS), CPU, (VERSIONS,), {"FAKE_GPU_TABLE": "16"}
    ),
    "another major version": Row(
        ("speaks PJRT C API 1.3", "jaxlib is", VERSIONS),
        CPU,
        ("speaks PJRT C API 1.3",),
        {"FAKE_GPU_API": "1.3"},
    ),
    "no table": Row(
        ("returned no function table",),
        CPU,
        ("returned no function table",),
        {"FAKE_GPU_LOADING": "null"},
    ),
    # jax, jaxlib, thin wheels, vendors' wheels.
    "a newer jaxlib": Row(
        ("jaxlib 0.12.0 do not fit", "0.11.0 or newer, below 0.12", "pip install"),
        ERROR,
        arrange=other_jaxlib("0.12.0"),
    ),
    "an older jaxlib": Row(
        ("jaxlib 0.10.2 do not fit", "0.11.0 or newer, below 0.12", "pip install"),
        ERROR,
        arrange=other_jaxlib("0.10.2"),
    ),
    "a package that was written for another jaxlib": Row(
        ("xla_extension", "written for another jaxlib: this one is"),
        CPU,
        ("jax_plugins.other could not be set up", "written for another jaxlib"),
        arrange=arranges(
            lambda f: fake.package(f, "other", "from jaxlib import xla_extension")
        ),
        platform="other",
    ),
    "a thin wheel of another release of jax": Row(
        ("jax-cuda-plugin 0.9.1 and jax", "do not fit", 'pip install "jax[cuda12]=='),
        CPU,
        ("jax-cuda-plugin 0.9.1 and jax",),
        arrange=old_thin_wheel,
    ),
    "a vendor's library of another release": Row(
        ("jax-cuda12-pjrt 0.9.1 and jax-cuda-plugin", "wanted", "found", "pip install"),
        CPU,
        ("jax-cuda12-pjrt 0.9.1 and jax-cuda-plugin",),
        arrange=thin_wheel("0.9.1"),
    ),
    # It would work, and is passed over where no GPU is.
    "a vendor's library of the same release": Row(
        (), CPU, arrange=thin_wheel("0.10.2")
    ),
    "a vendor's library that nothing drives": Row(
        ("jax-cuda-plugin, which drives it, is not", 'pip install "jax[cuda12]"'),
        CPU,
        arrange=arranges(lambda f: fake.package(f, "xla_cuda12", FORBIDDEN)),
    ),
    # Libraries.
    "a missing library": Row(
        ("libvendorblas.so.7, which the plugin needs", "jax[rocm]", "LD_LIBRARY_PATH"),
        CPU,
        ("libvendorblas.so.7",),
        arrange=needing_another,
        platform="rocm",
    ),
    "a missing plugin": Row(
        ("The plugin 'cuda' has no library", "nowhere.so"), ERROR, arrange=nowhere
    ),
    "a file that is no library": Row(
        ("plugin.so", "file too short"), CPU, ("file too short",), arrange=no_library
    ),
    "a library that is no plugin": Row(
        ("made.so", "GetPjrtApi"), CPU, ("GetPjrtApi",), arrange=library("int x;\n")
    ),
    "a package that needs another": Row(
        ("no_such_module_of_the_vendor",),
        CPU,
        ("jax_plugins.needy could not be set up",),
        arrange=arranges(
            lambda f: fake.package(f, "needy", "import no_such_module_of_the_vendor")
        ),
        platform="needy",
    ),
    # Devices and drivers.
    "no device": Row(
        ("No visible GPU devices", "machine", "driver", "fake_gpu.so"),
        CPU,
        ("No visible GPU devices",),
        failing("9:No visible GPU devices."),
    ),
    "no device, as the package knows": Row(
        ("No visible GPU devices", "No gpu of this kind"),
        CPU,
        settings=failing("9:No visible GPU devices."),
        arrange=registering(absence="lambda: 'no GPU of this kind'"),
    ),
    "an old driver": Row(
        ("insufficient", "CUDA 12 needs driver 525"),
        CPU,
        ("CUDA 12 needs driver 525",),
        failing(f"13:{INSUFFICIENT}"),
    ),
    # Options.
    "an option that nobody knows": Row(
        ("Unexpected option name", "colour", "jax_pjrt_client_create_options"),
        CPU,
        ("Unexpected option name",),
        arrange=registering(options="{'colour': 'red'}"),
    ),
    "an option of the user's that nobody knows": Row(
        ("Unexpected option name", "colour", "jax_pjrt_client_create_options"),
        CPU,
        ("Unexpected option name",),
        {USER_OPTIONS: "colour:red"},
    ),
    "an option of another type": Row(
        (
            "preallocate has type index",
            "expected type index",
            "does not take an option",
        ),
        CPU,
        ("expected type index",),
        arrange=registering(options="{'preallocate': 3}"),
    ),
    "an option that cannot be read": Row(
        ("preallocate cannot be read", "'maybe'", "true or false"),
        ERROR,
        settings={USER_OPTIONS: "preallocate:maybe"},
    ),
    "a variable that cannot be read": Row(
        ("XLA_CLIENT_MEM_FRACTION cannot be read", "'lots'"),
        CPU,
        ("XLA_CLIENT_MEM_FRACTION cannot be read",),
        {"XLA_CLIENT_MEM_FRACTION": "lots"},
        registering(options=FROM_ENVIRONMENT),
    ),
    # Names.
    "two plugins of one name": Row(
        (),
        GPU,
        ("Two plugins are named 'cuda'", fake.LIBRARY, "other.so", "Uninstall one"),
        arrange=two_of_one_name,
    ),
    "two of one name, and one chosen by path": Row(
        (),
        GPU,
        ("Two plugins are named 'cuda'",),
        BY_PATH,
        two_of_one_name,
    ),
    # Crashes.
    "a crash while the table is requested": Row(
        ("a process that tried it ended", "signal 6", "fake_gpu.so"),
        CPU,
        ("signal 6",),
        {"FAKE_GPU_LOADING": "crash"},
    ),
    "a crash while the library is loaded": Row(
        ("a process that tried it ended", "signal 11", "made.so"),
        CPU,
        ("signal 11",),
        arrange=library(
            "__attribute__((constructor)) void f(void) { *(volatile int *)0 = 1; }\n"
        ),
    ),
    "a crash while a client is made": Row(
        ("cannot make a client", "signal 6", "fake_gpu.so", "driver"),
        CPU,
        ("cannot make a client", "signal 6"),
        {"FAKE_GPU_CREATING": "crash"},
    ),
    "a library that ends the process": Row(
        ("a process that tried it ended", "exit status 3"),
        CPU,
        ("exit status 3",),
        arrange=library(
            "#include <unistd.h>\n__attribute__((constructor)) void f(void) { _exit(3); }\n"
        ),
    ),
    # JAX_PLATFORMS names what is not there.
    "no cuda": Row(
        (
            "Unknown backend 'cuda'",
            "known",
            "libcuda.so.1",
            "/dev/nvidia",
            "jax[cuda12]",
        ),
        CPU,
        arrange=nothing,
    ),
    "no rocm": Row(
        ("Unknown backend 'rocm'", "known", 'pip install "jax[rocm]"'),
        CPU,
        arrange=nothing,
        platform="rocm",
    ),
    "no tpu": Row(
        ("Unknown backend 'tpu'", "no TPU", 'pip install "jax[tpu]"'),
        CPU,
        arrange=nothing,
        platform="tpu",
    ),
    "no gpu of any kind": Row(
        ("Unknown backend 'gpu'", "jax[cuda12]", "jax[rocm]"),
        CPU,
        arrange=nothing,
        platform="gpu",
    ),
    "a name that nobody has": Row(
        ("Unknown backend 'mars'", "known", "cpu", "install the plugin's package"),
        CPU,
        arrange=nothing,
        platform="mars",
    ),
    "one of two names": Row(
        ("Unknown backend 'cuda'", "known"), CPU, arrange=nothing, platform="cpu,cuda"
    ),
}


# By name first, and then as if nothing had been requested.
REFUSED = """
import jax
try:
    jax.devices()
except (RuntimeError, ValueError) as error:
    print(error)
else:
    print("was not refused")
jax.config.update("jax_platforms", "")
print([d.platform for d in jax.devices()])
"""


def answered(row: Row, folder: pathlib.Path, program: str, platforms: str):
    """What a program answers in the row's circumstances."""
    packages = folder / f"packages of {platforms or 'none'}"
    packages.mkdir()
    settings = {"XDG_CACHE_HOME": str(folder), "JAX_PLATFORMS": platforms}
    settings |= row.arrange(packages) | row.settings
    answer = fake.run(program, folder=packages, **settings)
    assert "was imported" not in answer.stderr
    return answer


def lacking(facts: tuple[str, ...], text: str) -> list[str]:
    return [fact for fact in facts if fact not in text]


@pytest.mark.parametrize("name", [n for n, row in ROWS.items() if not row.told])
def test_what_fits_works(name, tmp_path):
    row = ROWS[name]
    answer = answered(row, tmp_path, fake.DEVICES, row.platform)
    assert answer.stdout.strip() == GPU, answer.stderr
    answer = answered(row, tmp_path, fake.DEVICES, "")
    assert answer.stdout.strip() == row.otherwise, answer.stderr
    assert not lacking(row.warned, answer.stderr), answer.stderr
    assert bool(answer.stderr) == bool(row.warned), answer.stderr


@pytest.mark.parametrize(
    "name", [n for n, r in ROWS.items() if r.otherwise == CPU and r.told]
)
def test_what_does_not_fit_is_refused_by_name_and_passed_over_else(name, tmp_path):
    row = ROWS[name]
    answer = answered(row, tmp_path, REFUSED, row.platform)
    *error, found = answer.stdout.strip().splitlines() or [""]
    assert found == CPU, answer.stderr
    assert not lacking(row.told, "\n".join(error)), answer.stdout
    assert not lacking(row.warned, answer.stderr), answer.stderr
    assert bool(answer.stderr) == bool(row.warned), answer.stderr


@pytest.mark.parametrize(
    "name", [n for n, row in ROWS.items() if row.otherwise == ERROR]
)
def test_nothing_goes_on_where_all_is_wrong(name, tmp_path):
    row = ROWS[name]
    for platforms in (row.platform, ""):
        answer = answered(row, tmp_path, fake.DEVICES, platforms)
        assert answer.returncode == 1 and not answer.stdout, answer.stdout
        assert not lacking(row.told, answer.stderr), answer.stderr


def test_each_row_is_tried():
    assert {row.otherwise for row in ROWS.values()} <= {GPU, CPU, ERROR}
    assert all(row.told for row in ROWS.values() if row.otherwise == ERROR)
