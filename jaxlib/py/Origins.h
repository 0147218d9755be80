//===- Origins.h - The Python stacks that made arrays -----------*- C++ -*-===//
//
// An array remembers the stack of Python that made it as a number: equal stacks
// are stored once, so that remembering one costs a walk over the interpreter's
// frames and a look into a table. Everything here needs the GIL.
//
//===----------------------------------------------------------------------===//

#ifndef JAXLIB_PY_ORIGINS_H
#define JAXLIB_PY_ORIGINS_H

#include <pybind11/pybind11.h>

#include <cstdint>
#include <vector>

namespace jaxlib {

/// The number of the stack that runs now: its innermost frames. 0 where no
/// Python runs, or where the table is full of stacks that are in use.
uint32_t currentStack();

/// The frames of a stack, innermost first, as tuples of file, function, line
/// and the line where the function begins.
pybind11::list framesOf(uint32_t stack);

/// Gives the function that marks the stacks in use, which the table asks when
/// it is full.
void setStackMarker(void (*mark)(std::vector<bool> &isUsed));

} // namespace jaxlib

#endif // JAXLIB_PY_ORIGINS_H
