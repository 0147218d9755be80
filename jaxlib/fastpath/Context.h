//===- Context.h - What a call depends on besides its arguments -*- C++ -*-===//
//
// The current trace and the configuration, as the front end keeps them in
// context variables. All of it needs the GIL.
//
//===----------------------------------------------------------------------===//

#ifndef JAXLIB_FASTPATH_CONTEXT_H
#define JAXLIB_FASTPATH_CONTEXT_H

#include "jaxlib/py/Reference.h"

#include <pybind11/pybind11.h>

namespace jaxlib {

/// The configuration that counts in this context.
struct CallConfig {
  /// Stands for all equal keys: compare the pointer. Lives for ever.
  PyObject *key = nullptr;
  bool isX64 = false;
  /// Functions that would be inlined while tracing are called.
  bool keepsCalls = false;
};

/// The bits by which the front end distinguishes the last two.
enum ConfigFlags : int { IsX64 = 1, KeepsCalls = 2 };

/// 1 while a transformation traces in this context, 0 while not, -1 with an
/// exception set.
int isTracing();

/// Reads the configuration; false with an exception set.
bool readConfig(CallConfig &config);

/// Lets the front end change the traceback of the error that is set.
void filterError();

/// Adds the functions by which the front end installs all this.
void registerContext(pybind11::module_ &module);

} // namespace jaxlib

#endif // JAXLIB_FASTPATH_CONTEXT_H
