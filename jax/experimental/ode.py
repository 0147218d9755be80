"""Initial value problems of ordinary differential equations."""

from jax._src.ode import odeint as odeint
