"""Faults in jobs of two or three processes: who is told, and how soon.

    python fault_trials.py --trials 1000 --seed 1 --jobs 2 --out trials.jsonl

Trial `k` of a seed is always the same: one of the faults in one of the phases, at a moment, in a process and
with sizes of its own. What has been written to `--out` is not done again; `--table` only prints what is there.
A trial is good when every process that is left has ended with an exception that names the process with the
fault (or has done its work, where the fault is none to it), within the time that counts as hanging.
"""

import argparse
import collections
import dataclasses
import functools
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).absolute().parent
FAULTS = {
    "kill": "SIGKILL",
    "stop": "SIGSTOP, for good",
    "cut": "the network of one process",
    "delay": "one process is suspended for 0.5 s to 2 s",
    "reorder": "one process calls something in another order",
    "shapes": "one process has another shape, or list of processes",
    "disk": "no space left on device, in one process",
    "coordinator": "SIGKILL of the coordination service",
}
PHASES = ("compile", "run", "barrier", "checkpoint")
# Faults that processes make themselves.
MISTAKES = ("reorder", "shapes", "disk")
HEARTBEAT_S = 8
# What is set for a collective that waits for others.
COLLECTIVE_S = 10
# How long a barrier waits.
BARRIER_S = 8
# A process that lives so long after a fault hangs.
HANG_S = 40.0
START_S = 90.0
# At this step a job that ends by itself waits until its fault has come.
WAIT_AT = 24


@dataclasses.dataclass(frozen=True, slots=True)
class Trial:
    """All that a trial is, from its number and the seed."""

    number: int
    fault: str
    phase: str
    processes: int
    devices: int
    victim: int
    # Elements of each device.
    numbers: int
    # When an outer fault comes, after all are ready; and at which step an own mistake.
    moment_s: float
    at: int
    # How the job is started and, of a cut, what is cut.
    how: str
    # How many times as long as else everything may take.
    slow: int


