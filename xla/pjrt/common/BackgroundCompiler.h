//===- BackgroundCompiler.h - Better code while programs run ----*- C++ -*-===//
//
// One thread of the process, at low priority, which is there while there is
// something to do. A process that ends, or forks, waits for the part of a
// program that is being compiled, some milliseconds of the processor.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_PJRT_COMMON_BACKGROUNDCOMPILER_H
#define XLA_PJRT_COMMON_BACKGROUNDCOMPILER_H

#include <memory>

namespace xla::pjrt {

class CompiledProgram;

/// Optimises the code of a program, unless it is destroyed before. What goes
/// wrong is a line on standard error, and the program stays as it is.
void optimizeInBackground(std::weak_ptr<CompiledProgram> program);

/// Called by each client, so that the main thread's end is known before the
/// first program is optimised.
void expectEndOfProcess();

/// Around a fork, by the forking thread.
void holdBackgroundCompiler();
void releaseBackgroundCompiler();
/// In the child, which has no such thread: programs that waited for it may
/// request it again.
void forgetBackgroundCompiler();

} // namespace xla::pjrt

#endif // XLA_PJRT_COMMON_BACKGROUNDCOMPILER_H
