//===- IndexArithmetic.h - Indices of arrays --------------------*- C++ -*-===//
//
// Row-major numbers, indices per dimension, and what is known of them, written
// once for those who emit LLVM IR (`LoopBuilder`) and for those who build the
// kernel form (`KernelBuilder`): `Self` does the arithmetic on values `V`.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_INDEXARITHMETIC_H
#define XLA_CODEGEN_CPU_INDEXARITHMETIC_H

#include "xla/codegen/cpu/LoopPlan.h"
#include "xla/codegen/cpu/Types.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace xla::cpu {

/// A position in an array: per dimension, or by row-major number, or both.
template <typename V>
struct IndexOf {
  llvm::SmallVector<V, 4> dims;
  V linear = {};

  bool operator==(const IndexOf &other) const {
    return dims == other.dims && linear == other.linear;
  }
};

/// The smallest groups of dimensions of two shapes of as many elements that
/// have equal products: [i0, i) of the one and [j0, j) of the other.
struct ReshapeGroup {
  size_t i0, i, j0, j;
};
llvm::SmallVector<ReshapeGroup> groupsOf(llvm::ArrayRef<int64_t> from,
                                         llvm::ArrayRef<int64_t> to);

template <typename Self, typename V>
class IndexArithmetic {
public:
  using Index = IndexOf<V>;

  /// The least and the greatest number that an index can be, where known.
  std::optional<std::pair<int64_t, int64_t>> extentOf(V index) {
    if (std::optional<int64_t> known = self().knownIndex(index)) {
      return {{*known, *known}};
    }
    auto found = extents.find(index);
    return found == extents.end() ? std::nullopt : std::optional(found->second);
  }
  /// index + offset, and size - 1 - index.
  V shiftIndex(V index, int64_t offset) {
    if (offset == 0) {
      return index;
    }
    V shifted = self().add(index, self().constant(offset));
    auto extent = extentOf(index);
    if (extent && !self().knownIndex(shifted)) {
      extents[shifted] = {extent->first + offset, extent->second + offset};
    }
    return shifted;
  }
  V mirrorIndex(V index, int64_t size) {
    V mirrored = self().subtract(self().constant(size - 1), index);
    auto extent = extentOf(index);
    if (extent && !self().knownIndex(mirrored)) {
      extents[mirrored] = {size - 1 - extent->second, size - 1 - extent->first};
    }
    return mirrored;
  }
  /// The sum of two indices; no instruction where one of them is 0.
  V sumOf(V first, V second) {
    if (isZero(first) || isZero(second)) {
      return isZero(first) ? second : first;
    }
    return self().add(first, second);
  }
  V timesOf(V index, int64_t factor) {
    return factor == 1 || isZero(index)
               ? index
               : self().multiply(index, self().constant(factor));
  }

