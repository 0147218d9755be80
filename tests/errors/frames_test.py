"""No frame of ours shows: every public function is called with what it cannot take."""

import importlib
import inspect
import traceback
import typing
import warnings

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.base import options, traceback_filter

# What is written for third-party libraries, jax.core and jax.interpreters, shows its frames.
MODULES = [
    "jax",
    "jax.ad_checkpoint",
    "jax.custom_batching",
    "jax.custom_derivatives",
    "jax.debug",
    "jax.dlpack",
    "jax.dtypes",
    "jax.experimental",
    "jax.experimental.checkify",
    "jax.experimental.jet",
    "jax.experimental.multihost_utils",
    "jax.experimental.ode",
    "jax.ffi",
    "jax.flatten_util",
    "jax.image",
    "jax.lax",
    "jax.lax.linalg",
    "jax.nn",
    "jax.nn.initializers",
    "jax.numpy",
    "jax.numpy.fft",
    "jax.numpy.linalg",
    "jax.ops",
    "jax.random",
    "jax.scipy.cluster.vq",
    "jax.scipy.fft",
    "jax.scipy.integrate",
    "jax.scipy.linalg",
    "jax.scipy.ndimage",
    "jax.scipy.optimize",
    "jax.scipy.signal",
    "jax.scipy.sparse.linalg",
    "jax.scipy.special",
    "jax.scipy.stats",
    "jax.sharding",
    "jax.tree",
    "jax.tree_util",
]


class Odd:
    """A value that no function takes."""


STRANGE = {"an object": Odd(), "a mask": np.ones((2, 3, 4), bool), "a string": "a"}


def files_of(error):
    return [f.filename for f in traceback.extract_tb(error.__traceback__)]


def functions(module):
    for name, value in sorted(vars(module).items()):
        is_type = inspect.isclass(value) or typing.get_origin(value) is not None
        is_type = is_type or isinstance(value, typing.NewType)
        if not name.startswith("_") and callable(value) and not is_type:
            yield name, value


def arguments(function, value):
    """The value for each argument without a default."""
    args, kwargs = [], {}
    for p in inspect.signature(function).parameters.values():
        if p.kind is p.VAR_POSITIONAL:
            args.append(value)
        elif p.default is p.empty and p.kind is p.KEYWORD_ONLY:
            kwargs[p.name] = value
        elif p.default is p.empty and p.kind is not p.VAR_KEYWORD:
            args.append(value)
    return args, kwargs


def frames_shown(module, value):
    """The functions whose errors show frames of ours, and how many errors there were."""
    shown, count = {}, 0
    for name, function in functions(module):
        if name == "breakpoint":
            continue
        args, kwargs = arguments(function, value)
        try:
            function(*args, **kwargs)
        except Exception as error:
            count += 1
            if files := [f for f in files_of(error) if "/jax/_src/" in f]:
                shown[name] = files
    return shown, count


@pytest.mark.parametrize("strange", STRANGE)
def test_no_public_function_shows_our_frames(strange, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # some functions write files
    total = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in MODULES:
            module = importlib.import_module(name)
            shown, count = frames_shown(module, STRANGE[strange])
            assert shown == {}, name
            total += count
    assert total > 300  # or else nothing was tried


def mistaken():
    return lax.add(jnp.ones(2), jnp.ones(3))


def compiled():
    return jax.jit(lambda x: jnp.sin(x) if x else x)(1.0)


MISTAKES = [mistaken, compiled]


def error_of(fun):
    with pytest.raises(TypeError) as caught:
        fun()
    return caught.value


@pytest.mark.parametrize("fun", MISTAKES)
@pytest.mark.parametrize("mode", ["auto", "quiet_remove_frames", "remove_frames"])
def test_frames_are_removed(fun, mode):
    with options.traceback_filtering(mode):
        files = files_of(error_of(fun))
    assert not [f for f in files if "/jax/_src/" in f]
    assert files[-1] == __file__


@pytest.mark.parametrize("fun", MISTAKES)
def test_a_note_says_how_to_see_them(fun):
    with options.traceback_filtering("quiet_remove_frames"):
        (note,) = error_of(fun).__notes__
    assert "JAX_TRACEBACK_FILTERING=off" in note


@pytest.mark.parametrize("fun", MISTAKES)
def test_a_cause_keeps_them(fun):
    with options.traceback_filtering("off"):
        everything = files_of(error_of(fun))
    with options.traceback_filtering("remove_frames"):
        error = error_of(fun)
    cause = error.__cause__
    assert isinstance(cause, traceback_filter.UnfilteredStackTrace)
    assert type(error).__name__ in str(cause)
    assert not hasattr(error, "__notes__")
    # The frame that catches the error is the last that was added, after the filter.
    below = [f for f in everything if f != __file__]
    assert [f for f in files_of(cause) if f != __file__] == below


def test_what_caused_the_error_still_does():
    def convert(x):
        try:
            return {}[x]
        except KeyError as error:
            raise ValueError("no such thing") from error

    with (
        options.traceback_filtering("remove_frames"),
        pytest.raises(ValueError, match="no such thing") as caught,
    ):
        jax.tree.map(convert, ["key"])
    assert isinstance(caught.value.__cause__.__cause__, KeyError)


@pytest.mark.parametrize("fun", MISTAKES)
def test_frames_are_marked_for_tools(fun):
    with options.traceback_filtering("tracebackhide"):
        error = error_of(fun)
    marks = {}
    for frame, _ in traceback.walk_tb(error.__traceback__):
        ours = "/jax/_src/" in frame.f_code.co_filename
        marks.setdefault(ours, []).append(bool(frame.f_locals.get("__tracebackhide__")))
    assert all(marks[True])
    assert not any(marks[False])


def test_a_filter_is_not_called_at_the_end_of_the_program():
    def stopped(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        jax.jit(stopped)(1.0)
    assert any("/jax/_src/" in f for f in files_of(caught.value))
