"""qujax 1.1.0: a circuit of two qubits, its energy and slopes."""

import qujax

import jax
import jax.numpy as jnp

gates = ["H", "Ry", "CZ", "Rx"]
qubits = [[0], [0], [0, 1], [1]]
params = [[], [0], [], [1]]
to_state = qujax.get_params_to_statetensor_func(gates, qubits, params)
angles = jnp.array([0.3, 0.7])
state = to_state(angles)
print(state)
to_exp = qujax.get_statetensor_to_expectation_func(
    [["Z", "Z"], ["X"]], [[0, 1], [0]], [1.0, 0.5]
)
cost = lambda p: to_exp(to_state(p))
print(cost(angles), jax.grad(cost)(angles), jax.jit(jax.hessian(cost))(angles))
dm = qujax.get_params_to_densitytensor_func(gates, qubits, params)
print(dm(angles).shape)
qujax.print_circuit(gates, qubits, params)

# Upstream prints:
#   [[0.14029078+0.j         0.        -0.27533615j]
#    [0.43177068+0.j         0.        -0.8473976j ]]
#   0.769421 [-0.18540767  2.0561996 ] [[-7.5938807  4.693276 ]
#    [ 4.6932764 -4.6932764]]
#   (2, 2, 2, 2)
#   q0: -----H-----Ry[0]-----◯-----------
#                            |
#   q1: ---------------------CZ----Rx[1]-
