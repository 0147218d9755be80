"""No entry of the persistent compilation cache, however damaged, does more than warn.

The random choices are the same in every run.
"""

import contextlib
import hashlib
import os
import struct
import warnings

import hypothesis as hp
import numpy as np
import pytest
from hypothesis import strategies as st

import jax
import jax.numpy as jnp
from jax._src.base import options
from jax._src.runtime.compilation import compilation_cache

# A first line, the digest of the rest, key, seconds, two sizes, names and executable.
DIGEST_AT = 24
REST_AT = DIGEST_AT + 32
SIZES_AT = REST_AT + 32 + 8
NAMES_AT = SIZES_AT + 16

RUNS = hp.settings(
    max_examples=150,
    suppress_health_check=list(hp.HealthCheck),
)

INPUT = np.linspace(-1, 1, 7, dtype=np.float32)


@jax.jit
def program(x):
    return jnp.sin(x) + x[::-1]


@jax.jit
def another(x):
    return jnp.cos(x) * 2


@contextlib.contextmanager
def cache_in(folder):
    options = {
        "jax_compilation_cache_dir": str(folder),
        "jax_enable_compilation_cache": True,
        "jax_persistent_cache_min_compile_time_secs": 0.0,
    }
    before = {name: getattr(jax.config, name) for name in options}
    for name, value in options.items():
        jax.config.update(name, value)
    try:
        yield folder
    finally:
        for name, value in before.items():
            jax.config.update(name, value)
        jax.clear_caches()


def run(function):
    """The answer of a program compiled anew, or taken from the cache; the warnings."""
    jax.clear_caches()
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        answer = np.asarray(function(INPUT))
    return answer, [str(note.message) for note in notes]


@pytest.fixture(scope="module")
def entry(tmp_path_factory):
    """The path of an entry of `program`, its bytes, those of another, the answer."""
    with cache_in(tmp_path_factory.mktemp("cache")) as folder:
        answer, notes = run(program)
        assert not notes
        run(another)
        (path,) = folder.glob("jit_program-*-cache")
        (other,) = folder.glob("jit_another-*-cache")
        data = path.read_bytes()
        assert run(program)[1] == []  # whole, it is used
        yield path, data, other.read_bytes(), answer


def remove(path):
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)


def check_ignored(entry, because=""):
    path, _, _, answer = entry
    found, notes = run(program)
    np.testing.assert_array_equal(found, answer)
    assert notes and "the entry of 'jit(program)'" in notes[0], notes
    assert because in notes[0]


def sealed(start, rest):
    return start[:DIGEST_AT] + hashlib.sha256(rest).digest() + rest


@st.composite
def damages(draw, size):
    """A function from an entry's bytes, `size` of them, to others."""
    at = draw(st.one_of(st.integers(0, NAMES_AT + 90), st.integers(0, size - 1)))
    to = draw(st.integers(at + 1, min(size, at + 200)))
    some = draw(st.binary(min_size=1, max_size=40))
    huge = draw(st.sampled_from([2**63, 2**64 - 1, 2**40, 2**31])).to_bytes(8, "little")
    return draw(
        st.sampled_from(
            [
                lambda data: data[:at],
                lambda data: (
                    data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :]
                ),
                lambda data: data[:at] + data[to:],
                lambda data: data[:at] + some + data[at:],
                lambda data: data[:at] + some + data[at + len(some) :],
                lambda data: data[:at] + huge + data[at + 8 :],
                lambda data: (
                    data[:at] + data[to : 2 * to - at] + data[at:to] + data[to:]
                ),
                lambda data: data + some,
                lambda data: data[:at] + data[:to],
                lambda data: some,
            ]
        )
    )


