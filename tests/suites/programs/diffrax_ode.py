"""diffrax 0.7.2: solves Lotka and Volterra's, a stiff and a stochastic equation."""

import diffrax as dfx

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def vector_field(t, y, args):
    prey, predator = y
    a, b, c, d = args
    return a * prey - b * prey * predator, -c * predator + d * prey * predator


@jax.jit
def solve(args):
    return dfx.diffeqsolve(
        dfx.ODETerm(vector_field),
        dfx.Tsit5(),
        0.0,
        20.0,
        0.1,
        (10.0, 10.0),
        args=args,
        saveat=dfx.SaveAt(ts=jnp.linspace(0, 20, 5)),
        stepsize_controller=dfx.PIDController(rtol=1e-6, atol=1e-6),
    )


sol = solve((0.1, 0.02, 0.4, 0.02))
print(sol.ys[0], sol.stats["num_steps"], sol.result)
print(jax.grad(lambda a: solve((a, 0.02, 0.4, 0.02)).ys[1][-1])(0.1))
stiff = dfx.diffeqsolve(
    dfx.ODETerm(lambda t, y, _: -50.0 * (y - jnp.cos(t))),
    dfx.Kvaerno3(),
    0,
    1.5,
    None,
    jnp.array([0.0]),
    stepsize_controller=dfx.PIDController(rtol=1e-5, atol=1e-7),
)
print(stiff.ys, stiff.stats["num_accepted_steps"])
brownian = dfx.VirtualBrownianTree(
    0.0, 1.0, tol=1e-3, shape=(), key=jax.random.PRNGKey(0)
)
sde = dfx.MultiTerm(
    dfx.ODETerm(lambda t, y, _: -y), dfx.ControlTerm(lambda t, y, _: 0.1 * t, brownian)
)
print(
    dfx.diffeqsolve(
        sde, dfx.Euler(), 0.0, 1.0, dt0=0.05, y0=1.0, saveat=dfx.SaveAt(t1=True)
    ).ys
)

# Upstream prints:
#   [10.          8.95342782 12.00799947 18.04879695 27.53401643] 15 diffrax._solution.RESULTS<>
#   52.749178207317385
#   [[0.09065104]] 100
#   [0.3708204]
