"""What is said where a plugin gives no devices: each way in which it happens."""

import pathlib
import subprocess

import pytest

from tests.plugin_packages import fake


def last_error(answer) -> str:
    assert answer.returncode == 1, (answer.stdout, answer.stderr)
    return answer.stderr.rpartition("RuntimeError: ")[2]


# Settings of the fake, and what the error says.
COMBINATIONS = {
    "another major version": (
        {"FAKE_GPU_API": "1.3"},
        ["speaks PJRT C API 1.3", "jaxlib is", "different versions of the PJRT C API"],
    ),
    "an old table": (
        {"FAKE_GPU_API": "0.20", "FAKE_GPU_TABLE": "400"},
        ["PJRT C API 0.20", "has no function PJRT_", "different versions"],
    ),
    "no table": ({"FAKE_GPU_LOADING": "null"}, ["returned no function table"]),
    "a crash": (
        {"FAKE_GPU_LOADING": "crash"},
        ["a process that tried it ended", "signal 6", "fake_gpu.so"],
    ),
    "no device": (
        {"FAKE_GPU_FAIL": "PJRT_Client_Create:9:No visible GPU devices."},
        ["No visible GPU devices", "machine", "driver", "fake_gpu.so"],
    ),
    "an old driver": (
        {
            "FAKE_GPU_FAIL": "PJRT_Client_Create:13:CUDA driver version is insufficient"
            " for CUDA runtime version"
        },
        ["insufficient", "CUDA 12 needs driver 525"],
    ),
    "an unknown option": (
        {"JAX_PJRT_CLIENT_CREATE_OPTIONS": "colour:red"},
        ["Unexpected option name", "colour", "jax_pjrt_client_create_options"],
    ),
}


@pytest.mark.parametrize("combination", COMBINATIONS)
def test_asked_for_by_name_it_is_an_error(combination, tmp_path):
    settings, facts = COMBINATIONS[combination]
    settings = settings | {"XDG_CACHE_HOME": str(tmp_path)}
    error = last_error(fake.on_gpu(fake.DEVICES, **settings))
    for fact in facts:
        assert fact in error, error


@pytest.mark.parametrize("combination", ["a crash", "no device"])
def test_otherwise_the_cpu_goes_on_with_a_warning(combination, tmp_path):
    settings, facts = COMBINATIONS[combination]
    answer = fake.on_gpu(
        fake.DEVICES,
        JAX_PLATFORMS="",
        XDG_CACHE_HOME=str(tmp_path),
        **settings,
    )
    assert answer.returncode == 0 and "['cpu']" in answer.stdout, answer.stderr
    assert facts[0] in answer.stderr


def test_a_library_that_is_missing_is_named(tmp_path):
    source = tmp_path / "needy.c"
    source.write_text(
        "int from_vendor(void);\nint GetPjrtApi(void) { return from_vendor(); }\n"
    )
    vendor = tmp_path / "vendor.c"
    vendor.write_text("int from_vendor(void) { return 0; }\n")
    flags = ["cc", "-shared", "-fPIC"]
    library = tmp_path / "libvendorblas.so.7"
    subprocess.run(
        [*flags, vendor, "-o", library, f"-Wl,-soname,{library.name}"], check=True
    )
    plugin = tmp_path / "needy.so"
    subprocess.run([*flags, source, library, "-o", plugin], check=True)
    library.unlink()
    settings = {"PJRT_NAMES_AND_LIBRARY_PATHS": f"rocm:{plugin}"}
    error = last_error(fake.run(fake.DEVICES, JAX_PLATFORMS="rocm", **settings))
    assert "The library libvendorblas.so.7, which the plugin needs" in error
    assert 'pip install "jax[rocm]"' in error and "LD_LIBRARY_PATH" in error


def test_platforms_that_are_not_there():
    answer = fake.run("""
        import jax
        for name in ("cuda", "gpu", "rocm", "tpu", "mars"):
            jax.config.update("jax_platforms", name)
            try:
                jax.devices()
            except RuntimeError as error:
                text = str(error)
            assert f"Unknown backend '{name}'" in text and "known" in text, text
            assert ("pip install" in text) == (name != "mars"), text
            if name == "cuda":
                assert "libcuda.so.1" in text and "/dev/nvidia" in text
        """)
    assert answer.returncode == 0, answer.stderr