  V linearOf(const Index &index, llvm::ArrayRef<int64_t> shape) {
    if (index.linear != V()) {
      return index.linear;
    }
    // One factor for dimensions in a row whose indices are 0.
    V linear = self().constant(0);
    int64_t factor = 1;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] == 1) {
        continue; // the index is 0
      }
      factor *= shape[d];
      if (isZero(index.dims[d])) {
        continue;
      }
      linear = sumOf(timesOf(linear, factor), index.dims[d]);
      factor = 1;
    }
    return timesOf(linear, factor);
  }

  llvm::SmallVector<V, 4> dimsOf(const Index &index,
                                 llvm::ArrayRef<int64_t> shape) {
    if (!index.dims.empty() || shape.empty()) {
      return index.dims;
    }
    llvm::SmallVector<V, 4> dims(shape.size(), self().constant(0));
    V rest = index.linear;
    bool outermost = true;
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t inner = 1;
      for (int64_t size : shape.drop_front(d + 1)) {
        inner *= size;
      }
      if (shape[d] <= 1 || inner == 0) {
        continue;
      }
      // The quotient of the outermost dimension is below its size already.
      V quotient =
          inner == 1 ? rest : self().divide(rest, self().constant(inner));
      dims[d] = outermost
                    ? quotient
                    : self().remainder(quotient, self().constant(shape[d]));
      outermost = false;
    }
    return dims;
  }

  /// The index in `to` of the element at `index` in `from`: only within a group
  /// of dimensions are numbers put together and taken apart.
  Index reshapeIndex(const Index &index, llvm::ArrayRef<int64_t> from,
                     llvm::ArrayRef<int64_t> to) {
    Index result;
    if (index.linear != V() || to.empty()) {
      result.linear = to.empty() ? V() : index.linear;
      return result;
    }
    result.dims.assign(to.size(), self().constant(0));
    if (llvm::is_contained(from, 0) || llvm::is_contained(to, 0)) {
      return result; // no element is ever computed
    }
    for (auto [i0, i, j0, j] : groupsOf(from, to)) {
      Index part, flat;
      part.dims.append(index.dims.begin() + i0, index.dims.begin() + i);
      flat.linear = linearOf(part, from.slice(i0, i - i0));
      llvm::copy(dimsOf(flat, to.slice(j0, j - j0)), result.dims.begin() + j0);
    }
    return result;
  }

  /// A start index, sign- or zero-extended to 64 bits by its element type, and
  /// clamped to [0, largest].
  template <typename E>
  V clampedStart(mlir::Value indices, E start, int64_t largest) {
    if (largest <= 0) {
      return self().constant(0);
    }
    V wide = self().widenIndex(indices, start);
    if (isSignedInteger(elementTypeOf(indices.getType()))) {
      wide = self().most(wide, 0);
    }
    return self().unsignedLeast(wide, largest);
  }

  //===--- Loops ----------------------------------------------------------===//

  using Body = llvm::function_ref<void(V)>;
  using RangeBody = llvm::function_ref<void(V, V)>;
  using NestBody = llvm::function_ref<void(const Index &)>;

  /// Visits every index by the loops of `plan`.
  void nest(const LoopPlan &plan, NestBody body) {
    llvm::ArrayRef<int64_t> looped = plan.looped();
    visitLines(plan, [&](const Index &line) {
      if (plan.writtenOut == 0) {
        body(line);
        return;
      }
      Index index;
      index.dims = dimsOf(line, looped);
      // Recursion over dimensions, whose number is small.
      auto visit = [&](auto &visit, size_t d) -> void {
        if (d == plan.shape.size()) {
          body(index);
          return;
        }
        index.dims.push_back({});
        for (int64_t i = 0; i < plan.shape[d]; ++i) {
          index.dims[d] = self().constant(i);
          visit(visit, d + 1);
        }
        index.dims.pop_back();
      };
      visit(visit, looped.size());
    });
  }

  /// for (i = begin; i < end; ++i), cut at `breaks` within [0, size): in each
  /// part it is known between which numbers i is.
  void segmentedLoop(V begin, V end, int64_t size,
                     llvm::ArrayRef<int64_t> breaks, Body body) {
    if (breaks.empty()) {
      self().loop(begin, end, body);
      return;
    }
    int64_t start = 0;
    for (size_t n = 0; n <= breaks.size(); ++n) {
      int64_t stop = n < breaks.size() ? breaks[n] : size;
      std::optional<int64_t> first = self().knownIndex(begin);
      std::optional<int64_t> last = self().knownIndex(end);
      V from = first ? self().constant(std::max(*first, start))
                     : self().most(begin, start);
      V to = last ? self().constant(std::min(*last, stop))
                  : self().least(end, stop);
      self().loop(from, to, [&](V i) {
        bool isLoop = !self().knownIndex(i);
        if (isLoop) {
          extents[i] = {start, stop - 1};
          self().noteExtent(i, start, stop - 1);
        }
        body(i);
        if (isLoop) {
          extents.erase(i);
        }
      });
      start = stop;
    }
  }

protected:
  llvm::DenseMap<V, std::pair<int64_t, int64_t>> extents;

private:
  /// Visits the indices that loops go over, before what is written out.
  void visitLines(const LoopPlan &plan, NestBody body) {
    llvm::ArrayRef<int64_t> shape = plan.looped();
    switch (plan.order) {
    case LoopOrder::Nothing:
    case LoopOrder::Lanes:
      return;
    case LoopOrder::Elements:
    case LoopOrder::FlatElements: {
      typename Self::Scope scope(self());
      for (int64_t i = 0; i < plan.elements(); ++i) {
        Index index;
        index.linear = self().constant(i);
        if (plan.order == LoopOrder::Elements) {
          index.dims = dimsOf(index, shape);
          index.linear = {};
        }
        body(index);
      }
      return;
    }
    case LoopOrder::Flat:
      self().parallel(plan.tasks(), plan.grain, [&](V begin, V end) {
        segmentedLoop(begin, end, plan.elements(), plan.breaks, [&](V i) {
          Index index;
          index.linear = i;
          body(index);
        });
      });
      return;
    case LoopOrder::Lines:
      break;
    }
    int64_t inner = shape.back();
    llvm::ArrayRef<int64_t> outer = shape.drop_back();
    self().parallel(plan.tasks(), plan.grain, [&](V begin, V end) {
      self().loop(begin, end, [&](V piece) {
        V first = self().constant(0), last = self().constant(inner);
        Index row;
        row.linear = piece;
        if (plan.block) {
          V block = self().constant(plan.block);
          V blocks = self().constant((inner - 1) / plan.block + 1);
          row.linear = self().divide(piece, blocks);
          first = self().multiply(self().remainder(piece, blocks), block);
          last = self().least(self().add(first, block), inner);
        }
        Index index;
        index.dims = dimsOf(row, outer);
        index.dims.push_back({});
        segmentedLoop(first, last, inner, plan.breaks, [&](V i) {
          index.dims.back() = i;
          body(index);
        });
      });
    });
  }

  Self &self() { return static_cast<Self &>(*this); }
  bool isZero(V index) { return self().knownIndex(index) == 0; }
};

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_INDEXARITHMETIC_H
