//===- NativeProgram.h - A program as machine code --------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_NATIVEPROGRAM_H
#define XLA_CODEGEN_CPU_NATIVEPROGRAM_H

#include "xla/report/PartitionFacts.h"
#include "xla/runtime/Program.h"
#include "xla/support/Status.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <string_view>

namespace xla::cpu {

/// Generates machine code for `main` of `module`, which `signature` describes
/// and which this function rewrites on the way. `facts` are for the report.
/// With `records` the code marks its operations: see `RunContext::record`. Safe
/// to call from several threads at once, with a module each.
StatusOr<std::unique_ptr<AbstractProgram>>
compileNatively(mlir::ModuleOp module, ProgramSignature signature,
                const report::PartitionFacts &facts = {}, bool records = false);

/// See `loadProgram`.
StatusOr<std::unique_ptr<AbstractProgram>> loadNatively(std::string_view image);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_NATIVEPROGRAM_H
