"""Other Pythons than the one of this machine: from where they are, and how programs run in them.

Each is the Python of a Debian release, unpacked by debootstrap into a folder under the cache. Wheels are compiled here
with its headers; what tries them runs inside the folder (chroot), in mounts that nobody else sees and that end with it.
"""

import os
import pathlib
import shutil
import subprocess

import machine

# Debian has had no 3.12 in a release: `build.py build --python_version=3.12` takes one that is on the path.
RELEASES = {"3.13": "trixie", "3.14": "sid"}
# A compiler for the native functions of examples/ffi.
# apt takes lists of packages that are older than they say: a mirror may stand still.
INSTALL = (
    "export DEBIAN_FRONTEND=noninteractive; late='-o Acquire::Check-Valid-Until=false'; "
    'apt-get $late update && apt-get $late install -y --no-install-recommends "$@" && apt-get clean'
)
PACKAGES = ("ca-certificates", "g++", "python3-dev", "python3-venv")


class Python:
    """The Python of a Debian release.

    Args:
        version: one of `RELEASES`.
    """

    def __init__(self, version: str):
        self.version = version
        self.folder = machine.CACHE / "pythons" / RELEASES[version]

    @property
    def headers(self) -> pathlib.Path:
        return self.folder / f"usr/include/python{self.version}"

    def fetch(self) -> None:
        """Unpacks the release unless it is there.

        Raises:
            BuildError: this is not root, or debootstrap fails, or the release has moved on to another Python.
        """
        mark = self.folder / "unpacked"
        if not mark.exists():
            if os.geteuid() != 0:
                raise machine.BuildError(
                    f"unpacking Debian {RELEASES[self.version]} for Python {self.version} needs root: debootstrap and "
                    "chroot do. Run this as root, or name a Python of your own: build.py build --python_version"
                )
            if not shutil.which("debootstrap"):
                command = ["apt-get", "install", "-y", "debootstrap"]
                machine.install(["debootstrap"], command)
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            release = RELEASES[self.version]
            machine.say(f"unpacking Debian {release} for Python {self.version}")
            with open(f"{self.folder}.log", "w") as log:
                answer = subprocess.run(
                    ["debootstrap", "--variant=minbase", release, self.folder],
                    stdout=log,
                    stderr=log,
                )
                if not answer.returncode:
                    # apt finds what packages need; debootstrap's own way fails in sid.
                    answer = self.run("sh", "-ec", INSTALL, "sh", *PACKAGES)
                    log.write(answer.stdout)
            if answer.returncode:
                raise machine.BuildError(
                    f"unpacking {release} failed; the output is in {self.folder}.log"
                )
            mark.touch()
        if not (self.headers / "Python.h").exists():
            raise machine.BuildError(
                f"Debian {RELEASES[self.version]} has another Python than {self.version}: there is no "
                f"{self.headers}. Mend RELEASES in build/pythons.py"
            )

    def run(
        self, *command: object, seconds: float = 1800, **variables: str
    ) -> subprocess.CompletedProcess:
        """Runs a command inside the release, in its folder /srv.

        Args:
            command: paths are those inside.
            seconds: stop after so many.
            variables: for its environment.

        Returns:
            The completed process, its output as text, errors among it.
        """
        for file in ("etc/resolv.conf", "etc/ssl/certs/ca-certificates.crt"):
            if pathlib.Path("/", file).exists():
                (self.folder / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(pathlib.Path("/", file), self.folder / file)
        # Where pip finds packages on this machine.
        pip = pathlib.Path("/etc/pip.conf")
        (self.folder / "srv").mkdir(exist_ok=True)
        settings = {k: v for k, v in os.environ.items() if k.startswith("PIP_")}
        if pip.exists():
            shutil.copyfile(pip, self.folder / "etc/pip.conf")
        inside = 'cd /srv; exec "$@"'
        mounted = (
            'mount -t proc proc "$0/proc"; mount --bind /dev "$0/dev"; '
            f'exec chroot "$0" /bin/sh -c \'{inside}\' sh "$@"'
        )
        line = ["unshare", "--mount", "--fork", "--kill-child", "sh", "-ec", mounted]
        line += [self.folder, *command]
        environment = {
            "HOME": "/srv",
            "LANG": "C.UTF-8",
            "PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            **settings,
            **variables,
        }
        return subprocess.run(
            [str(part) for part in line],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=seconds,
        )
