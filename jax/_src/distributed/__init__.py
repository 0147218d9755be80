"""Programs of several processes: `initialize` and its implementation.

`import jax` loads the state alone; gRPC comes with the first `initialize`.
"""

from jax._src.distributed.initialization import State as State
from jax._src.distributed.initialization import global_state as global_state
from jax._src.distributed.initialization import initialize as initialize
from jax._src.distributed.initialization import is_initialized as is_initialized
from jax._src.distributed.initialization import shutdown as shutdown
