//===- Scalars.h - Operations on single elements ----------------*- C++ -*-===//
//
// The meaning of StableHLO's arithmetic on one element. Floating point comes
// and goes as doubles that the element type can hold; a result is rounded to
// the element type when it is stored, and only then.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_REFERENCE_SCALARS_H
#define XLA_REFERENCE_SCALARS_H

#include "xla/reference/Tensor.h"

#include "llvm/ADT/StringRef.h"

#include <vector>

namespace xla::reference {

using Complex = std::complex<double>;

using IntegerUnary = uint64_t (*)(ElementType, int64_t);
using RealUnary = double (*)(double);
using ComplexUnary = Complex (*)(Complex);
using IntegerBinary = uint64_t (*)(ElementType, int64_t, int64_t);
using RealBinary = double (*)(double, double);
using ComplexBinary = Complex (*)(Complex, Complex);

/// What an operation does on each kind of element; null where it is not
/// defined. For f64, `extended` is the same function computed with more bits.
struct UnaryFunctions {
  IntegerUnary integer = nullptr;
  RealUnary real = nullptr;
  long double (*extended)(long double) = nullptr;
  ComplexUnary complex = nullptr;
};
struct BinaryFunctions {
  IntegerBinary integer = nullptr;
  RealBinary real = nullptr;
  long double (*extended)(long double, long double) = nullptr;
  ComplexBinary complex = nullptr;
};

/// The names of the operations on one element and on two, without dialect:
/// "add".
std::vector<llvm::StringRef> unaryNames();
std::vector<llvm::StringRef> binaryNames();

/// By such a name. Null where there is no such.
const UnaryFunctions *unaryFunctions(llvm::StringRef name);
const BinaryFunctions *binaryFunctions(llvm::StringRef name);

/// out[position] = function(a[i], b[j]), by the kind of the elements.
Status applyBinary(const BinaryFunctions &functions, const Tensor &a, int64_t i,
                   const Tensor &b, int64_t j, Tensor &out, int64_t position);

/// The key by which TOTALORDER sorts floating-point values of a format.
int64_t totalOrderKey(double value);

} // namespace xla::reference

#endif // XLA_REFERENCE_SCALARS_H
