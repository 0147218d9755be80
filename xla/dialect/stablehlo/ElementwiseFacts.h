//===- ElementwiseFacts.h - What operations say of themselves ---*- C++ -*-===//
//
// An elementwise operation states these facts where it is defined
// (Elementwise.td), and every part of the compiler reads them there: fusion and
// loops what it costs, the cost analysis what XLA counts, lowering the function
// that computes it. That it is elementwise at all says how it is partitioned
// and fused.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_DIALECT_STABLEHLO_ELEMENTWISEFACTS_H
#define XLA_DIALECT_STABLEHLO_ELEMENTWISEFACTS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace xla::stablehlo {

struct ElementwiseFacts {
  /// The types of elements for which our math library has a function.
  enum Library : uint8_t {
    None = 0,
    F32 = 1,
    F64 = 2,
    Complex = 4,
    Floats = F32 | F64,
    F32AndComplex = F32 | Complex,
    All = Floats | Complex,
  };

  int additions; ///< what one real element costs, in additions
  int flops;     ///< floating-point operations by XLA's count
  int functions; ///< and elementary functions, by the same
  /// The function's name, in our library and in C's, which has the f64
  /// functions that ours has not. Empty where instructions do.
  llvm::StringLiteral math;
  Library library;
};

} // namespace xla::stablehlo

#endif // XLA_DIALECT_STABLEHLO_ELEMENTWISEFACTS_H
