"""Programs whose profiles and reports tests look into: steps of two of the examples."""

import contextlib
import functools
import importlib.util
import pathlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import jax
import jax.numpy as jnp

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


class Program(NamedTuple):
    """A step, what it is applied to, and the mesh that is in use around it."""

    step: Callable
    args: tuple[Any, ...]
    # Arguments of the next step: some of the results take the place of the first ones.
    following: Callable
    around: Callable[[], contextlib.AbstractContextManager]
    devices: int

    def costs(self) -> dict:
        """What the compiler says that a step costs on each device."""
        with self.around():
            return self.step.lower(*self.args).compile().cost_analysis()

    def run(self, count: int) -> None:
        """Runs some steps, each of them marked."""
        args = self.args
        with self.around():
            for number in range(count):
                with jax.profiler.StepTraceAnnotation("train", step_num=number):
                    results = jax.block_until_ready(self.step(*args))
                args = self.following(args, results)


@functools.cache
def example(name: str) -> Any:
    """The module of an example."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _replace_state(args, results):
    return (results[0], *args[1:])


def digits() -> Program:
    """A step of learning digits."""
    module = example("digits_classifier")
    keys = jax.random.split(jax.random.key(0), 3)
    learned, _ = module.load_digits(keys[0])
    batch = [x[: module.BATCH] for x in learned]
    args = (module.init_state(keys[1]), *batch, keys[2], 1e-3)
    return Program(module.learn, args, _replace_state, contextlib.nullcontext, 1)


def transformer(data: int = 1, model: int = 1) -> Program:
    """A step of the transformer, on a mesh of devices."""
    module = example("text_transformer")
    trainer = module.Trainer({"data": data, "model": model})
    step = jax.jit(
        module.learn,
        in_shardings=(trainer.shardings, jax.NamedSharding(trainer.mesh, jax.P("data")),
                      jax.NamedSharding(trainer.mesh, jax.P())),
    )  # fmt: skip
    rows = np.arange(module.BATCH * (module.LENGTH + 1)) % module.SYMBOLS
    rows = jnp.asarray(rows.reshape(module.BATCH, -1), jnp.int32)
    args = trainer.start(0), rows, 1e-3
    around = functools.partial(jax.set_mesh, trainer.mesh)
    return Program(step, args, _replace_state, around, data * model)


def eight_devices() -> Program:
    """A step of the transformer that eight devices share."""
    return transformer(data=4, model=2)


PROGRAMS = {
    "digits": digits,
    "transformer": transformer,
    "eight_devices": eight_devices,
}
