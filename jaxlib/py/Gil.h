//===- Gil.h - Without and with the interpreter's lock ----------*- C++ -*-===//
//
// A thread that wants the lock back while Python exits is ended by CPython, by
// unwinding its stack; through C++ that ends the whole process with an abort.
// Such a thread stops here instead, and the process exits around it.
//
//===----------------------------------------------------------------------===//

#ifndef JAXLIB_PY_GIL_H
#define JAXLIB_PY_GIL_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cxxabi.h>
#include <unistd.h>

namespace jaxlib {

/// Calls a function of CPython that takes the lock.
template <typename Function>
auto takeGil(Function function) noexcept {
  try {
    return function();
  } catch (abi::__forced_unwind &) {
    for (;;) {
      pause();
    }
  }
}

/// Lets other threads run Python while it lives.
class GilRelease {
public:
  GilRelease() : state(PyEval_SaveThread()) {}
  ~GilRelease() {
    takeGil([&] { PyEval_RestoreThread(state); });
  }
  GilRelease(const GilRelease &) = delete;
  GilRelease &operator=(const GilRelease &) = delete;

private:
  PyThreadState *state;
};

/// Holds the lock, on whichever thread.
class GilHold {
public:
  GilHold() : state(takeGil([] { return PyGILState_Ensure(); })) {}
  ~GilHold() { PyGILState_Release(state); }
  GilHold(const GilHold &) = delete;
  GilHold &operator=(const GilHold &) = delete;

private:
  PyGILState_STATE state;
};

} // namespace jaxlib

#endif // JAXLIB_PY_GIL_H
