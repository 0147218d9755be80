"""Runs Bazel, shows what it is doing, and says in one message what failed."""

import os
import pathlib
import subprocess
import sys

import machine
import workspace


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
        line = ["bazel", command, *self.options, *arguments]
        return subprocess.run(
            line, cwd=workspace.folder(), env=self.environment()
        ).returncode

    def build(self, *targets: str) -> None:
        code = self.run("build", *targets)
        if code:
            raise machine.BuildError(
                f"building {' '.join(targets)} failed (Bazel's exit code {code}); the compiler's message is above.\n"
                f"To see it again: bazel build {' '.join([*self.options, *targets])}"
            )

    def info(self, key: str) -> pathlib.Path:
        line = ["bazel", "info", *self.options, key]
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
