"""Random programs for several devices give what one device gives, on both of our backends."""

import os

import numpy as np
import pytest

from tests.differential import meshes, search, sharded, sharded_executors

OURS = (sharded_executors.WHOLE, "native", "reference")
SAMPLE = 200


@pytest.fixture
def plugin():
    return os.path.abspath(os.environ["CPU_PLUGIN"])


def test_a_sample_of_programs_agrees(plugin, tmp_path):
    journal = search.guarded(plugin, 0, SAMPLE, tmp_path, OURS, is_sharded=True)
    assert journal.counts["programs"] == SAMPLE
    assert not journal.counts[search.UNEXPLAINED], "what differed is printed above"


def test_the_sample_cuts_values_in_every_way():
    programs = [sharded.generate(seed) for seed in range(SAMPLE)]
    kinds = {name for program in programs for name in program.operations}
    assert kinds >= {
        "manual_computation",
        "all_reduce",
        "all_gather",
        "reduce_scatter",
        "all_to_all",
        "collective_permute",
    }
    texts = "".join(program.text for program in programs)
    for part in ('"a0":(1)2', "?}", "}p1", "replicated={", "sdy.reshard"):
        assert part in texts
    assert {len(program.mesh.sizes) for program in programs} == {1, 2, 3}
    assert max(program.mesh.devices for program in programs) == meshes.MOST_DEVICES


def test_a_seed_makes_one_program():
    assert sharded.generate(17).text == sharded.generate(17).text


def test_a_wrong_piece_is_found():
    mesh = meshes.Mesh((2, 2))
    cut = meshes.Sharding(mesh, ((meshes.Part(0, 1, 2),), ()))
    pieces = [np.zeros((1, 3)), np.zeros((1, 3)), np.ones((1, 3)), np.ones((1, 3))]
    whole = sharded_executors.assemble((2, 3), cut, pieces, 0)
    assert whole.tolist() == [[0, 0, 0], [1, 1, 1]]
    with pytest.raises(sharded_executors.ReplicasDiffer, match="devices 0 and 1"):
        sharded_executors.assemble((2, 3), cut, [pieces[0], *pieces[2:], pieces[2]], 0)


def test_parts_of_axes_count_from_the_major_end():
    """An axis of eight as 2 x 4 and 4 x 2: what the dialect's documentation says of `:(before)size`."""
    mesh = meshes.Mesh((2, 8))
    half, pair = meshes.Part(1, 1, 2), meshes.Part(1, 4, 2)
    assert [mesh.coordinate(d, half) for d in range(8)] == [0] * 4 + [1] * 4
    assert [mesh.coordinate(d, pair) for d in range(8, 16)] == [0, 1] * 4
    assert mesh.name(half) == '"a1":(1)2' and mesh.name(pair) == '"a1":(4)2'
    assert meshes.groups(mesh, [0])[3] == [3, 11]
