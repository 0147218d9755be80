//===- Compile.h - From the text of a program to its executable -*- C++ -*-===//
//
// The compiler as the PJRT plugin sees it: one call.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_PIPELINE_COMPILE_H
#define XLA_PIPELINE_COMPILE_H

#include "xla/runtime/OptimizableProgram.h"
#include "xla/support/Status.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace xla {

enum class Backend {
  Native,    ///< machine code by LLVM
  Reference, ///< the interpreter: slow, obviously right
};

struct CompileOptions {
  Backend backend = Backend::Native;
  int64_t replicas = 1; ///< processes that run the program at once

  /// Devices that run the program together, each a part of it; every one of
  /// them calls `AbstractProgram::run` once in a launch, with a launch group.
  int64_t partitions = 1;
  /// Whether the program is that of all of them, to be divided; else it is
  /// that of one already, with collectives in it.
  bool isToBeDivided = true;
  /// Per argument and result of the whole program, of which the last stands for
  /// those behind it: whether the compiler chooses its sharding.
  std::vector<bool> choosesArguments, choosesResults;
  /// Whether runs record what each operation takes: `RunContext::record`.
  bool recordsOperations = false;
  Tier tier = Tier::Best; ///< of machine code
};

/// Compiles a StableHLO module, given as text or as MLIR bytecode, whose entry
/// is the public function `main`. Never aborts on bad input: a program that
/// cannot be parsed or verified is InvalidArgument, with the source
/// location and the rule; an operation that this compiler lacks is
/// Unimplemented, with its name and types. Safe to call from several threads at
/// once.
StatusOr<std::unique_ptr<AbstractProgram>>
compileProgram(std::string_view module, const CompileOptions &options);

/// What people read of a program.
struct ProgramDescription {
  std::string text; ///< MLIR, after optimisation
  /// What a run computes and sends, by source line: JSON, described in
  /// docs/internals/reports.md. Empty for the interpreter.
  std::string report;
};

/// Lowers and optimises the module again: of a program that compiles, this is
/// what it was compiled from.
StatusOr<ProgramDescription> describeProgram(std::string_view module,
                                             const CompileOptions &options);

/// The program of which `image()` made these bytes. FailedPrecondition where
/// another build of the compiler made them, or for another kind of processor.
/// Images are code: load only those that this user's own processes wrote.
StatusOr<std::unique_ptr<AbstractProgram>> loadProgram(std::string_view image);

/// Names this build of the compiler and the kind of processor that it makes
/// code for; empty where the build has no name, and then there are no images.
const std::string &codeIdentity();

} // namespace xla

#endif // XLA_PIPELINE_COMPILE_H
