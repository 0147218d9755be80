"""The table of names whose file a stranger guesses: each feature of the compiler has one file, and guesses are scored."""

import importlib.util

from tests.house import tree


def loaded():
    spec = importlib.util.spec_from_file_location(
        "guess_path", tree.ROOT / "tools/guess_path.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_row_that_names_a_text_has_one_file():
    guess_path = loaded()
    rows = [
        line.partition("\t")
        for line in guess_path.NAMES.read_text().splitlines()
        if not line.startswith("#")
    ]
    assert len(rows) >= 200
    texts = [(name, text) for name, _, text in rows if text]
    assert len(texts) >= 50
    for name, text in texts:
        folders = ("jax/_src/",) if name.startswith("jax.") else ("xla/", "jaxlib/")
        assert guess_path.file_that_holds(text, folders)


def test_guesses_are_scored(capsys):
    table = {
        "jax.jit": "jax/_src/jit/api.py",
        "jax.grad": "jax/_src/grad.py",
        "jax.vmap": "jax/_src/vmap.py",
    }
    guesses = {
        "jax.jit": ["jax/_src/jit/api"],
        "jax.grad": ["a.py", "jax/_src/grad.py"],
        "jax.vmap": ["b.py"],
    }
    loaded().score(guesses, table)
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == "first guess 1 of 3 (33.3%), within three 2"
    assert "jax.vmap: jax/_src/vmap.py, guessed b.py" in out
