"""The transformer example from end to end, a short run of it, on eight devices."""

import importlib.util
import os
import pathlib

import numpy as np
import pytest

os.environ["JAX_NUM_CPU_DEVICES"] = "8"

FOLDER = pathlib.Path(__file__).resolve().parent
EXAMPLE = FOLDER.parents[1] / "examples" / "text_transformer.py"
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
STEPS = 6


@pytest.fixture(scope="module")
def program():
    spec = importlib.util.spec_from_file_location("text_transformer", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def trained(program, tmp_path_factory):
    """The folder that a short run leaves; it fails where losses depend on the mesh."""
    folder = tmp_path_factory.mktemp("transformer") / "out"
    arguments = ["--mesh", "data=4,model=2", "--steps", str(STEPS)]
    assert program.main([*arguments, "--output", str(folder)]) == 0
    return folder


def loss_at_the_end(text):
    (line,) = [x for x in text.splitlines() if x.startswith("loss at the end")]
    return float(line.split()[4])


def test_leaves_a_picture_and_a_checkpoint_and_nothing_else(trained):
    names = sorted(path.name for path in trained.iterdir())
    assert names == ["transformer.npz", "transformer.png"]
    assert (trained / "transformer.png").read_bytes().startswith(PNG_SIGNATURE)
    with np.load(trained / "transformer.npz", allow_pickle=False) as file:
        assert file["number"] == STEPS // 2 and file["total"] == STEPS


@pytest.mark.parametrize("mesh", ["data=1", "data=8", "data=1,model=4"])
def test_goes_on_from_the_checkpoint_on_any_mesh(program, trained, capsys, mesh):
    saved = str(trained / "transformer.npz")
    ends = []
    for where in ("data=4,model=2", mesh):
        assert program.main(["--load", saved, "--mesh", where]) == 0
        ends.append(loss_at_the_end(capsys.readouterr().out))
    np.testing.assert_allclose(*ends, rtol=program.SAME)


def test_each_parameter_is_sharded_as_the_table_says(program):
    trainer = program.Trainer({"data": 4, "model": 2})
    state = trainer.start(0)
    for name in ("parameters", "mean", "square"):
        layer = getattr(state, name)["layer 1"]
        assert layer["widen"].addressable_shards[0].data.shape == (64, 128)
        assert layer["narrow"].addressable_shards[0].data.shape == (128, 64)
        assert layer["attend"].addressable_shards[0].data.shape == (64, 3, 2, 16)
        assert layer["scales"].sharding.is_fully_replicated


def test_devices_send_gradients_over_data_and_sums_over_model(program):
    """What no program can avoid: gradients of a device's part, in a ring."""
    sizes = {"data": 4, "model": 2}
    trainer = program.Trainer(sizes)
    state = trainer.start(0)
    sent = program.sent_bytes(trainer.compiled(state).as_text(), trainer.mesh)
    leaves = program.jax.tree.leaves(state.parameters)
    part = sum(leaf.addressable_shards[0].data.nbytes for leaf in leaves)
    assert set(sent) <= {"data", "model", "data, model"}
    over_data = sent["data"] + sent.get("data, model", 0)
    ring = 2 * (sizes["data"] - 1) / sizes["data"]
    assert ring * part * 0.99 <= over_data <= ring * part * 1.2
    # Two sums per layer forwards and two backwards, of the activations of a device.
    activations = program.BATCH // sizes["data"] * program.LENGTH * program.WIDTH * 4
    assert sent["model"] >= 4 * program.LAYERS * activations


PROGRAMS = {
    "none": ("  %add.1 = f32[4]{0} add(%x, %x)", {}),
    "a sum": (
        "  %y = f32[4,8]{1,0} all-reduce(%x), channel_id=1, "
        "replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=%region.1",
        {"model": 128},
    ),
    "a gathered one": (
        "  %y = bf16[8,8]{1,0} all-gather(%x), channel_id=1, "
        "replica_groups={{0,2},{1,3}}, dimensions={0}, use_global_device_ids=true",
        {"data": 64},
    ),
    "a scattered one": (
        "  ROOT %y = f32[2,8]{1,0} reduce-scatter(%x), channel_id=1, "
        "replica_groups={{0,2},{1,3}}, dimensions={0}, to_apply=%region.1",
        {"data": 64},
    ),
    "a shifted one": (
        "  %y = f32[4]{0} collective-permute(%x), channel_id=1, "
        "source_target_pairs={{0,1},{2,3}}",
        {"model": 16},
    ),
    "over both": (
        "  %y = f32[] all-reduce(%x), channel_id=1, replica_groups={{0,1,2,3}}, "
        "to_apply=%region.1",
        {"data, model": 6},
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_bytes_are_read_from_programs(program, name):
    text, expected = PROGRAMS[name]
    mesh = program.mesh_of({"data": 2, "model": 2})
    assert program.sent_bytes(text, mesh) == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--mesh", "data=3"], "data=3 does not divide the batch of 32"),
        (["--mesh", "model=2"], "one is written data=4,model=2"),
        (["--mesh", "data=1,model=3"], "model=3 does not divide the 4 heads"),
        (["--steps", "2"], "'2' is not a whole number from 4"),
        (["--seed", "-1"], "not a whole number from 0"),
    ],
)
def test_a_bad_option_is_explained(program, capsys, arguments, message):
    with pytest.raises(SystemExit) as info:
        program.main(arguments)
    assert info.value.code == 2
    assert message in capsys.readouterr().err


def test_too_few_devices_are_explained(program, capsys, tmp_path):
    assert program.main(["--mesh", "data=16", "--output", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert "needs 16 devices" in error and "JAX_NUM_CPU_DEVICES=16" in error


def test_a_damaged_checkpoint_is_explained(program, trained, capsys, tmp_path):
    with np.load(trained / "transformer.npz", allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    path = tmp_path / "broken.npz"
    name = "mean/layer 0/widen"
    damages = {
        f"{name} is missing": {k: v for k, v in arrays.items() if k != name},
        f"{name} is float32[3]": {**arrays, name: np.zeros(3, "f4")},
        f"{name} has values": {**arrays, name: np.full((64, 256), np.nan, "f4")},
        "its format is not": {**arrays, "format": "else"},
        "not a readable checkpoint": {**arrays, name: np.array([{}], object)},
    }
    for message, changed in damages.items():
        np.savez(path, **changed)
        assert program.main(["--load", str(path)]) == 1
        assert message in capsys.readouterr().err
    path.write_bytes((trained / "transformer.npz").read_bytes()[:5000])
    assert program.main(["--load", str(path)]) == 1
    assert "not a readable checkpoint" in capsys.readouterr().err
    assert program.main(["--load", str(tmp_path / "none.npz")]) == 1
    assert "there is no checkpoint" in capsys.readouterr().err
