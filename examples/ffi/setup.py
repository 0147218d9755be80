"""Builds the package with setuptools: python setup.py build_ext --inplace"""

from setuptools import Extension, setup

import jax

setup(
    name="native-functions",
    version="1.0",
    packages=["native_functions"],
    ext_modules=[
        Extension(
            "native_functions.handlers",
            sources=["native_functions/handlers.cpp"],
            include_dirs=[jax.ffi.include_dir()],
            extra_compile_args=["-std=c++17"],
            language="c++",
        )
    ],
)
