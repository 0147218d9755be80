"""Initial value problems of ordinary differential equations."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.ode.solve import odeint as odeint
from jax._src.ode.steps import (
    abs2 as abs2,
    fit_4th_order_polynomial as fit_4th_order_polynomial,
    initial_step_size as initial_step_size,
    interp_fit_dopri as interp_fit_dopri,
    mean_error_ratio as mean_error_ratio,
    optimal_step_size as optimal_step_size,
    ravel_first_arg as ravel_first_arg,
    ravel_first_arg_ as ravel_first_arg_,
    runge_kutta_step as runge_kutta_step,
)

_doc_examples.attach(__name__)
