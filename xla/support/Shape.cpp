//===- Shape.cpp - Element types and shapes of arrays ---------------------===//

#include "xla/support/Shape.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace xla {

namespace {
struct TypeFacts {
  std::string_view name;
  int8_t bytes;
};
} // namespace

/// One row per ElementType, in the order of the enumeration.
static constexpr TypeFacts typeFacts[] = {
    {"invalid", 0},
    {"pred", 1},
    {"s8", 1},
    {"s16", 2},
    {"s32", 4},
    {"s64", 8},
    {"u8", 1},
    {"u16", 2},
    {"u32", 4},
    {"u64", 8},
    {"f16", 2},
    {"f32", 4},
    {"f64", 8},
    {"bf16", 2},
    {"c64", 8},
    {"c128", 16},
    {"f8e5m2", 1},
    {"f8e4m3fn", 1},
    {"f8e4m3b11fnuz", 1},
    {"f8e5m2fnuz", 1},
    {"f8e4m3fnuz", 1},
    {"s4", 1},
    {"u4", 1},
    {"token", 0},
    {"s2", 1},
    {"u2", 1},
    {"f8e4m3", 1},
    {"f8e3m4", 1},
    {"f8e8m0fnu", 1},
    {"f4e2m1fn", 1},
};
static_assert(std::size(typeFacts) ==
              static_cast<size_t>(ElementType::F4E2M1FN) + 1);

int64_t byteWidth(ElementType type) {
  return typeFacts[static_cast<size_t>(type)].bytes;
}

std::string_view name(ElementType type) {
  return typeFacts[static_cast<size_t>(type)].name;
}

static constexpr int64_t largestSize = int64_t(1) << 62;

std::optional<int64_t> byteSize(const Shape &shape) {
  // Of an empty array first: the product of the other dimensions may overflow.
  bool isEmpty =
      std::ranges::find(shape.dimensions, 0) != shape.dimensions.end();
  int64_t size = isEmpty ? 0 : byteWidth(shape.type);
  for (int64_t dimension : shape.dimensions) {
    if (dimension < 0 || __builtin_mul_overflow(size, dimension, &size) ||
        size > largestSize) {
      return std::nullopt;
    }
  }
  return size;
}

std::optional<int64_t> elementCount(const Shape &shape) {
  if (byteWidth(shape.type) == 0) {
    return 0;
  }
  if (auto size = byteSize(shape)) {
    return *size / byteWidth(shape.type);
  }
  return std::nullopt;
}

static std::string listed(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers) {
    text += (text.empty() ? "" : ",") + std::to_string(number);
  }
  return text;
}

std::string toString(const Shape &shape) {
  return std::string(name(shape.type)) + '[' + listed(shape.dimensions) + ']' +
         (shape.minorToMajor.empty() ? "" : layoutText(shape));
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

static std::vector<int64_t> rowMajor(size_t rank) {
  std::vector<int64_t> minorToMajor;
  for (size_t i = rank; i > 0; --i) {
    minorToMajor.push_back(static_cast<int64_t>(i) - 1);
  }
  return minorToMajor;
}

bool setLayout(Shape &shape, std::vector<int64_t> minorToMajor) {
  const auto rank = static_cast<int64_t>(shape.dimensions.size());
  std::vector<bool> isSeen(shape.dimensions.size(), false);
  for (int64_t dimension : minorToMajor) {
    if (dimension < 0 || dimension >= rank || isSeen[dimension]) {
      return false;
    }
    isSeen[dimension] = true;
  }
  if (static_cast<int64_t>(minorToMajor.size()) != rank) {
    return false;
  }
  if (minorToMajor == rowMajor(shape.dimensions.size())) {
    minorToMajor.clear();
  }
  shape.minorToMajor = std::move(minorToMajor);
  return true;
}

std::vector<int64_t> layoutOf(const Shape &shape) {
  return shape.minorToMajor.empty() ? rowMajor(shape.dimensions.size())
                                    : shape.minorToMajor;
}

std::string layoutText(const Shape &shape) {
  return '{' + listed(layoutOf(shape)) + '}';
}

Shape asStored(const Shape &shape) {
  Shape stored = {shape.type, {}};
  const std::vector<int64_t> minorToMajor = layoutOf(shape);
  for (size_t i = minorToMajor.size(); i > 0; --i) {
    stored.dimensions.push_back(shape.dimensions[minorToMajor[i - 1]]);
  }
  return stored;
}

std::vector<int64_t> byteStrides(const Shape &shape) {
  std::vector<int64_t> strides(shape.dimensions.size());
  int64_t stride = byteWidth(shape.type);
  for (int64_t dimension : layoutOf(shape)) {
    strides[dimension] = stride;
    if (__builtin_mul_overflow(stride, shape.dimensions[dimension], &stride)) {
      stride = 0;
    }
  }
  return strides;
}

} // namespace xla
