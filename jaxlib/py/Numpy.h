//===- Numpy.h - Python's and NumPy's C interface ---------------*- C++ -*-===//
//
// Includes both the same way in every file: NumPy's function table is one for
// the whole extension, filled by Dtypes.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef JAXLIB_PY_NUMPY_H
#define JAXLIB_PY_NUMPY_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL jaxlibNumpyTable
#ifndef JAXLIB_FILLS_NUMPY_TABLE
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#endif // JAXLIB_PY_NUMPY_H
