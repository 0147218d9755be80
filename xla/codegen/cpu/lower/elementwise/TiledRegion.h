//===- TiledRegion.h - Loop nests over transposed arrays --------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_LOWER_ELEMENTWISE_TILEDREGION_H
#define XLA_CODEGEN_CPU_LOWER_ELEMENTWISE_TILEDREGION_H

#include "xla/codegen/cpu/Emitter.h"
#include "xla/codegen/cpu/Kernel.h"

namespace xla::cpu {

/// Chooses tiles for a nest that reads across lines of memory. Returns false,
/// and changes nothing, for one that does not.
bool chooseTiles(const FusionPlan &fusion, llvm::ArrayRef<mlir::Value> outputs,
                 Kernel &kernel);

void emitTiledRegion(Emitter &e, const Kernel &kernel,
                     llvm::ArrayRef<mlir::Value> outputs,
                     llvm::ArrayRef<BufferSlice> slices);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWER_ELEMENTWISE_TILEDREGION_H
