//===- Leaves.h - Arguments as executables take them ------------*- C++ -*-===//

#ifndef JAXLIB_FASTPATH_LEAVES_H
#define JAXLIB_FASTPATH_LEAVES_H

#include "jaxlib/py/Transfers.h"

namespace jaxlib {

/// What of a leaf belongs to a call's signature. Pointers compare.
struct LeafKey {
  FactsReference facts;
  PyObject *shardingKey = nullptr; ///< null: a value of the host's
  bool isCommitted = false;
  /// What the value is, where `facts` are those of an array that replaces it.
  /// For arrays of a dtype that NumPy does not know, such as that of random
  /// keys: that dtype. For arrays that are not in row-major order: their order.
  PyObject *alias = nullptr;

  bool operator==(const LeafKey &other) const {
    return facts.get() == other.facts.get() &&
           shardingKey == other.shardingKey &&
           isCommitted == other.isCommitted && alias == other.alias;
  }
};

enum class LeafKind {
  Value,   ///< an array, a NumPy array or a scalar
  Foreign, ///< something else: Python must decide
  Error,   ///< an exception is set
};

/// Says what `leaf` is, and fills `key` for a value. An array of an extended
/// dtype is replaced by the array behind it, one that is not in row-major
/// order by its copy that does.
LeafKind classifyLeaf(Reference &leaf, bool isX64, LeafKey &key);

/// The value of the host's, as an element or elements of `facts`' type, on
/// `device`. `mayShare`: nobody will donate it, so that equal scalars may be
/// one buffer. Null with an exception set; OverflowError where an int does not
/// fit.
BufferPointer uploadLeaf(PyObject *leaf, const AvalFacts &facts, Device &device,
                         bool mayShare);

/// Forgets the shared scalars.
void clearScalars();

/// Adds the function by which classes of extended arrays are made known.
void registerLeaves(pybind11::module_ &module);

} // namespace jaxlib

#endif // JAXLIB_FASTPATH_LEAVES_H
