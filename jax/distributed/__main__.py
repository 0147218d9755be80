"""``python -m jax.distributed``: starts the processes of a job on this machine."""

import sys

from jax._src.distributed.launcher import main

if __name__ == "__main__":
    sys.exit(main())
