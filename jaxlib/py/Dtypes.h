//===- Dtypes.h - NumPy's dtypes and ours -----------------------*- C++ -*-===//

#ifndef JAXLIB_PY_DTYPES_H
#define JAXLIB_PY_DTYPES_H

#include "jaxlib/py/Numpy.h"

#include "xla/support/Shape.h"

namespace jaxlib {

/// Fills NumPy's function table and the tables below; throws on failure.
void initialiseDtypes();

/// The element type of a native-endian dtype, Invalid where we have none.
xla::ElementType elementType(const PyArray_Descr *dtype);

/// The dtype object (borrowed), or null where NumPy has none.
PyArray_Descr *dtypeOf(xla::ElementType type);

/// What a dtype becomes where 64-bit types are switched off.
xla::ElementType withoutX64(xla::ElementType type);

/// Takes a dtype, or what NumPy turns into one; Invalid with an exception set
/// where it is none of ours.
xla::ElementType parseDtype(PyObject *object);

} // namespace jaxlib

#endif // JAXLIB_PY_DTYPES_H
