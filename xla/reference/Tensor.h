//===- Tensor.h - Arrays of the reference interpreter -----------*- C++ -*-===//
//
// A tensor is its element type, its shape and dense row-major bytes. Elements
// are read and written one by one through three kinds that hold every type
// exactly: 64-bit integers, doubles, complex numbers of doubles.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_REFERENCE_TENSOR_H
#define XLA_REFERENCE_TENSOR_H

#include "xla/dialect/ElementTypes.h"
#include "xla/dialect/Shapes.h"
#include "xla/support/Shape.h"
#include "xla/support/StatusMacros.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <complex>
#include <cstring>
#include <memory>

namespace xla::reference {

using Index = llvm::ArrayRef<int64_t>;
using Sizes = llvm::SmallVector<int64_t, 4>;

/// How the elements of a type are computed with.
enum class Kind { Integer, Float, Complex, Token };
Kind kindOf(ElementType type);

/// `value` as its type would hold it: integers wrap.
int64_t wrapInteger(ElementType type, uint64_t value);

class Tensor {
public:
  Tensor() = default;

  /// A tensor of zeros; ResourceExhausted where there is no memory for it.
  static StatusOr<Tensor> zeros(ElementType type, Index sizes);
  static Tensor token();

  ElementType type() const { return theType; }
  Index sizes() const { return theSizes; }
  int64_t rank() const { return theSizes.size(); }
  int64_t count() const { return theCount; }
  int64_t width() const { return theWidth; }
  int64_t byteCount() const { return theCount * theWidth; }
  const uint8_t *data() const { return theBytes.get(); }
  uint8_t *mutableData() { return theBytes.get(); }

  /// The same elements under another shape of as many.
  Tensor reshaped(Index sizes) const;

  int64_t integer(int64_t position) const;
  double real(int64_t position) const;
  std::complex<double> complex(int64_t position) const;
  void setInteger(int64_t position, uint64_t value);
  void setReal(int64_t position, double value);
  void setComplex(int64_t position, std::complex<double> value);

  /// Copies one element of a tensor of the same type.
  void copyElement(int64_t position, const Tensor &from, int64_t fromPosition) {
    std::memcpy(theBytes.get() + position * theWidth,
                from.theBytes.get() + fromPosition * theWidth, theWidth);
  }

  /// One element as a tensor without dimensions.
  StatusOr<Tensor> scalar(int64_t position) const;

private:
  ElementType theType = ElementType::Invalid;
  Sizes theSizes;
  int64_t theCount = 0;
  int64_t theWidth = 0;
  std::shared_ptr<uint8_t[]> theBytes;
};

using Tensors = llvm::SmallVector<Tensor, 2>;

/// Row-major strides, in elements.
Sizes stridesOf(Index sizes);

/// Calls `visit` for each index of a shape, in row-major order. `visit` returns
/// whether to go on.
void forEachIndex(Index sizes, llvm::function_ref<bool(Index)> visit);

/// The row-major position of an index.
inline int64_t positionOf(Index index, Index strides) {
  int64_t position = 0;
  for (size_t i = 0; i < index.size(); ++i) {
    position += index[i] * strides[i];
  }
  return position;
}

} // namespace xla::reference

#endif // XLA_REFERENCE_TENSOR_H
