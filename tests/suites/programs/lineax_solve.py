"""lineax 0.1.1: solves linear systems of several kinds."""

import lineax as lx

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
matrix = jax.random.normal(jax.random.PRNGKey(0), (5, 5))
vector = jax.random.normal(jax.random.PRNGKey(1), (5,))
operator = lx.MatrixLinearOperator(matrix)
solution = lx.linear_solve(operator, vector)
print(solution.value, solution.result)
spd = lx.MatrixLinearOperator(matrix @ matrix.T, lx.positive_semidefinite_tag)
print(lx.linear_solve(spd, vector, lx.CG(rtol=1e-10, atol=1e-10)).value)
tall = lx.MatrixLinearOperator(jax.random.normal(jax.random.PRNGKey(2), (6, 3)))
print(lx.linear_solve(tall, jnp.ones(6), lx.QR()).value)
print(lx.linear_solve(operator, vector, lx.GMRES(rtol=1e-8, atol=1e-8)).value)
print(
    jax.grad(
        lambda d: lx.linear_solve(
            lx.TridiagonalLinearOperator(d, jnp.ones(4), jnp.ones(4)), jnp.ones(5)
        ).value.sum()
    )(jnp.full(5, 4.0))
)
print(
    lx.linear_solve(
        lx.MatrixLinearOperator(jnp.zeros((2, 2))), jnp.ones(2), throw=False
    ).result
)

# Upstream prints:
#   [-3.96432893 -0.85266748 -1.62442663  1.42144211  0.16861499] lineax._solution.RESULTS<>
#   [-12.95001674   6.55623433   3.35777821  33.85533732  31.73528776]
#   [ 0.16884065 -0.33506599 -0.38741996]
#   [-3.96432893 -0.85266748 -1.62442663  1.42144211  0.16861499]
#   [-0.04474852 -0.02366864 -0.02995562 -0.02366864 -0.04474852]
#   lineax._solution.RESULTS<A linear solver returned non-finite (NaN or inf) output. This usually means that an
#   operator was not well-posed, and that its solver does not support this.
#
#   If you are trying solve a linear least-squares problem then you should pass
#   `solver=AutoLinearSolver(well_posed=False)`. By default `lineax.linear_solve`
#   assumes that the operator is square and nonsingular.
#
#   If you *were* expecting this solver to work with this operator, then it may be because:
#
#   (a) the operator is singular, and your code has a bug; or
#
#   (b) the operator was nearly singular (i.e. it had a high condition number:
#       `jnp.linalg.cond(operator.as_matrix())` is large), and the solver suffered from
#       numerical instability issues; or
#
#   (c) the operator is declared to exhibit a certain property (e.g. positive definiteness)
#       that is does not actually satisfy.>
