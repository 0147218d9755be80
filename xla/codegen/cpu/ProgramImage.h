//===- ProgramImage.h - A compiled program as bytes -------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_PROGRAMIMAGE_H
#define XLA_CODEGEN_CPU_PROGRAMIMAGE_H

#include "xla/analysis/Costs.h"
#include "xla/runtime/Program.h"
#include "xla/support/Status.h"

#include <string>
#include <string_view>
#include <vector>

namespace xla::cpu {

/// All that a program needs to run, apart from what it links against.
struct ProgramImage {
  std::string identity; ///< of the compiler and the processor
  ProgramSignature signature;
  Costs costs;
  int64_t mayTakeLong = 0; ///< a truth value
  int64_t arenaBytes = 0;
  std::vector<std::string> collectives; ///< what they are, by number
  std::vector<std::string> objects;     ///< object files
  std::vector<std::string> constants;   ///< their bytes, by number
};

std::string write(const ProgramImage &image);

/// DataLoss where the bytes are not what `write` writes: every type, size and
/// number of an array is checked. The object files are not: they are code.
StatusOr<ProgramImage> readProgramImage(std::string_view bytes);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_PROGRAMIMAGE_H
