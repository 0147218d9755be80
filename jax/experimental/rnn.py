"""Long short-term memories whose weights are one vector."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.nn.rnn import (
    get_num_params_in_lstm as get_num_params_in_lstm,
    init_lstm_weight as init_lstm_weight,
    lstm as lstm,
    lstm_ref as lstm_ref,
    sigmoid as sigmoid,
    swap_lstm_gates as swap_lstm_gates,
    tanh as tanh,
    unpack_lstm_weights as unpack_lstm_weights,
)
from jax._src.random.key_arrays import PRNGKeyArray as PRNGKeyArray

_doc_examples.attach(__name__)