def test_two_plugins_of_one_name(tmp_path):
    copy = tmp_path / "other.so"
    copy.write_bytes(pathlib.Path(fake.LIBRARY).read_bytes())
    fake.package(tmp_path, "first", fake.registering(plugin_name="'two'"))
    text = fake.registering(plugin_name="'two'", library_path=repr(str(copy)))
    fake.package(tmp_path, "second", text)
    settings = {"FAKE_GPU_PLATFORM": "two", "JAX_PLATFORMS": "two"}
    answer = fake.run(fake.DEVICES, folder=tmp_path, **settings)
    assert "['two']" in answer.stdout
    for fact in ("Two plugins are named 'two'", fake.LIBRARY, str(copy), "Uninstall"):
        assert fact in answer.stderr


def test_a_package_that_cannot_be_imported_takes_nothing_away(tmp_path):
    fake.package(tmp_path, "broken", "import no_such_module_of_the_vendor")
    answer = fake.run(fake.DEVICES, folder=tmp_path)
    assert "['cpu']" in answer.stdout
    assert "jax_plugins.broken could not be set up" in answer.stderr
    error = last_error(fake.run(fake.DEVICES, folder=tmp_path, JAX_PLATFORMS="broken"))
    assert "no_such_module_of_the_vendor" in error


def test_who_asks_for_the_cpu_loads_no_package(tmp_path):
    fake.package(tmp_path, "loud", "raise SystemExit('was imported')")
    answer = fake.run(fake.DEVICES, folder=tmp_path, JAX_PLATFORMS="cpu")
    assert "['cpu']" in answer.stdout, answer.stderr


def test_a_vendors_library_that_nothing_drives_is_told_of(tmp_path):
    fake.package(tmp_path, "xla_cuda12", "raise SystemExit('was imported')")
    answer = fake.run(fake.DEVICES, folder=tmp_path)
    assert "['cpu']" in answer.stdout and not answer.stderr
    error = last_error(fake.run(fake.DEVICES, folder=tmp_path, JAX_PLATFORMS="cuda"))
    assert "jax-cuda-plugin, which drives it, is not" in error


def test_without_a_device_a_plugin_is_passed_over_quietly(tmp_path):
    text = fake.registering(absence="lambda: 'no GPU of this kind'")
    fake.package(tmp_path, "fake", text)
    program = fake.DEVICES + "; jax.print_environment_info()"
    answer = fake.run(program, folder=tmp_path)
    assert "['cpu']" in answer.stdout and not answer.stderr
    assert "no GPU of this kind" in answer.stdout
    # By name it is tried nevertheless, and here it works.
    answer = fake.run(fake.DEVICES, folder=tmp_path, JAX_PLATFORMS="cuda")
    assert "['gpu']" in answer.stdout, answer.stderr
    # The alias is for those that have devices.
    error = last_error(fake.run(fake.DEVICES, folder=tmp_path, JAX_PLATFORMS="gpu"))
    assert "no GPU of this kind" in error


def test_a_program_that_asks_later_hears_why(tmp_path):
    text = fake.registering(absence="lambda: 'no GPU of this kind'")
    fake.package(tmp_path, "fake", text)
    program = "import jax; jax.devices(); jax.devices('gpu')"
    error = last_error(fake.run(program, folder=tmp_path))
    assert "no GPU of this kind" in error


def test_a_library_is_tried_apart_once(tmp_path):
    cache = tmp_path / "cache"
    for _ in range(2):
        answer = fake.on_gpu(fake.DEVICES, XDG_CACHE_HOME=str(cache))
        assert "['gpu']" in answer.stdout, answer.stderr
    assert len(list((cache / "jax" / "plugins").iterdir())) == 1


def test_libtpu_does_not_ask_for_metadata_where_no_tpu_is():
    program = """
        import os
        from jax._src.runtime import machine, tpu
        assert not machine.tpu_chips()
        tpu.prepare()
        print(os.environ["TPU_SKIP_MDS_QUERY"])
        """
    assert fake.run(program).stdout == "1\n"
