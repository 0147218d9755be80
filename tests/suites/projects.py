"""The projects whose own tests are run on our wheels and on upstream's release, and where these tests lie."""

import dataclasses
import pathlib
from collections.abc import Iterable


@dataclasses.dataclass(frozen=True, slots=True)
class Project:
    # The folder of tests: in the environment's packages, or in the unpacked source archive.
    tests: str
    # The package with that source archive; where None, the wheel has the tests.
    archive: str | None = None
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


def _archive(package, tests="tests", settings=(), without=()):
    return Project(tests, package, settings, without)


WHEELS = {
    "optax": Project("optax"),
    "haiku": Project("haiku"),
    "chex": Project("chex"),
    "distrax": Project("distrax"),
}
ARCHIVES = {
    "array-api-extra": _archive("array-api-extra", without=("/vendoring/",)),
    "blackjax": _archive("blackjax"),
    "dm-pix": _archive("dm-pix", "dm_pix"),
    "einops": _archive("einops", "einops", (("EINOPS_TEST_BACKENDS", "numpy,jax"),)),
    "flax": _archive("flax"),
    "flowjax": _archive("flowjax"),
    "interpax": _archive("interpax"),
    "jaxlie": _archive("jaxlie"),
    "jraph": _archive("jraph", "jraph", without=("/ogb_examples/",)),
    "keras": _archive(
        "keras",
        "keras/src",
        (("KERAS_BACKEND", "jax"),),
        without=("/tensorflow/", "/torch/", "/openvino/", "/applications/"),
    ),
    "mctx": _archive("mctx", "mctx"),
    "numpyro": _archive("numpyro", "test"),
    "orthax": _archive("orthax"),
    "penzai": _archive("penzai"),
    "quax": _archive("quax", without=("/benchmark/",)),
    "rlax": _archive("rlax", "rlax"),
    "tinygp": _archive("tinygp", "src"),
    "tree-math": _archive("tree-math", "tree_math"),
}
PROJECTS = WHEELS | ARCHIVES
