"""Flax, Optax and Orbax over two processes, and from their checkpoint over three: the same losses."""

from tests.ecosystem.several import training
from tests.testing import processes

PROGRAM = """
import pathlib
from tests.ecosystem.several import training
training.main(pathlib.Path({folder!r}), {first}, {last})
"""


def losses(folder, count, devices, first, last):
    """The losses of the steps, as every process prints them."""
    program = PROGRAM.format(folder=str(folder), first=first, last=last)
    ended = processes.run(program, count, JAX_NUM_CPU_DEVICES=str(devices))
    for process, end in enumerate(ended):
        assert end.status == 0, f"process {process}: {end.err}"
        assert end.out == ended[0].out
    return ended[0].out.split()


def test_two_processes_save_and_three_go_on_with_the_same_losses(tmp_path):
    first = losses(tmp_path, 2, 3, 0, training.STEPS)
    after = losses(tmp_path, 3, 2, training.SAVED, training.STEPS)
    # Six devices in either case, so that sums have one order: all bits are the same.
    assert first[training.SAVED :] == after
    assert float.fromhex(first[-1]) < float.fromhex(first[0])
