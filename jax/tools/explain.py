"""A function's program at each stage: python -m jax.tools.explain FILE.py:FUNCTION TYPES…"""

from jax._src.tools.explain import (
    STAGES as STAGES,
    main as main,
    run_as_program as _run_as_program,
    stages as stages,
)

if __name__ == "__main__":
    _run_as_program()
