"""diffrax 0.7.2: finds when a ball hits the floor."""

import diffrax as dfx
import optimistix as optx

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def bounce(y0):
    event = dfx.Event(
        lambda t, y, args, **kwargs: y[0], optx.Newton(1e-8, 1e-8), direction=False
    )
    sol = dfx.diffeqsolve(
        dfx.ODETerm(lambda t, y, args: jnp.array([y[1], -9.81])),
        dfx.Tsit5(),
        0.0,
        jnp.inf,
        0.1,
        jnp.array([y0, 0.0]),
        event=event,
        max_steps=1000,
        saveat=dfx.SaveAt(t1=True, dense=False),
    )
    return sol.ts[0], sol.ys[0], sol.event_mask


t, y, mask = bounce(10.0)
print(t, y, mask)
print(jax.grad(lambda y0: bounce(y0)[0])(10.0), (2 * 9.81 * 10.0) ** -0.5)
steady = dfx.diffeqsolve(
    dfx.ODETerm(lambda t, y, args: 1.0 - y),
    dfx.Dopri5(),
    0.0,
    jnp.inf,
    0.1,
    3.0,
    event=dfx.Event(dfx.steady_state_event(rtol=1e-4, atol=1e-4)),
    stepsize_controller=dfx.PIDController(1e-6, 1e-6),
)
print(steady.ys, steady.result)

# Upstream prints:
#   1.427843122927065 [-1.11022302e-16 -1.40071410e+01] True
#   0.07139215614635325 0.07139215614635322
#   [1.00008619] diffrax._solution.RESULTS<Terminating differential equation solve because an event occurred.>
