"""The Pythons that wheels are built for and tried in: from where each is, and how programs run in it.

An installed one is this machine's. That of a newer Debian release is unpacked by debootstrap into a folder under the
cache: wheels are compiled here with its headers, and what tries them runs inside the folder (chroot), in mounts that
nobody else sees and that end with it.
"""

import os
import pathlib
import shutil
import subprocess
from collections.abc import Callable

import machine

# apt takes lists of packages that are older than they say: a mirror may be out of date.
INSTALL = (
    "export DEBIAN_FRONTEND=noninteractive; late='-o Acquire::Check-Valid-Until=false'; "
    'apt-get $late update && apt-get $late install -y --no-install-recommends "$@" && apt-get clean'
)
# A compiler for the native functions of examples/ffi.
PACKAGES = ("ca-certificates", "g++", "python3-dev", "python3-venv")


class Python:
    """A Python and the folder in which wheels are tried in it.

    Args:
        version: `3.13`, or `3.13t` of one without the interpreter's lock.
    """

    def __init__(self, version: str):
        self.version = version

    @property
    def work(self) -> pathlib.Path:
        """The folder where commands run, on this machine."""
        return machine.CACHE / "pythons" / self.version

    @property
    def inside(self) -> pathlib.Path:
        """That folder: its path where commands run."""
        return self.work

    @property
    def headers(self) -> pathlib.Path | None:
        """The folder of Python.h, on this machine; None: Bazel finds that of this Python by itself."""
        raise NotImplementedError

    @property
    def interpreter(self) -> str:
        """What starts it, where commands run."""
        raise NotImplementedError

    @property
    def tag(self) -> str:
        """What the names of wheels say of Python and of its ABI."""
        digits = self.version.replace(".", "")
        return f"cp{digits.rstrip('t')}-cp{digits}"

    def fetch(self) -> None:
        """Makes it ready.

        Raises:
            BuildError: it cannot be had here.
        """
        raise NotImplementedError

    def line(self, command: tuple[object, ...]) -> list[object]:
        """The command of this machine that runs a command."""
        raise NotImplementedError

    def run(
        self, *command: object, seconds: float = 1800, **variables: str
    ) -> subprocess.CompletedProcess:
        """Runs a command in the folder `inside`.

        Args:
            command: paths are those that commands see.
            seconds: stop after so many.
            variables: for its environment.

        Returns:
            The completed process, its output as text, errors among it.
        """
        self.work.mkdir(parents=True, exist_ok=True)
        settings = {k: v for k, v in os.environ.items() if k.startswith("PIP_")}
        environment = {
            "HOME": str(self.inside),
            "LANG": "C.UTF-8",
            "PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            **settings,
            **variables,
        }
        return subprocess.run(
            [str(part) for part in self.line(command)],
            cwd=self.work,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=seconds,
        )


class Installed(Python):
    """An interpreter of this machine, with its headers."""

    def fetch(self) -> None:
        own = machine.find_python(None)
        if machine.python_tag(own) == self.tag.split("-")[0]:
            self._interpreter, self._headers = own, None
        else:
            self._interpreter = machine.find_python(self.version)
            self._headers = machine.headers_of(self._interpreter)

    @property
    def interpreter(self) -> str:
        return self._interpreter

    @property
    def headers(self) -> pathlib.Path | None:
        return self._headers

    def line(self, command: tuple[object, ...]) -> list[object]:
        return ["setpriv", "--pdeathsig", "KILL", *command]


class Debian(Python):
    """The Python of a Debian release.

    Args:
        version: the one that the release has.
        release: its name.
    """

    def __init__(self, version: str, release: str):
        super().__init__(version)
        self.release = release
        self.folder = machine.CACHE / "pythons" / release

    @property
    def inside(self) -> pathlib.Path:
        return pathlib.Path("/srv", self.version)

    @property
    def work(self) -> pathlib.Path:
        return self.folder / self.inside.relative_to("/")

    @property
    def interpreter(self) -> str:
        return "/usr/bin/python3"

    @property
    def headers(self) -> pathlib.Path:
        return self.folder / f"usr/include/python{self.version}"

    def fetch(self) -> None:
        self.unpack()
        if not (self.headers / "Python.h").exists():
            raise machine.BuildError(
                f"Debian {self.release} has another Python than {self.version}: there is no {self.headers}. Mend "
                "PYTHONS in build/pythons.py"
            )

    def unpack(self) -> None:
        """Unpacks the release unless it is there.

        Raises:
            BuildError: this is not root, or debootstrap fails.
        """
        mark = self.folder / "unpacked"
        if mark.exists():
            return
        if os.geteuid() != 0:
            raise machine.BuildError(
                f"unpacking Debian {self.release} for Python {self.version} needs root: debootstrap and chroot do. "
                "Run this as root, or name a Python of your own: build.py build --python_version"
            )
        if not shutil.which("debootstrap"):
            command = ["apt-get", "install", "-y", "debootstrap"]
            machine.install(["debootstrap"], command)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        machine.say(f"unpacking Debian {self.release} for Python {self.version}")
        with open(f"{self.folder}.log", "w") as log:
            answer = subprocess.run(
                ["debootstrap", "--variant=minbase", self.release, self.folder],
                stdout=log,
                stderr=log,
            )
            if not answer.returncode:
                # apt finds what packages need; debootstrap's own way fails in sid.
                answer = self.run("sh", "-ec", INSTALL, "sh", *PACKAGES)
                log.write(answer.stdout)
        if answer.returncode:
            raise machine.BuildError(
                f"unpacking {self.release} failed; the output is in {self.folder}.log"
            )
        mark.touch()

    def line(self, command: tuple[object, ...]) -> list[object]:
        # Where pip and apt find packages on this machine.
        for file in (
            "etc/resolv.conf",
            "etc/ssl/certs/ca-certificates.crt",
            "etc/pip.conf",
        ):
            if pathlib.Path("/", file).exists():
                (self.folder / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(pathlib.Path("/", file), self.folder / file)
        enter = f'cd {self.inside}; exec "$@"'
        mounted = (
            'mount -t proc proc "$0/proc"; mount --bind /dev "$0/dev"; '
            f'exec chroot "$0" /bin/sh -c \'{enter}\' sh "$@"'
        )
        end = ["setpriv", "--pdeathsig", "KILL"]
        start = ["unshare", "--mount", "--fork", "--kill-child", "sh", "-ec", mounted]
        return [*end, *start, self.folder, *command]


# Version -> what makes it. Debian has had no 3.12 in a release: one that is installed (pyenv) is taken.
PYTHONS: dict[str, Callable[[], Python]] = {
    "3.11": lambda: Installed("3.11"),
    "3.12": lambda: Installed("3.12"),
    "3.13": lambda: Debian("3.13", "trixie"),
    "3.14": lambda: Debian("3.14", "sid"),
}
