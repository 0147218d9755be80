"""A pytest plugin, `-p tests.accelerators.every --every N`: each N-th test, for a look within minutes."""


def pytest_addoption(parser):
    """Adds the option."""
    parser.addoption("--every", type=int, default=1, help="run only each N-th test")


def pytest_collection_modifyitems(config, items):
    """Leaves the others out, and says so."""
    kept = items[:: max(1, config.getoption("--every"))]
    left = set(items) - set(kept)
    config.hook.pytest_deselected(items=[item for item in items if item in left])
    items[:] = kept