def make(seed: int, number: int, slow: int = 1) -> Trial:
    chance = random.Random(f"{seed}/{number}")
    # Of 8 in a row each has another fault, of 32 each another pair.
    fault = tuple(FAULTS)[number % len(FAULTS)]
    phase = PHASES[(number % len(FAULTS) + number // len(FAULTS)) % len(PHASES)]
    processes = chance.choice((2, 3))
    how = chance.choice(("launcher", "alone"))
    victim = chance.randrange(processes)
    if fault == "cut":
        how = chance.choice(("relay", "network") if may_cut() else ("relay",))
        victim = chance.randrange(1, processes)
    return Trial(
        number=number,
        fault=fault,
        phase=phase,
        processes=processes,
        devices=chance.choice((1, 1, 2)),
        victim=victim,
        numbers=chance.choice((16, 1 << 12, 1 << 18)),
        moment_s=round(chance.uniform(0.05, 1.2), 3),
        at=chance.randrange(2, 15),
        how=how,
        slow=slow,
    )


#
# Networks to cut.
#


@functools.cache
def may_cut() -> bool:
    """Whether name spaces of the network can be made here."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        return False
    try:
        Network(0).close()
    except subprocess.CalledProcessError:
        return False
    return True


class Network:
    """A name space for one process, with a line to all others that can be pulled."""

    def __init__(self, number: int):
        self.name = f"jaxf{os.getpid()}x{number}"
        net = f"10.231.{(os.getpid() * 7 + number) % 250}"
        self.near, self.far = f"{net}.1", f"{net}.2"
        tail = f"{os.getpid() % 100000}x{number % 10000}"
        self._near, self._far = f"jn{tail}", f"jf{tail}"
        lines = (
            f"netns add {self.name}",
            f"link add {self._near} type veth peer name {self._far}",
            f"link set {self._far} netns {self.name}",
            f"addr add {self.near}/24 dev {self._near}",
            f"link set {self._near} up",
            f"-n {self.name} addr add {self.far}/24 dev {self._far}",
            f"-n {self.name} link set {self._far} up",
            f"-n {self.name} link set lo up",
        )
        try:
            for line in lines:
                subprocess.run(["ip", *line.split()], check=True, capture_output=True)
        except subprocess.CalledProcessError:
            self.close()
            raise

    @property
    def prefix(self) -> list[str]:
        return ["ip", "netns", "exec", self.name]

    def cut(self) -> None:
        subprocess.run(["ip", "link", "set", self._near, "down"], check=True)

    def close(self) -> None:
        subprocess.run(["ip", "netns", "del", self.name], capture_output=True)
        subprocess.run(["ip", "link", "del", self._near], capture_output=True)


class Relay:
    """Passes bytes on between a port of its own and another, until it is cut: then it keeps them."""

    def __init__(self, port: int):
        self._to = port
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self._open: list[socket.socket] = []
        self._is_cut = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self._server.accept()
                far = socket.create_connection(("127.0.0.1", self._to))
            except OSError:
                if self._server.fileno() < 0:
                    return
                near.close()
                continue
            self._open += [near, far]
            for ends in ((near, far), (far, near)):
                threading.Thread(target=self._pass, args=ends, daemon=True).start()

    def _pass(self, one, other):
        try:
            while data := one.recv(1 << 16):
                if self._is_cut.is_set():
                    return  # as a network does: nobody is told
                other.sendall(data)
        except OSError:
            pass
        if not self._is_cut.is_set():
            for end in (one, other):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def cut(self) -> None:
        self._is_cut.set()

    def close(self) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        for end in self._open:
            end.close()


#
# A job.
#


def free_port(host: str = "127.0.0.1") -> int:
    with socket.socket() as probe:
        probe.bind((host, 0))
        return probe.getsockname()[1]


class Job:
    """The processes of a trial, and what they have said."""

    def __init__(self, trial: Trial, folder: pathlib.Path):
        self.trial, self.folder = trial, folder
        self.logs = [folder / f"{k}.log" for k in range(trial.processes)]
        self.line: Network | Relay | None = None
        self.children: list[subprocess.Popen] = []
        # Jobs that nothing is to end come to their end by themselves.
        ends = trial.fault in ("delay", "coordinator")
        self.plan = {
            "phase": trial.phase,
            "mistake": trial.fault if trial.fault in MISTAKES else "",
            "victim": trial.victim,
            "at": trial.at,
            "numbers": trial.numbers,
            "heartbeat": HEARTBEAT_S * trial.slow,
            "barrier_ms": int(BARRIER_S * 1000 * trial.slow),
            "wait_at": WAIT_AT if ends else -1,
            "folder": str(folder),
            "steps": 60 if ends else 10_000,
            "pause": 0.05,
        }
        outside = ("SLURM_", "OMPI_", "PMI", "JAX_", "KUBERNETES_", "TORCHELASTIC_")
        self._environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith(outside)},
            "PYTHONPATH": os.pathsep.join(
                p for p in sys.path if p not in ("", str(HERE))
            ),
            "JAX_PLATFORMS": "cpu",
            "JAX_NUM_CPU_DEVICES": str(trial.devices),
            "JAX_COLLECTIVE_TIMEOUT_SECONDS": str(COLLECTIVE_S * trial.slow),
            "JAX_DISTRIBUTED_INSECURE": "1",
        }
        if trial.how == "launcher":
            self._launch()
        else:
            self._start_each()

    def _command(self) -> list[str]:
        return [str(HERE / "fault_worker.py"), str(self.folder), json.dumps(self.plan)]

    def _launch(self):
        python = [sys.executable, *(["-P"] if sys.flags.safe_path else [])]
        heartbeat_s = HEARTBEAT_S * self.trial.slow
        options = f"-n {self.trial.processes} --heartbeat {heartbeat_s} --grace 60"
        command = [*python, "-m", "jax.distributed", *options.split()]
        command += ["--log-dir", str(self.folder), *self._command()]
        self._open(command, self._environment, "launcher")

    def _start_each(self):
        host = "127.0.0.1"
        if self.trial.how == "network":
            self.line = Network(self.trial.number)
            host = self.line.near
        port = free_port(host)
        if self.trial.how == "relay":
            self.line = Relay(port)
        for k in range(self.trial.processes):
            is_victim = k == self.trial.victim and self.line is not None
            own = is_victim and isinstance(self.line, Relay)
            environment = {
                **self._environment,
                "JAX_COORDINATOR_ADDRESS": f"{host}:{self.line.port if own else port}",
                "JAX_NUM_PROCESSES": str(self.trial.processes),
                "JAX_PROCESS_ID": str(k),
            }
            before = self.line.prefix if is_victim and not own else []
            python = [sys.executable, *(["-P"] if sys.flags.safe_path else [])]
            command = [*before, *python, *self._command()]
            self._open(command, environment, str(k))

    def _open(self, command, environment, name):
        with (
            (self.folder / f"{name}.stdout").open("wb") as out,
            (self.folder / f"{name}.stderr").open("wb") as err,
        ):
            self.children.append(
                subprocess.Popen(
                    command, env=environment, stdin=subprocess.DEVNULL,
                    stdout=out, stderr=err, cwd=self.folder, start_new_session=True,
                )
            )  # fmt: skip

    def said(self, k: int, event: str) -> dict | None:
        """What a process has said of an event."""
        if not self.logs[k].exists():
            return None
        lines = self.logs[k].read_text().splitlines(keepends=True)
        found = [json.loads(line) for line in lines if line.endswith("\n")]
        return next((row for row in found if row["event"] == event), None)

    def wait_for(self, event: str, limit_s: float, k: int | None = None) -> bool:
        """Waits until all, or one, have said something; whether that came."""
        wanted = range(self.trial.processes) if k is None else [k]
        limit = time.monotonic() + limit_s
        while not all(self.said(i, event) for i in wanted):
            is_over = all(child.poll() is not None for child in self.children)
            if time.monotonic() > limit or is_over or self._has_error(wanted):
                return all(self.said(i, event) for i in wanted)
            time.sleep(0.02)
        return True

    def _has_error(self, wanted) -> bool:
        return any(self.said(k, "error") for k in wanted)

    def pid(self, k: int) -> int:
        return self.said(k, "start")["pid"]

    def lives(self, k: int) -> bool:
        """Whether a process is there, and no corpse."""
        try:
            stat = pathlib.Path(f"/proc/{self.pid(k)}/stat").read_text()
        except OSError:
            return False
        return stat.rpartition(")")[2].split()[0] not in "ZX"

    def service(self) -> int | None:
        """The process of the coordination service."""
        parents = {child.pid for child in self.children} | {self.pid(0)}
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
                if parent in parents and (path / "comm").read_text() == "jax-service\n":
                    return int(path.name)
            except OSError:
                continue
        return None

    def errors(self, k: int) -> str:
        path = self.folder / f"{k}.stderr"
        return path.read_text(errors="replace") if path.exists() else ""

    def close(self) -> None:
        """Ends what is left of it."""
        for k in range(self.trial.processes):
            if self.said(k, "start") and self.lives(k):
                os.kill(self.pid(k), signal.SIGKILL)
        for child in self.children:
            try:
                child.wait(5)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        if self.line is not None:
            self.line.close()


#
# A trial.
#


def strike(job: Job) -> float | None:
    """Lets the fault happen; when that was. None: the job was over, or made it itself."""
    trial = job.trial
    if trial.fault in MISTAKES:
        return None
    time.sleep(trial.moment_s)
    began_s = time.monotonic()
    if trial.fault == "cut":
        job.line.cut()
    elif trial.fault == "coordinator":
        os.kill(job.service(), signal.SIGKILL)
    elif trial.fault == "kill":
        os.kill(job.pid(trial.victim), signal.SIGKILL)
    else:
        os.kill(job.pid(trial.victim), signal.SIGSTOP)
        if trial.fault == "delay":
            (job.folder / "struck").touch()
            time.sleep(0.5 + 1.5 * trial.moment_s / 1.2)
            os.kill(job.pid(trial.victim), signal.SIGCONT)
    (job.folder / "struck").touch()
    return began_s


def run(trial: Trial) -> dict:
    """Runs a trial; what came of it."""
    with tempfile.TemporaryDirectory(prefix="jax-faults-") as name:
        job = Job(trial, pathlib.Path(name))
        try:
            return {**dataclasses.asdict(trial), **_result(job)}
        finally:
            job.close()


def _result(job):
    trial = job.trial
    if not job.wait_for("ready", START_S * trial.slow):
        return {"verdict": "no start", "texts": _texts(job)}
    began_s = strike(job)
    if began_s is None:
        job.wait_for("fault", START_S * trial.slow, trial.victim)
        fault = job.said(trial.victim, "fault")
        if fault is None:
            return {"verdict": "no fault", "texts": _texts(job)}
        began_s = fault["t"]
    gone = {trial.victim} if trial.fault in ("kill", "stop") else set()
    left = [k for k in range(trial.processes) if k not in gone]
    limit = began_s + HANG_S * trial.slow
    while any(job.lives(k) for k in left) and time.monotonic() < limit:
        time.sleep(0.02)
    hang = [k for k in left if job.lives(k)]
    if hang:
        stacks = {k: _stack(job, k) for k in hang}
        return {"verdict": "hang", "hang": hang, "stacks": stacks, "texts": _texts(job)}
    times = {}
    for k in left:
        told = job.said(k, "error") or job.said(k, "told")
        if told is not None:
            times[k] = round(told["t"] - began_s, 3)
    why = [text for k in left if (text := fault_of(job, k))]
    if why:
        return {"verdict": "bad", "why": why, "texts": _texts(job)}
    return {"verdict": "good", "seconds": max(times.values(), default=0.0)}


def _stack(job, k):
    """Where the threads of a process that hangs wait in the system."""
    rows = []
    for task in pathlib.Path(f"/proc/{job.pid(k)}/task").glob("*"):
        try:
            rows.append(
                f"{(task / 'comm').read_text().strip()}: {(task / 'wchan').read_text()}"
            )
        except OSError:
            continue
    return sorted(rows)


def _texts(job):
    return {
        k: {
            "error": (job.said(k, "error") or {}).get("text", "")[:1500],
            "stderr": job.errors(k)[-1500:],
        }
        for k in range(job.trial.processes)
    }


def fault_of(job: Job, k: int) -> str:
    """What is wrong with how a process ended; nothing: it was told what it had to be."""
    trial = job.trial
    error, done = job.said(k, "error"), job.said(k, "done")
    if error is None and done is None:
        return f"process {k} ended without a word"
    if trial.fault == "delay":
        return f"process {k} was disturbed" if error else ""
    if trial.fault == "coordinator":
        told = f"{error}{job.errors(k)}"
        return "" if "coordination service" in told else f"process {k} was not told"
    if error is None:
        return f"process {k} took part in the fault as if there were none"
    if k == trial.victim:
        return ""  # it knows itself
    # Which of them is wrong nobody knows where their calls differ.
    number = r"\d" if trial.fault in ("reorder", "shapes") else str(trial.victim)
    # In words, or as a row of the table.
    wanted = rf"process {number}\b|^{number} +(running|failed) "
    is_named = re.search(wanted, error["text"], re.MULTILINE)
    return "" if is_named else f"process {k} names nobody"


#
# Many.
#


def table(rows: list[dict]) -> str:
    """Times to detection by fault and phase, for people."""
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row["fault"], row["phase"]].append(row)
    lines = [
        "| Fault | In | Trials | Hangs | Silent or wrong | Median | Worst |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for fault in FAULTS:
        for phase in PHASES:
            found = groups[fault, phase]
            if not found:
                continue
            hangs = sum(r["verdict"] == "hang" for r in found)
            bad = sum(r["verdict"] not in ("hang", "good") for r in found)
            times = [r["seconds"] for r in found if r.get("seconds")]
            middle = f"{statistics.median(times):.2f} s" if times else "–"
            worst = f"{max(times):.2f} s" if times else "–"
            lines.append(
                f"| {fault} | {phase} | {len(found)} | {hangs} | {bad} | {middle} | {worst} |"
            )
    good = sum(r["verdict"] == "good" for r in rows)
    return "\n".join([*lines, "", f"trials: {good} good of {len(rows)}"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="trials at a time")
    parser.add_argument("--first", type=int, default=0, help="number of the first")
    parser.add_argument("--every", type=int, default=1, help="each so many-th trial")
    parser.add_argument(
        "--only", default="", help="faults and phases that contain this"
    )
    parser.add_argument("--seconds", type=float, default=1e9, help="begin none later")
    parser.add_argument(
        "--slow", type=int, default=1, help="so many times as long may all take"
    )
    parser.add_argument("--out", type=pathlib.Path, help="file of results, added to")
    parser.add_argument(
        "--table", action="store_true", help="run none, print the table"
    )
    options = parser.parse_args()
    rows = []
    if options.out and options.out.exists():
        rows = [json.loads(line) for line in options.out.open()]
    known = {row["number"] for row in rows}
    trials = [
        trial
        for number in range(
            options.first, options.first + options.trials, options.every
        )
        if number not in known
        and options.only
        in f"{(trial := make(options.seed, number, options.slow)).fault} {trial.phase}"
    ]
    if not options.table:
        _run_all(trials, options, rows)
    print(table(rows))
    return 0 if rows and all(r["verdict"] == "good" for r in rows) else 1


def _run_all(trials, options, rows):
    waiting, lock = collections.deque(trials), threading.Lock()
    limit = time.monotonic() + options.seconds

    def work():
        while time.monotonic() < limit:
            with lock:
                if not waiting:
                    return
                trial = waiting.popleft()
            row = run(trial)
            with lock:
                rows.append(row)
                if options.out:
                    with options.out.open("a") as file:
                        file.write(json.dumps(row) + "\n")
                if row["verdict"] != "good":
                    print(json.dumps(row, indent=1), flush=True)

    threads = [threading.Thread(target=work) for _ in range(options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    sys.exit(main())
