"""The digits example from end to end, on whatever platform the environment selects."""

import importlib.util
import json
import pathlib

import numpy as np
import pytest

FOLDER = pathlib.Path(__file__).resolve().parent
EXAMPLE = FOLDER.parents[1] / "examples" / "digits_classifier.py"
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def program():
    spec = importlib.util.spec_from_file_location("digits_classifier", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def trained(program, tmp_path_factory):
    """The folder that a default run leaves."""
    folder = tmp_path_factory.mktemp("digits") / "out"
    assert program.main(["--output", str(folder)]) == 0
    return folder


def held_out_accuracy(text):
    (line,) = [x for x in text.splitlines() if x.startswith("held-out accuracy")]
    return float(line.split()[2])


def test_reads_97_of_100_held_out_digits(program, trained, tmp_path, capsys):
    saved = str(trained / "digits.npz")
    assert program.main(["--load", saved, "--output", str(tmp_path)]) == 0
    assert held_out_accuracy(capsys.readouterr().out) >= 0.97


def test_leaves_a_picture_and_parameters_and_nothing_else(trained):
    assert sorted(path.name for path in trained.iterdir()) == [
        "digits.npz",
        "digits.png",
    ]
    assert (trained / "digits.png").read_bytes().startswith(PNG_SIGNATURE)


def test_parameters_are_stored_without_pickles(trained):
    with np.load(trained / "digits.npz", allow_pickle=False) as file:
        assert file["weights_0"].dtype == np.float32


def test_the_same_seed_gives_the_same_losses(program, tmp_path):
    texts = []
    for name in ("a", "b"):
        assert program.main(["--losses", str(tmp_path / name)]) == 0
        texts.append((tmp_path / name).read_text())
    assert texts[0] == texts[1]


def test_first_losses_agree_with_upstream(program, tmp_path):
    """`digits_losses.json` was recorded with JAX 0.10.2 on its own CPU compiler."""
    recorded = json.loads((FOLDER / "digits_losses.json").read_text())
    assert program.main(["--losses", str(tmp_path / "losses")]) == 0
    losses = [float(line) for line in (tmp_path / "losses").read_text().split()]
    np.testing.assert_allclose(losses, recorded, rtol=1e-4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--epochs", "0"], "not a whole number from 1"),
        (["--epochs", "many"], "'many' is not a whole number"),
        (["--seed", "-1"], "not a whole number from 0"),
        (["--speed", "3"], "unrecognized arguments: --speed"),
        (["--load", "a", "--losses", "b"], "exclude each other"),
    ],
)
def test_a_bad_option_is_explained(program, capsys, arguments, message):
    with pytest.raises(SystemExit) as info:
        program.main(arguments)
    assert info.value.code == 2
    assert message in capsys.readouterr().err


def test_help_lists_the_options(program, capsys):
    with pytest.raises(SystemExit) as info:
        program.main(["--help"])
    text = capsys.readouterr().out
    assert info.value.code == 0
    assert all(f"--{name}" in text for name in "epochs seed output load losses".split())


def test_a_folder_that_cannot_be_written_is_explained(program, capsys, tmp_path):
    """A file stands where a folder would have to be made: fails for root too."""
    (tmp_path / "file").write_text("mine")
    assert program.main(["--output", str(tmp_path / "file" / "out")]) == 1
    error = capsys.readouterr().err
    assert "cannot write into the folder" in error and "--output" in error
    assert (tmp_path / "file").read_text() == "mine"


def test_a_read_only_folder_is_explained_before_learning(
    program, capsys, tmp_path, monkeypatch
):
    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(program.tempfile, "TemporaryFile", refuse)
    monkeypatch.setattr(program, "train", lambda *args: pytest.fail("it learned"))
    assert program.main(["--output", str(tmp_path)]) == 1
    assert "Permission denied" in capsys.readouterr().err


def change_array(arrays, name, value):
    return {**arrays, name: value}


DAMAGES = {
    "truncated": (lambda data, arrays: data[: len(data) // 2], "damaged"),
    "not an archive": (
        lambda data, arrays: b"weights",
        "not a readable parameter file",
    ),
    "empty": (lambda data, arrays: b"", "not a readable parameter file"),
    "flipped bytes": (
        lambda data, arrays: data[:3000] + bytes(64) + data[3064:],
        "not a readable parameter file",
    ),
    "missing array": (
        lambda data, arrays: {k: v for k, v in arrays.items() if k != "bias_1"},
        "bias_1 is missing",
    ),
    "other array": (
        lambda data, arrays: change_array(arrays, "extra", np.zeros(3)),
        "extra does not belong there",
    ),
    "wrong shape": (
        lambda data, arrays: change_array(arrays, "bias_0", np.zeros(3, "f4")),
        "bias_0 has shape (3,)",
    ),
    "wrong dtype": (
        lambda data, arrays: change_array(arrays, "bias_2", np.zeros(10)),
        "bias_2 has dtype float64",
    ),
    "not finite": (
        lambda data, arrays: change_array(arrays, "bias_2", np.full(10, np.nan, "f4")),
        "bias_2 has values that are not finite",
    ),
    "pickled": (
        lambda data, arrays: change_array(arrays, "bias_2", np.array([{}], object)),
        "not a readable parameter file",
    ),
    "other format": (
        lambda data, arrays: change_array(arrays, "format", np.array("else")),
        "format is 'else'",
    ),
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_parameter_file_is_explained_and_nothing_written(
    program, trained, capsys, tmp_path, kind
):
    damage, message = DAMAGES[kind]
    data = (trained / "digits.npz").read_bytes()
    with np.load(trained / "digits.npz", allow_pickle=False) as file:
        changed = damage(data, {name: file[name] for name in file.files})
    broken = tmp_path / "broken.npz"
    if isinstance(changed, bytes):
        broken.write_bytes(changed)
    else:
        np.savez(broken, **changed)
    before = broken.read_bytes()
    assert program.main(["--load", str(broken), "--output", str(tmp_path / "o")]) == 1
    assert message in capsys.readouterr().err
    assert broken.read_bytes() == before
    assert not (tmp_path / "o").exists()


def test_a_failed_write_keeps_the_old_file(program, tmp_path):
    path = tmp_path / "kept"
    path.write_text("old")

    def fail(file):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(program.Trouble, match="No space left"):
        program.write_atomically(path, fail)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["kept"]


def test_an_absent_parameter_file_is_explained(program, capsys, tmp_path):
    assert program.main(["--load", str(tmp_path / "none.npz")]) == 1
    assert "there is no parameter file" in capsys.readouterr().err
