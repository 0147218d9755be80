"""evosax 0.3.2: minimises a sphere by two strategies."""

from evosax.algorithms import CMA_ES, Open_ES

import jax
import jax.numpy as jnp

solution = jnp.ones(3) * 2


def sphere(population):
    return jnp.sum(population**2, 1)


for cls in (CMA_ES, Open_ES):
    es = cls(population_size=16, solution=solution)
    params = es.default_params
    key = jax.random.key(0)
    state = es.init(key, solution, params)
    for _ in range(15):
        key, first, second = jax.random.split(key, 3)
        population, state = es.ask(first, state, params)
        state, metrics = es.tell(second, population, sphere(population), state, params)
    print(cls.__name__, metrics["best_fitness"].round(3), state.best_solution.round(2))

# Upstream prints:
#   CMA_ES 0.016 [ 0.09999999 -0.07       -0.03      ]
#   Open_ES 1.891 [1.04 0.04 0.89]
