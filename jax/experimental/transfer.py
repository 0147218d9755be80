"""Arrays handed over by number, inside of one process."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.callbacks.transfer import (
    TransferConnection as TransferConnection,
    TransferServer as TransferServer,
    make_error_array as make_error_array,
    start_transfer_server as start_transfer_server,
)

_doc_examples.attach(__name__)
