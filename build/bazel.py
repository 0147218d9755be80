"""Runs Bazel, shows what it is doing, and says in one message what failed."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import machine
import progress
import workspace

# What runs Bazel: it is interrupted when the process that started it is killed, and its builds end.
WATCHED = ("setpriv", "--pdeathsig", "INT", "bazel")


class Bazel:
    """Bazel in this repository, bound to one Python."""

    def __init__(self, python: str, jobs: int | None):
        self.options = [f"--repo_env=PYTHON_BIN_PATH={python}"]
        if jobs:
            self.options.append(f"--jobs={jobs}")
        if llvm := os.environ.get("LLVM_ROOT"):
            self.options.append(f"--repo_env=LLVM_ROOT={llvm}")
        if not sys.stdout.isatty():
            # A log file wants a line now and then, not a redrawn screen.
            self.options += [
                "--curses=no",
                "--color=no",
                "--show_progress_rate_limit=30",
            ]

    def environment(self) -> dict[str, str]:
        environment = dict(os.environ)
        if pathlib.Path("/usr/bin/bazel-4").exists():
            # bazelisk would try to download the version that .bazelversion names.
            environment["USE_BAZEL_VERSION"] = "/usr/bin/bazel-4"
        return environment

    def run(self, command: str, *arguments: str) -> int:
        line = [*WATCHED, command, *self.options, *arguments]
        return subprocess.run(
            line, cwd=workspace.folder(), env=self.environment()
        ).returncode

    def files(self, targets: tuple[str, ...]) -> int:
        """The number of C++ files that go into targets; 0 where Bazel cannot say."""
        kinds = "|".join(progress.COMPILATIONS)
        query = f'mnemonic("{kinds}", deps(set({" ".join(targets)})))'
        # The analysis of these options is the build's, which finds it done.
        line = [*WATCHED, "aquery", *self.options, "--noinclude_commandline", query]
        answer = subprocess.run(
            line,
            cwd=workspace.folder(),
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        return answer.stdout.count("  Mnemonic: Cpp")

    def show(self, command: str, *targets: str) -> int:
        """Runs Bazel and shows how far it is; returns its exit code."""
        files = self.files(targets)
        with tempfile.TemporaryDirectory() as folder:
            events = pathlib.Path(folder, "events.json")
            line = [
                *(*WATCHED, command, *self.options, *targets),
                f"--build_event_json_file={events}",
                "--build_event_publish_all_actions",
                "--curses=no",
                f"--color={'yes' if sys.stderr.isatty() else 'no'}",
                "--show_progress_rate_limit=1",
            ]
            bazel = subprocess.Popen(
                line,
                cwd=workspace.folder(),
                env=self.environment(),
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
            )
            shown = progress.Progress(sys.stderr, progress.Events(events), files)
            try:
                shown.read_all(bazel.stderr)
            except KeyboardInterrupt:
                # From a terminal it was interrupted already, and ends all the same.
                bazel.send_signal(signal.SIGINT)
                shown.read_all(bazel.stderr)
                raise
            finally:
                bazel.wait()
            return bazel.returncode

    def build(self, *targets: str) -> None:
        code = self.show("build", *targets)
        if code:
            raise machine.BuildError(
                f"building {' '.join(targets)} failed (Bazel's exit code {code}); the compiler's message is above.\n"
                f"To see it again: bazel build {' '.join([*self.options, *targets])}"
            )

    def info(self, key: str) -> pathlib.Path:
        line = [*WATCHED, "info", *self.options, key]
        answer = subprocess.run(
            line,
            cwd=workspace.folder(),
            env=self.environment(),
            capture_output=True,
            text=True,
        )
        if answer.returncode:
            raise machine.BuildError(f"`bazel info {key}` failed:\n{answer.stderr}")
        return pathlib.Path(answer.stdout.strip())
