"""Plugins that are passed over: when, and how users hear of it."""

from tests.plugin_packages import fake


def last_error(answer) -> str:
    assert answer.returncode == 1, (answer.stdout, answer.stderr)
    return answer.stderr.rpartition("RuntimeError: ")[2]


def test_a_package_that_cannot_be_imported_takes_nothing_away(tmp_path):
    fake.package(tmp_path, "broken", "import no_such_module_of_the_vendor")
    fake.package(tmp_path, "whole", fake.registering())
    answer = fake.run(fake.DEVICES, folder=tmp_path)
    assert "['gpu']" in answer.stdout
    assert "jax_plugins.broken could not be set up" in answer.stderr


def test_who_asks_for_the_cpu_loads_no_package(tmp_path):
    fake.package(tmp_path, "loud", "raise SystemExit('was imported')")
    answer = fake.run(fake.DEVICES, folder=tmp_path, JAX_PLATFORMS="cpu")
    assert "['cpu']" in answer.stdout, answer.stderr


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
    nothing_apart = "import subprocess; subprocess.run = None\n"
    for before in ("", nothing_apart):
        answer = fake.on_gpu(before + fake.DEVICES, XDG_CACHE_HOME=str(cache))
        assert "['gpu']" in answer.stdout, answer.stderr
    # Its loading, and a client.
    assert len(list((cache / "jax" / "plugins").iterdir())) == 2


def test_clients_are_tried_apart_with_their_options(tmp_path):
    # The fake refuses those of other types; what is refused is no crash.
    for options in ("preallocate:true;memory_fraction:0.5", "colour:red"):
        program = (
            "import subprocess; run, tried = subprocess.run, []\n"
            "subprocess.run = lambda c, **k: (tried.append(c[6:]), run(c, **k))[1]\n"
            "import jax\n"
            "try: jax.devices()\n"
            "except RuntimeError: pass\n"
            "print([arguments[2] for arguments in tried if arguments])"
        )
        answer = fake.on_gpu(
            program,
            XDG_CACHE_HOME=str(tmp_path / options),
            JAX_PJRT_CLIENT_CREATE_OPTIONS=options,
        )
        for part in options.split(";"):
            name, value = part.split(":")
            assert f'"{name}"' in answer.stdout, answer.stderr
            # A GPU that is shared for a moment is not taken whole.
            wanted = "false" if name == "preallocate" else value
            assert wanted in answer.stdout


def test_libtpu_does_not_ask_for_metadata_where_no_tpu_is():
    program = """
        import os
        from jax._src.runtime.devices import machine, tpu
        assert not machine.tpu_chips()
        tpu.prepare()
        print(os.environ["TPU_SKIP_MDS_QUERY"])
        """
    assert fake.run(program).stdout == "1\n"
