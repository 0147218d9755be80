//===- Interface.h - By what jax knows this build ---------------*- C++ -*-===//
//
// jax compares these with its own before it calls anything native.
//
//===----------------------------------------------------------------------===//

#ifndef JAXLIB_PY_INTERFACE_H
#define JAXLIB_PY_INTERFACE_H

namespace jaxlib {

inline constexpr const char *nativeVersion = "0.11.0";

/// Counts changes to what `_native` offers to jax. jaxlib/version.py says the
/// same number; a test compares them.
inline constexpr int nativeInterface = 1;

/// The digest of all native sources.
inline constexpr const char *buildIdentity =
#include "jaxlib/py/BuildIdentity.inc"
    ;

} // namespace jaxlib

#endif // JAXLIB_PY_INTERFACE_H
