#!/usr/bin/env python3
"""The one command line: builds, runs, tests and measures this repository, and installs what a machine lacks.

build.py build [--wheels=jaxlib,jax] [--python_version=3.11,3.12]   the wheels, into dist/; jax-cuda-plugin, jax-rocm-plugin
               [--release=0.12.0]                              jax's as that release of upstream's
build.py run EXAMPLE [options of the example]                  an example, on freshly built wheels
build.py script FILE [options of the file]                     a Python file, on freshly built wheels
build.py upstream FILE [options of the file]                   a Python file, with upstream JAX on our CPU plugin
build.py test [TARGET ...]                                     every test, or the Bazel targets named
build.py docs                                                  the documentation site, into dist/docs
build.py bench [--only REGEX]                                  speed against upstream JAX, in one run
build.py relock                                                new versions and hashes of what is fetched
build.py doctor                                                what this machine has, and what is missing
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import bazel
import doctor
import environments
import machine
import release_wheel
import test_report

WHEELS = {"jax": "//build:jax_wheel", "jaxlib": "//build:jaxlib_wheel"}
# Thin, of Python alone: built when they are named.
THIN_WHEELS = {
    "jax-cuda-plugin": "//build:jax_cuda_plugin_wheel",
    "jax-rocm-plugin": "//build:jax_rocm_plugin_wheel",
}
# Those of one Python.
NATIVE = {"jaxlib"}
PLUGIN = "xla/pjrt/cpu:pjrt_c_api_cpu_plugin.so"
# What makes upstream's JAX find our plugin, under the name of a platform.
PLUGIN_PACKAGE = machine.ROOT / "tests/golden/upstream_plugin"


def build_wheels(options, names: list[str]) -> list[pathlib.Path]:
    """Builds wheels for one Python and copies them into dist/; returns the copies."""
    targets = WHEELS | THIN_WHEELS
    unknown = [name for name in names if name not in targets]
    if unknown:
        raise machine.BuildError(
            f"--wheels={','.join(names)}: there is no wheel {', '.join(unknown)}. There are: {', '.join(targets)}."
        )
    tool = prepare(options)
    machine.say(
        f"building the wheels of {' and '.join(names)} (the first time takes some minutes)"
    )
    tool.build(*(targets[name] for name in names))
    folder = tool.info("bazel-bin") / "build"
    dist = machine.ROOT / "dist"
    dist.mkdir(exist_ok=True)
    copies = []
    tag = machine.python_tag(machine.find_python(options.python_version))
    for name in names:
        # Wheels for other Pythons are in the same folder, there and here.
        pattern = f"{name.replace('-', '_')}-*-{tag if name in NATIVE else 'py3'}-*.whl"
        newest = max(folder.glob(pattern), key=lambda path: path.stat().st_mtime)
        for old in dist.glob(pattern):
            old.unlink()
        copies.append(dist / newest.name)
        shutil.copyfile(newest, copies[-1])
        copies[-1].chmod(0o644)
        release = getattr(options, "release", release_wheel.default())
        if name == "jax" and release != release_wheel.default():
            plain = copies[-1]
            copies[-1] = release_wheel.make(plain, release)
            plain.unlink()
        size = copies[-1].stat().st_size / 1e6
        machine.say(f"dist/{copies[-1].name}: {size:.1f} MB")
    return copies


def prepare(options) -> bazel.Bazel:
    machine.ensure_packages()
    return bazel.Bazel(machine.find_python(options.python_version), options.jobs)


def do_build(options) -> int:
    versions = options.python_version.split(",") if options.python_version else [None]
    for version in versions:
        machine.find_python(version)  # what is missing is said before anything is built
    for version in versions:
        one = argparse.Namespace(**vars(options) | {"python_version": version})
        build_wheels(one, options.wheels.split(","))
    return 0


def run_on_wheels(options, script: pathlib.Path) -> int:
    """Runs a Python file in an environment that holds freshly built wheels."""
    wheels = build_wheels(options, list(WHEELS))
    python = environments.with_wheels(
        "run", machine.find_python(options.python_version), wheels
    )
    # -P: the script's folder must not come before the installed packages.
    return subprocess.run([python, "-P", script, *options.arguments]).returncode


def do_run(options) -> int:
    examples = machine.ROOT / "examples"
    script = examples / f"{options.example}.py"
    if not script.is_file():
        there = ", ".join(sorted(path.stem for path in examples.glob("*.py")))
        raise machine.BuildError(
            f"there is no example {options.example!r}. There are: {there}."
        )
    return run_on_wheels(options, script)


def script_of(options) -> pathlib.Path:
    script = pathlib.Path(options.file)
    if not script.is_file():
        raise machine.BuildError(f"there is no file {options.file}.")
    return script


def do_script(options) -> int:
    return run_on_wheels(options, script_of(options))


def do_upstream(options) -> int:
    script = script_of(options)
    environment = {**os.environ, "PYTHONPATH": str(PLUGIN_PACKAGE)}
    if "OPENCL_PLUGIN" in environment:  # as ci/opencl says
        environment.pop("PJRT_NAMES_AND_LIBRARY_PATHS", None)
    else:
        tool = prepare(options)
        tool.build(f"//{PLUGIN}")
        plugin = tool.info("bazel-bin") / PLUGIN.replace(":", "/")
        environment |= {"CPU_PLUGIN": str(plugin), "JAX_PLATFORMS": "ours"}
    python = environments.with_peer(machine.find_python(options.python_version))
    command = [python, "-P", script, *options.arguments]
    return subprocess.run(command, env=environment).returncode


def do_test(options) -> int:
    tool = prepare(options)
    machine.ensure_test_packages()
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        events = pathlib.Path(folder, "events.json")
        arguments = [
            "--keep_going",
            f"--build_event_json_file={events}",
            *(options.targets or ["//..."]),
        ]
        code = tool.run("test", *arguments)
        lines = events.read_text().splitlines() if events.exists() else []
    happened, logs = [json.loads(line) for line in lines], tool.info("bazel-testlogs")
    layers = test_report.read(happened, logs)
    total = test_report.Counts()
    print("\nTests by folder:")
    for layer, counts in layers.items():
        print(f"  {layer:28} {counts}")
        total.add(counts)
    print(f"  in {time.monotonic() - start:.0f} s\n")
    for notice in test_report.notices(happened, logs):
        print(f"  to know: {notice}")
    if code not in (0, 3):  # 3: built, but some test failed, as the counts show
        machine.say(
            f"Bazel ended with exit code {code}: something did not build; its message is above"
        )
    print(total)
    return 0 if code == 0 and total.failed == 0 and total.passed else 1


def do_docs(options) -> int:
    wheels = build_wheels(options, list(WHEELS))
    python, contents = environments.with_docs(
        machine.find_python(options.python_version), wheels
    )
    site = machine.ROOT / "docs/site"
    # Results of cells hold for one state of the code, and of the settings that kernels get.
    settings = [
        (site / name).read_bytes() for name in ("build_site.py", "matplotlibrc")
    ]
    state = environments.fingerprint([contents.encode(), *settings])
    cache = machine.CACHE / "docs" / state[:16]
    command = [
        python,
        "-P",
        site / "build_site.py",
        "--out",
        machine.ROOT / "dist/docs",
    ]
    environment = os.environ | {"PYTHONPATH": str(site)}
    return subprocess.run([*command, "--cache", cache], env=environment).returncode


def do_bench(options) -> int:
    wheels = build_wheels(options, list(WHEELS))
    python = machine.find_python(options.python_version)
    ours = environments.with_wheels("run", python, wheels)
    peer = environments.with_peer(python)
    compare = machine.ROOT / "benchmarks/compare.py"
    return subprocess.run(
        [
            ours,
            "-P",
            compare,
            "--ours",
            ours,
            "--peer",
            peer,
            "--only",
            options.only,
            *options.arguments,
        ]
    ).returncode


def do_relock(options) -> int:
    machine.ensure_packages()
    machine.relock_packages()
    python = machine.find_python(options.python_version)
    pip_tools = machine.CACHE / "environments/pip-tools"

    def install(interpreter):
        environments.run(interpreter, "-m", "pip", "install", "--quiet", "pip-tools")

    interpreter = environments.make(pip_tools, python, python, install)
    flags = [
        "--quiet",
        "--generate-hashes",
        "--allow-unsafe",
        "--strip-extras",
        "--upgrade",
    ]
    flags += ["--no-emit-index-url", "--no-emit-find-links", "--no-emit-trusted-host"]
    machine.say("resolving the Python packages (a minute or two)")
    for lock, source in (
        (environments.LOCK, "requirements.in"),
        (environments.ECOSYSTEM_LOCK, "ecosystem.in"),
        (environments.PROJECTS_LOCK, "projects.in"),
        (environments.DOCS_LOCK, "docs.in"),
        (environments.VIEWERS_LOCK, "viewers.in"),
        (environments.PEER_LOCK, "upstream.in"),
    ):
        environments.run(
            interpreter.parent / "pip-compile",
            *flags,
            "-o",
            lock.name,
            source,
            # No path of this machine stands in the lock.
            folder=lock.parent,
        )
    environments.trim_locks()
    machine.say(
        "wrote the locks in third_party/python and third_party/llvm/packages_lock.txt"
    )
    return 0


def do_doctor(options) -> int:
    return doctor.report(options)


def parser() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument(
        "--python_version",
        metavar="3.N",
        help="build for this Python instead of Debian's; `build` takes a list with commas",
    )
    shared.add_argument(
        "--jobs", type=int, help="compile jobs at a time (2 unless said)"
    )
    main = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = main.add_subparsers(required=True, metavar="COMMAND")

    def command(name, function, text):
        sub = commands.add_parser(name, parents=[shared], help=text, description=text)
        sub.set_defaults(function=function)
        return sub

    build = command("build", do_build, "builds wheels into dist/")
    build.add_argument(
        "--release",
        default=release_wheel.default(),
        choices=list(release_wheel.known()),
        help="which release of upstream's jax's wheel answers as",
    )
    build.add_argument("--wheels", default=",".join(WHEELS), help="a list with commas")
    run = command("run", do_run, "runs an example on freshly built wheels")
    run.add_argument("example")
    run.add_argument(
        "arguments", nargs=argparse.REMAINDER, help="passed to the example"
    )
    for name, function, text in (
        ("script", do_script, "runs a Python file on freshly built wheels"),
        ("upstream", do_upstream, "runs a Python file, upstream JAX on our plugin"),
    ):
        script = command(name, function, text)
        script.add_argument("file")
        script.add_argument(
            "arguments", nargs=argparse.REMAINDER, help="passed to the file"
        )
    test = command("test", do_test, "runs the tests")
    test.add_argument("targets", nargs="*", help="Bazel targets instead of all")
    command("docs", do_docs, "builds the documentation site into dist/docs")
    bench = command(
        "bench", do_bench, "measures speed against upstream JAX, both in one run"
    )
    bench.add_argument(
        "--only", default="", metavar="REGEX", help="workloads whose group/name matches"
    )
    bench.add_argument(
        "arguments", nargs=argparse.REMAINDER, help="passed to compare.py"
    )
    command("relock", do_relock, "renews the versions and hashes of what is fetched")
    command(
        "doctor", do_doctor, "reports versions, processor features, devices and caches"
    )
    return main


def main() -> int:
    options = parser().parse_args()
    try:
        return options.function(options)
    except machine.BuildError as error:
        print(f"build: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("build: interrupted; what was built so far is kept", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
