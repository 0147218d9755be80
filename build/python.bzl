"""Rules for our Python tests."""

def pytest_test(name, srcs, deps = [], data = [], size = "medium", args = [], **kwargs):
    """Runs the pytest files `srcs` as one test. They see `//jax`, `//jaxlib` and the packages of the lock file."""
    native.py_test(
        name = name,
        size = size,
        srcs = srcs + ["//build:pytest_main.py"],
        main = "//build:pytest_main.py",
        args = ["$(rootpath %s)" % src for src in srcs] + args,
        data = data + ["//third_party/python:requirements_lock.txt"],
        deps = deps + ["//tests:support"],
        **kwargs
    )
