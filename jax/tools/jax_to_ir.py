"""A function's program in a file: python -m jax.tools.jax_to_ir --fn=module.name …"""

from jax._src.tools.to_ir import (
    jax2tf as jax2tf,
    jax_to_hlo as jax_to_hlo,
    jax_to_ir as jax_to_ir,
    jax_to_tf as jax_to_tf,
    main as main,
    parse_shape_str as parse_shape_str,
    run_as_program as _run_as_program,
    set_up_flags as set_up_flags,
    tf as tf,
    tf_wrap_with_input_names as tf_wrap_with_input_names,
)

if __name__ == "__main__":
    _run_as_program()
