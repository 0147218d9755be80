//===- KnownElements.h - Elements that are computed already -----*- C++ -*-===//
//
// What the current straight line of code has computed of inline values, by
// index: for those who emit LLVM IR and for those who build the kernel form.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_KNOWNELEMENTS_H
#define XLA_CODEGEN_CPU_KNOWNELEMENTS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <utility>

namespace xla::cpu {

template <typename Index, typename Element>
class KnownElements {
  using Map = llvm::DenseMap<mlir::Value,
                             llvm::SmallVector<std::pair<Index, Element>, 1>>;

public:
  /// A scope of its own for every loop body and branch.
  class Scope {
  public:
    explicit Scope(KnownElements &elements)
        : elements(elements), outer(std::move(elements.known)) {
      elements.known.clear();
    }
    ~Scope() { elements.known = std::move(outer); }

  private:
    KnownElements &elements;
    Map outer;
  };

  /// The element of `value` at `index`, or null where it is not known.
  const Element *findKnown(mlir::Value value, const Index &index) const {
    auto found = known.find(value);
    if (found == known.end()) {
      return nullptr;
    }
    for (const auto &[at, element] : found->second) {
      if (at == index) {
        return &element;
      }
    }
    return nullptr;
  }
  /// Notes that the element of `value` at `index` is `element`.
  void setKnown(mlir::Value value, const Index &index, Element element) {
    known[value].push_back({index, element});
  }

private:
  Map known;
};

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_KNOWNELEMENTS_H
