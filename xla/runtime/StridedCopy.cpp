#include "xla/runtime/StridedCopy.h"

#include "xla/runtime/ThreadPool.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace xla {

/// Copies below this size are not worth a helper's wake-up.
static constexpr int64_t bytesPerPiece = int64_t(1) << 19;

/// Side of the squares by which two dimensions are swapped: a square of each
/// array fits into the nearest cache.
static constexpr int64_t squareSide = 32;

namespace {
struct Dimension {
  int64_t size;
  int64_t destinationStride;
  int64_t sourceStride;
};
} // namespace

void copyBytes(void *destination, const void *source, size_t bytes) {
  ThreadPool::shared().parallelFor(
      static_cast<int64_t>(bytes), bytesPerPiece,
      [&](int64_t begin, int64_t end) {
        std::memcpy(static_cast<char *>(destination) + begin,
                    static_cast<const char *>(source) + begin, end - begin);
      });
}

/// Drops dimensions of size 1, orders the rest from the destination's longest
/// stride to its shortest, and joins neighbours that are contiguous in both.
static std::vector<Dimension>
simplify(std::span<const int64_t> destinationStrides,
         std::span<const int64_t> sourceStrides,
         std::span<const int64_t> dimensions) {
  std::vector<Dimension> ordered;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] != 1) {
      ordered.push_back(
          {dimensions[i], destinationStrides[i], sourceStrides[i]});
    }
  }
  std::sort(ordered.begin(), ordered.end(),
            [](const Dimension &x, const Dimension &y) {
              return std::abs(x.destinationStride) >
                     std::abs(y.destinationStride);
            });
  std::vector<Dimension> joined;
  for (const Dimension &inner : ordered) {
    if (!joined.empty()) {
      Dimension &outer = joined.back();
      if (outer.destinationStride == inner.size * inner.destinationStride &&
          outer.sourceStride == inner.size * inner.sourceStride) {
        outer = {outer.size * inner.size, inner.destinationStride,
                 inner.sourceStride};
        continue;
      }
    }
    joined.push_back(inner);
  }
  return joined;
}

template <int width>
static void copyLine(char *destination, const char *source,
                     const Dimension &line) {
  if (line.destinationStride == width && line.sourceStride == width) {
    std::memcpy(destination, source, line.size * width);
    return;
  }
  for (int64_t i = 0; i < line.size; ++i) {
    std::memcpy(destination + i * line.destinationStride,
                source + i * line.sourceStride, width);
  }
}

/// Two dimensions in squares, so that both arrays are walked along their lines.
template <int width>
static void copyPlane(char *destination, const char *source,
                      const Dimension &outer, const Dimension &inner) {
  bool isSwapped = std::abs(outer.sourceStride) < std::abs(inner.sourceStride);
  int64_t side = isSwapped ? squareSide : inner.size;
  for (int64_t row = 0; row < outer.size; row += squareSide) {
    int64_t rows = std::min(squareSide, outer.size - row);
    for (int64_t column = 0; column < inner.size; column += side) {
      Dimension part = {std::min(side, inner.size - column),
                        inner.destinationStride, inner.sourceStride};
      for (int64_t i = row; i < row + rows; ++i) {
        copyLine<width>(destination + i * outer.destinationStride +
                            column * inner.destinationStride,
                        source + i * outer.sourceStride +
                            column * inner.sourceStride,
                        part);
      }
    }
  }
}

template <int width>
static void copyDimensions(char *destination, const char *source,
                           std::span<const Dimension> dimensions) {
  switch (dimensions.size()) {
  case 0:
    std::memcpy(destination, source, width);
    return;
  case 1:
    copyLine<width>(destination, source, dimensions[0]);
    return;
  case 2:
    copyPlane<width>(destination, source, dimensions[0], dimensions[1]);
    return;
  default:
    for (int64_t i = 0; i < dimensions[0].size; ++i) {
      copyDimensions<width>(destination + i * dimensions[0].destinationStride,
                            source + i * dimensions[0].sourceStride,
                            dimensions.subspan(1));
    }
  }
}

/// The outermost dimension is shared out; the other loops stay whole.
template <int width>
static void copyInParallel(char *destination, const char *source,
                           std::vector<Dimension> &dimensions) {
  if (dimensions.empty()) {
    dimensions.push_back({1, 0, 0});
  }
  int64_t lineBytes = width;
  for (size_t i = 1; i < dimensions.size(); ++i) {
    lineBytes *= dimensions[i].size;
  }
  int64_t grain =
      std::max<int64_t>(bytesPerPiece / std::max<int64_t>(lineBytes, 1), 1);
  const Dimension outer = dimensions[0];
  ThreadPool::shared().parallelFor(
      outer.size, grain, [&](int64_t begin, int64_t end) {
        std::vector<Dimension> piece = dimensions;
        piece[0].size = end - begin;
        copyDimensions<width>(destination + begin * outer.destinationStride,
                              source + begin * outer.sourceStride, piece);
      });
}

void copyStrided(void *destination, std::span<const int64_t> destinationStrides,
                 const void *source, std::span<const int64_t> sourceStrides,
                 std::span<const int64_t> dimensions, int64_t elementBytes) {
  for (int64_t size : dimensions) {
    if (size == 0) {
      return;
    }
  }
  std::vector<Dimension> simple =
      simplify(destinationStrides, sourceStrides, dimensions);
  auto *to = static_cast<char *>(destination);
  auto *from = static_cast<const char *>(source);
  bool isOneBlock =
      simple.size() <= 1 &&
      (simple.empty() || (simple[0].destinationStride == elementBytes &&
                          simple[0].sourceStride == elementBytes));
  if (isOneBlock) {
    return copyBytes(to, from,
                     elementBytes * (simple.empty() ? 1 : simple[0].size));
  }
  switch (elementBytes) {
  case 1:
    return copyInParallel<1>(to, from, simple);
  case 2:
    return copyInParallel<2>(to, from, simple);
  case 4:
    return copyInParallel<4>(to, from, simple);
  case 8:
    return copyInParallel<8>(to, from, simple);
  default:
    return copyInParallel<16>(to, from, simple);
  }
}

} // namespace xla
