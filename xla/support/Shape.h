//===- Shape.h - Element types and shapes of arrays -------------*- C++ -*-===//
//
// What the runtime and the C API say of an array. The numbers are those of
// PJRT_Buffer_Type, so that a cast converts. No MLIR here: the runtime and
// jaxlib's PJRT client include this.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_SUPPORT_SHAPE_H
#define XLA_SUPPORT_SHAPE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xla {

enum class ElementType : uint8_t {
  Invalid = 0,
  Pred = 1,
  S8 = 2,
  S16 = 3,
  S32 = 4,
  S64 = 5,
  U8 = 6,
  U16 = 7,
  U32 = 8,
  U64 = 9,
  F16 = 10,
  F32 = 11,
  F64 = 12,
  BF16 = 13,
  C64 = 14,
  C128 = 15,
  F8E5M2 = 16,
  F8E4M3FN = 17,
  F8E4M3B11FNUZ = 18,
  F8E5M2FNUZ = 19,
  F8E4M3FNUZ = 20,
  S4 = 21,
  U4 = 22,
  Token = 23,
  S2 = 24,
  U2 = 25,
  F8E4M3 = 26,
  F8E3M4 = 27,
  F8E8M0FNU = 28,
  F4E2M1FN = 29,
};

/// Bytes of one element in memory; narrow integers take a byte each, a token
/// takes none.
int64_t byteWidth(ElementType type);

/// The type's name as StableHLO's specification writes it: "f32", "pred".
std::string_view name(ElementType type);

struct Shape {
  ElementType type = ElementType::Invalid;
  std::vector<int64_t> dimensions;

  /// How the elements are stored: the dimensions from minor to major, as
  /// `setLayout` leaves them: empty where that is rank - 1, ..., 1, 0.
  std::vector<int64_t> minorToMajor = {};

  bool operator==(const Shape &other) const = default;
};

/// The number of elements, or nothing where the product or the size in bytes
/// exceeds 2^62 or a dimension is negative.
std::optional<int64_t> elementCount(const Shape &shape);

/// The size in bytes; same failures.
std::optional<int64_t> byteSize(const Shape &shape);

/// For messages: "f32[3,4]"; "f32[3,4]{0,1}" where it is not row-major.
std::string toString(const Shape &shape);

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Stores the elements of `shape` in this order; false where it is no
/// permutation of the dimensions.
bool setLayout(Shape &shape, std::vector<int64_t> minorToMajor);

/// The dimensions from minor to major, written out for row-major order too.
std::vector<int64_t> layoutOf(const Shape &shape);

/// That in XLA's notation: "{1,0}".
std::string layoutText(const Shape &shape);

/// The row-major array that has the same memory.
Shape asStored(const Shape &shape);

/// The byte strides of a dense array; of an empty one they reach nothing, and
/// are 0 where they would overflow.
std::vector<int64_t> byteStrides(const Shape &shape);

} // namespace xla

#endif // XLA_SUPPORT_SHAPE_H
