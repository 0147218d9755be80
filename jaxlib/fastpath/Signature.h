//===- Signature.h - By what a call is recognised ---------------*- C++ -*-===//

#ifndef JAXLIB_FASTPATH_SIGNATURE_H
#define JAXLIB_FASTPATH_SIGNATURE_H

#include "jaxlib/fastpath/Context.h"
#include "jaxlib/fastpath/Leaves.h"

#include "jaxlib/pytree/PyTree.h"

#include <optional>

namespace jaxlib {

/// Which arguments are static. Negative positions count from a call's last.
struct StaticArguments {
  std::vector<Py_ssize_t> positions;
  Reference names; ///< a frozenset of str

  bool hasPosition(size_t position, size_t count) const;
};

/// The part of an argument that is not its leaves: nothing for a plain leaf.
using ArgumentTree = std::optional<pytree::TreeDef>;

/// The signature of one call. Owns what it points to once it is stored.
struct Signature {
  CallConfig config;
  size_t positionalCount = 0;
  std::vector<Reference> names;    ///< of the keyword arguments, sorted
  std::vector<ArgumentTree> trees; ///< empty where all are plain leaves
  std::vector<Reference> statics;
  std::vector<LeafKey> leaves;
  size_t hash = 0;

  /// Fills `hash`; false with an exception set.
  bool computeHash();

  /// 1, 0, or -1 with an exception set.
  int equals(const Signature &other) const;
};

enum class SignatureResult {
  Known,   ///< the signature is complete
  Foreign, ///< some argument is Python's to handle
  Error,   ///< an exception is set
};

/// Takes a call apart. `leafObjects` get the dynamic leaves, in the order in
/// which (args, kwargs) flattens.
SignatureResult makeSignature(const StaticArguments &statics,
                              PyObject *const *arguments,
                              size_t positionalCount, PyObject *names,
                              Signature &signature,
                              std::vector<Reference> &leafObjects);

} // namespace jaxlib

#endif // JAXLIB_FASTPATH_SIGNATURE_H
