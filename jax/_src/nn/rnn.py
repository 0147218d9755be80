"""Long short-term memories whose weights are one vector, as cuDNN's do.

Gates: S. Hochreiter, J. Schmidhuber, "Long short-term memory", 1997, with forget gates, in
the order input, forget, cell, output. The vector holds first all matrices, then all biases:
for each layer and direction the matrices of the input and of the state, and two biases.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from jax._src.base import errors, traceback_filter
from jax._src.lax.control_flow.scans import scan
from jax._src.lax.ops.precision import Precision
from jax._src.nn import activations
from jax._src.numpy import numpy_api as jnp
from jax._src.random import uniform_normal

Array = Any
sigmoid = activations.sigmoid
tanh = jnp.tanh


def _parts(
    input_size: int, hidden_size: int, num_layers: int, bidirectional: bool
) -> Iterator[tuple[int, str, tuple[int, ...]]]:
    """(number of the layer and direction, name, shape) of all parts, in order."""
    directions = 2 if bidirectional else 1
    gates = 4 * hidden_size
    for number in range(num_layers * directions):
        fed = input_size if number < directions else hidden_size * directions
        yield number, "W_ih", (gates, fed)
        yield number, "W_hh", (gates, hidden_size)
    for number in range(num_layers * directions):
        yield number, "b_ih", (gates,)
        yield number, "b_hh", (gates,)


def get_num_params_in_lstm(
    input_size: int, hidden_size: int, num_layers: int, bidirectional: bool
) -> int:
    """The length of the vector of weights.

    Args:
        input_size: the size of the input's last axis.
        hidden_size: the size of the state.
        num_layers: the number of layers.
        bidirectional: whether each layer also runs backwards.
    """
    parts = _parts(input_size, hidden_size, num_layers, bidirectional)
    return sum(int(np.prod(shape)) for _, _, shape in parts)


def init_lstm_weight(
    rng: Array,
    input_size: int,
    hidden_size: int,
    num_layers: int,
    bidirectional: bool,
) -> Array:
    """A vector of weights between -1 and 1 over the root of `hidden_size`.

    Args:
        rng: a key.
        input_size: the size of the input's last axis.
        hidden_size: the size of the state.
        num_layers: the number of layers.
        bidirectional: whether each layer also runs backwards.

    Returns:
        Vector of f32.
    """
    count = get_num_params_in_lstm(input_size, hidden_size, num_layers, bidirectional)
    bound = np.sqrt(1.0 / hidden_size)
    return uniform_normal.uniform(
        rng, (count,), np.float32, minval=-bound, maxval=bound
    )


def unpack_lstm_weights(
    weights: Array,
    input_size: int,
    hidden_size: int,
    num_layers: int,
    bidirectional: bool,
) -> tuple[dict, dict, dict, dict]:
    """The parts of a vector of weights, by the number of layer and direction.

    Args:
        weights: the vector.
        input_size: the size of the input's last axis.
        hidden_size: the size of the state.
        num_layers: the number of layers.
        bidirectional: whether each layer also runs backwards; then forwards and backwards
            have numbers of their own, one after the other.

    Returns:
        Four dictionaries: matrices of the input ``(4 hidden, fed)``, matrices of the state
        ``(4 hidden, hidden)``, and the two biases ``(4 hidden,)``.
    """
    found: dict[str, dict] = {"W_ih": {}, "W_hh": {}, "b_ih": {}, "b_hh": {}}
    start = 0
    for number, name, shape in _parts(
        input_size, hidden_size, num_layers, bidirectional
    ):
        stop = start + int(np.prod(shape))
        found[name][number] = weights[start:stop].reshape(shape)
        start = stop
    return found["W_ih"], found["W_hh"], found["b_ih"], found["b_hh"]


def swap_lstm_gates(
    weights: Array,
    input_size: int,
    hidden_size: int,
    num_layers: int,
    bidirectional: bool,
) -> Array:
    """Weights whose third and fourth gate are swapped, as other libraries order them.

    The arguments are those of `unpack_lstm_weights`.
    """
    start, pieces = 0, []
    for _, _, shape in _parts(input_size, hidden_size, num_layers, bidirectional):
        stop = start + int(np.prod(shape))
        first, second, third, fourth = jnp.split(weights[start:stop], 4)
        pieces += [first, second, fourth, third]
        start = stop
    return jnp.concatenate(pieces)


def _cell(W_ih, W_hh, b_ih, b_hh):
    def step(state, row):
        hidden, cell = state
        x, is_there = row
        gates = x @ W_ih.T + b_ih[None, :] + hidden @ W_hh.T + b_hh[None, :]
        enters, stays, new, leaves = jnp.split(gates, 4, axis=-1)
        after = sigmoid(stays) * cell + sigmoid(enters) * tanh(new)
        shown = sigmoid(leaves) * tanh(after)
        # After the end of a sequence its state stays.
        kept = is_there[:, None]
        state = jnp.where(kept, shown, hidden), jnp.where(kept, after, cell)
        return state, jnp.where(kept, shown, 0)

    return step


def lstm_ref(
    x: Array,
    h_0: Array,
    c_0: Array,
    W_ih: dict,
    W_hh: dict,
    b_ih: dict,
    b_hh: dict,
    seq_lengths: Array,
    input_size: int,
    hidden_size: int,
    num_layers: int,
    dropout: float,
    bidirectional: bool,
) -> tuple[Array, Array, Array]:
    """A long short-term memory, step by step.

    Args:
        x: the sequences, ``(batch, steps, input_size)``.
        h_0: the first states, ``(layers and directions, batch, hidden_size)``.
        c_0: the first cells, of the same shape.
        W_ih: matrices of the input, by layer and direction.
        W_hh: matrices of the state.
        b_ih: biases.
        b_hh: more biases.
        seq_lengths: how many steps of each sequence count, ``(batch,)``.
        input_size: the size of the input's last axis.
        hidden_size: the size of the state.
        num_layers: the number of layers.
        dropout: must be 0.
        bidirectional: whether each layer also runs backwards.

    Returns:
        The states of the last layer, ``(batch, steps, directions * hidden_size)``; the last
        states and the last cells, of the shape of `h_0`.

    Raises:
        NotImplementedError: `dropout` is not 0.
    """
    if dropout:
        raise NotImplementedError(
            "lstm_ref: dropout between layers is not implemented; pass dropout=0."
        )
    directions = 2 if bidirectional else 1
    steps = jnp.arange(x.shape[1])
    rows = jnp.swapaxes(x, 0, 1)
    there = steps[:, None] < jnp.asarray(seq_lengths)[None, :]
    hidden, cells = [], []
    for layer in range(num_layers):
        outputs = []
        for direction in range(directions):
            n = layer * directions + direction
            (last, cell), shown = scan(
                _cell(W_ih[n], W_hh[n], b_ih[n], b_hh[n]),
                (h_0[n], c_0[n]),
                (rows, there),
                reverse=bool(direction),
            )
            hidden.append(last)
            cells.append(cell)
            outputs.append(shown)
        rows = jnp.concatenate(outputs, axis=-1)
    return jnp.swapaxes(rows, 0, 1), jnp.stack(hidden), jnp.stack(cells)


def lstm(
    x: Array,
    h_0: Array,
    c_0: Array,
    weights: Array,
    seq_lengths: Array,
    input_size: int,
    hidden_size: int,
    num_layers: int,
    dropout: float,
    bidirectional: bool,
    precision: Any = None,
) -> tuple[Array, Array, Array]:
    """A long short-term memory with its weights in one vector.

    It is computed step by step on every platform; there is no call of cuDNN.

    Args:
        x: the sequences, ``(batch, steps, input_size)``.
        h_0: the first states, ``(layers and directions, batch, hidden_size)``.
        c_0: the first cells, of the same shape.
        weights: the vector; see `unpack_lstm_weights`.
        seq_lengths: int32, how many steps of each sequence count, ``(batch,)``.
        input_size: the size of the input's last axis.
        hidden_size: the size of the state.
        num_layers: the number of layers.
        dropout: must be 0.
        bidirectional: whether each layer also runs backwards.
        precision: of products: None, HIGH or HIGHEST.

    Returns:
        What `lstm_ref` returns.

    Raises:
        NotImplementedError: the lengths are not int32, the precision is DEFAULT, or
            `dropout` is not 0.
    """
    if jnp.asarray(seq_lengths).dtype != np.int32:
        raise errors.not_implemented(
            "rnn.lstm: the lengths of sequences are not int32.",
            [("seq_lengths", str(jnp.asarray(seq_lengths).dtype))],
            ways="seq_lengths.astype(jnp.int32)",
        )
    if precision is not None and Precision(precision) is Precision.DEFAULT:
        raise NotImplementedError(
            "rnn.lstm: precision DEFAULT is not offered; pass None, HIGH or HIGHEST."
        )
    sizes = (input_size, hidden_size, num_layers)
    parts = unpack_lstm_weights(weights, *sizes, bidirectional)
    return lstm_ref(x, h_0, c_0, *parts, seq_lengths, *sizes, dropout, bidirectional)


traceback_filter.hide_frames(globals())
