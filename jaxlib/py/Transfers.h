//===- Transfers.h - From the host to a device, and between devices -------===//

#ifndef JAXLIB_PY_TRANSFERS_H
#define JAXLIB_PY_TRANSFERS_H

#include "jaxlib/py/Array.h"

#include <string_view>

namespace jaxlib {

/// Uploads a NumPy array as elements of `type`, converting where it has others.
/// Null with an exception set on failure.
BufferPointer uploadNumpy(PyArrayObject *array, xla::ElementType type,
                          Device &device, Memory *memory);

/// Uploads a scalar: `data` points to one element of `type`. Same failures.
BufferPointer uploadScalar(const void *data, xla::ElementType type,
                           Device &device);

/// The memory of `device` of this kind, null for "" (the default one); false
/// with an exception set where it has none.
bool findMemoryKind(Device &device, std::string_view kind, Memory *&memory);

} // namespace jaxlib

#endif // JAXLIB_PY_TRANSFERS_H