@RUNS
@hp.given(choice=st.data(), seals=st.booleans())
def test_any_damage_is_a_warning(entry, choice, seals):
    path, data, _, _ = entry
    damaged = choice.draw(damages(len(data)))(data)
    # With a digest that fits, what reads the rest is on its own. Two things an entry
    # may say as it likes: how long compiling took, and what the digest vouches for.
    if seals:
        rest = damaged[REST_AT:]
        whole = data[REST_AT:]
        seconds = slice(32, 40)
        without = rest[: seconds.start] + rest[seconds.stop :]
        hp.assume(without != whole[: seconds.start] + whole[seconds.stop :])
        damaged = sealed(data, rest)
    hp.assume(damaged != data)
    path.write_bytes(damaged)
    check_ignored(entry)


def test_an_entry_under_another_name_is_not_used(entry):
    path, _, other, _ = entry
    path.write_bytes(other)
    check_ignored(entry, "another program's")


def test_an_entry_of_another_build_is_not_used(entry):
    path, data, _, _ = entry
    rest = bytearray(data[REST_AT:])
    rest[NAMES_AT - REST_AT] ^= 1
    path.write_bytes(sealed(data, bytes(rest)))
    check_ignored(entry, "it was made by")


def test_names_that_are_no_text(entry):
    path, data, _, _ = entry
    rest = bytearray(data[REST_AT:])
    rest[NAMES_AT - REST_AT] = 0xFF
    path.write_bytes(sealed(data, bytes(rest)))
    check_ignored(entry, "it was made by")


def test_a_file_larger_than_memory_is_not_read(entry):
    path, data, _, _ = entry
    path.write_bytes(data)
    os.truncate(path, 1 << 42)
    check_ignored(entry, "bytes and says")


def test_what_is_no_file_is_not_read(entry):
    path = entry[0]
    for make in (path.mkdir, lambda: os.mkfifo(path)):
        remove(path)
        make()
        check_ignored(entry, "it is no file")
    remove(path)
    path.symlink_to("/dev/zero")
    check_ignored(entry, "it is no file")
    remove(path)
    path.symlink_to(path.name)
    check_ignored(entry, "OSError")
    remove(path)


def test_an_unreadable_entry(entry):
    path, data, _, _ = entry
    remove(path)
    path.write_bytes(data)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read every file")
    check_ignored(entry, "PermissionError")


@pytest.fixture
def checked_contents():
    """The names of the cache's events, while entries are compared with what is compiled."""
    events = []

    def listen(name, **_):
        events.append(name.rsplit("/", 1)[1])

    jax.monitoring.register_event_listener(listen)
    compilation_cache.reset_cache()
    with options.compilation_cache_check_contents(True):
        yield events
    jax.monitoring.unregister_event_listener(listen)


def test_an_entry_is_compared_with_what_is_compiled_once(entry, checked_contents):
    path, _, _, answer = entry
    remove(path)
    # What this process writes itself is used at once; what is there is compared first.
    for step in (None, "forget", None, None):
        if step == "forget":
            compilation_cache.reset_cache()
        (found, notes), whole = run(program), path.read_bytes()
        assert (found == answer).all() and not notes and path.read_bytes() == whole
    told = [e for e in checked_contents if e in ("cache_hits", "cache_misses")]
    assert told == ["cache_misses", "cache_hits", "cache_hits"]


def test_an_entry_that_holds_another_program_is_an_error(entry, checked_contents):
    path, data, other, _ = entry

    def split(whole):
        names, size = struct.unpack("<QQ", whole[SIZES_AT:NAMES_AT])
        assert NAMES_AT + names + size == len(whole)
        return whole[REST_AT:SIZES_AT], names, whole[NAMES_AT:-size], whole[-size:]

    facts, names, identity, _ = split(data)
    program_of_other = split(other)[-1]
    sizes = struct.pack("<QQ", names, len(program_of_other))
    remove(path)
    path.write_bytes(sealed(data, facts + sizes + identity + program_of_other))
    with pytest.raises(RuntimeError, match="inconsistency of .jit.program.") as caught:
        run(program)
    assert caught.value.executable_on_disk == program_of_other
    assert caught.value.executable_new not in (program_of_other, b"")
    assert caught.value.cache_key in path.name
    path.write_bytes(data[:-1])
    check_ignored(entry, "bytes and says")
    path.write_bytes(data)
