//===- Elementwise.h - Operations on single elements ------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_LOWER_ELEMENTWISE_ELEMENTWISE_H
#define XLA_CODEGEN_CPU_LOWER_ELEMENTWISE_ELEMENTWISE_H

#include "xla/codegen/cpu/Emitter.h"

namespace xla::cpu {

/// A 64-bit count below `limit` as a number of `type`, or its real part.
llvm::Value *numberOf(Emitter &e, llvm::Value *count, int64_t limit,
                      ElementType type);

/// Narrow floats to f32, and back from an f32 or an f64, rounding once to
/// nearest even; others unchanged.
llvm::Value *widen(Emitter &e, llvm::Value *x, ElementType type);
llvm::Value *narrow(Emitter &e, llvm::Value *x, ElementType type);

/// The same for the small floats; `x` to be narrowed is an f32 or an f64, and
/// is rounded once.
llvm::Value *widenSmall(Emitter &e, llvm::Value *x, ElementType type);
llvm::Value *narrowSmall(Emitter &e, llvm::Value *x, ElementType type);

/// An f64 as an f32: the neighbour whose last bit is odd where it is inexact,
/// so that rounding once more, to a narrow float, gives the nearest one. Others
/// are unchanged.
llvm::Value *roundToOdd(Emitter &e, llvm::Value *x);

/// An integer that fits `target`, f32 for at most 32 bits or f64, in the same
/// way: at least 16 bits of 32 are left, and 43 of 64.
llvm::Value *roundIntegerToOdd(Emitter &e, llvm::Value *x, bool isSigned,
                               llvm::Type *target);

/// An element's bits as an integer of just so many, and back.
llvm::Value *bitsOf(Emitter &e, llvm::Value *x, ElementType type);
llvm::Value *fromBitsOf(Emitter &e, llvm::Value *bits, ElementType type);

/// stablehlo.convert.
Element convertElement(Emitter &e, Element x, ElementType from, ElementType to);

/// Operations on complex numbers; `op` is one that has a complex operand.
Element emitComplex(Emitter &e, mlir::Operation *op, llvm::ArrayRef<Element> x);

/// Equality by parts; order by the real part first. `floats` is the comparison
/// of two floats.
llvm::Value *compareComplex(Emitter &e, llvm::CmpInst::Predicate floats,
                            Element x, Element y);

/// The function of the math library for `op` at f32 or f64, or the C library's
/// where ours has none.
llvm::Value *callElementary(Emitter &e, mlir::Operation *op, ElementType type,
                            llvm::ArrayRef<llvm::Value *> x);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWER_ELEMENTWISE_ELEMENTWISE_H
