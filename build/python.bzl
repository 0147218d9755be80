"""Rules for our Python tests."""

def pytest_test(name, srcs = None, deps = [], data = [], size = "medium", args = [], devices = None, env = {}, **kwargs):
    """Runs the pytest files `srcs`, NAME.py unless said, as one test, on as many devices of the CPU as `devices` says.

    They see `//jaxlib` and the packages of the lock file.
    """
    srcs = srcs or [name + ".py"]
    if devices:
        env = dict(env, XLA_FLAGS = "--xla_force_host_platform_device_count=%d" % devices)
    native.py_test(
        name = name,
        size = size,
        srcs = srcs + ["//build:pytest_main.py"],
        main = "//build:pytest_main.py",
        args = ["$(rootpath %s)" % src for src in srcs] + args,
        data = data + ["//third_party/python:requirements_lock.txt"],
        env = env,
        deps = deps + ["//tests:support"],
        **kwargs
    )

def jax_test(name, deps = [], **kwargs):
    """A pytest_test that sees `//jax`, too."""
    pytest_test(
        name = name,
        deps = deps + ["//jax"],
        **kwargs
    )

def jax_tests(names):
    """A jax_test of each of the files NAME.py."""
    for name in names:
        jax_test(name = name)

def test_library(name, srcs, **kwargs):
    """A py_library of what tests share; they see it by its path from the repository's root."""
    native.py_library(
        name = name,
        testonly = True,
        srcs = srcs,
        **kwargs
    )
