"""Re-exports what makes results of programs, under the name that third-party libraries import."""

from jax._src.compat.results import (
    ResultsHandler as ResultsHandler,
    global_aval_to_result_handler as global_aval_to_result_handler,
    global_avals_to_results_handler as global_avals_to_results_handler,
    global_result_handlers as global_result_handlers,
)
