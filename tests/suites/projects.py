"""The projects whose own tests are run on our wheels and on upstream's release, and the folders of these tests."""

import dataclasses
import pathlib
from collections.abc import Iterable


@dataclasses.dataclass(frozen=True, slots=True)
class Project:
    # The folder of tests, in the source archive of the package with the project's name.
    tests: str = "tests"
    # Or they are in the project's wheel, and so in the environment's packages.
    in_wheel: bool = False
    # Environment variables.
    settings: tuple[tuple[str, str], ...] = ()
    # Parts of paths whose tests are of other backends, or need what no package registry has.
    without: tuple[str, ...] = ()

    def files(self, root: pathlib.Path) -> Iterable[pathlib.Path]:
        """The files of tests, relative to `root`, in order."""
        found = {
            file.relative_to(root)
            for pattern in ("*_test.py", "test_*.py")
            for file in (root / self.tests).rglob(pattern)
        }
        return sorted(
            f for f in found if not any(part in f"/{f}" for part in self.without)
        )


WHEELS = {
    "optax": Project("optax", in_wheel=True),
    "haiku": Project("haiku", in_wheel=True),
    "chex": Project("chex", in_wheel=True),
    "distrax": Project("distrax", in_wheel=True),
}
ARCHIVES = {
    "array-api-extra": Project(without=("/vendoring/",)),
    "blackjax": Project(),
    "dm-pix": Project("dm_pix"),
    "einops": Project("einops", settings=(("EINOPS_TEST_BACKENDS", "numpy,jax"),)),
    "flax": Project(),
    "flowjax": Project(),
    "interpax": Project(),
    "jaxlie": Project(),
    "jraph": Project("jraph", without=("/ogb_examples/",)),
    "keras": Project(
        "keras/src",
        settings=(("KERAS_BACKEND", "jax"),),
        without=("/tensorflow/", "/torch/", "/openvino/", "/applications/"),
    ),
    "mctx": Project("mctx"),
    "numpyro": Project("test"),
    "orthax": Project(),
    "penzai": Project(),
    "quax": Project(without=("/benchmark/",)),
    "rlax": Project("rlax"),
    "tinygp": Project(),
    "tree-math": Project("tree_math"),
}
PROJECTS = WHEELS | ARCHIVES
