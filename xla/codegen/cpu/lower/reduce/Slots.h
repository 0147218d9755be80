//===- Slots.h - Elements that are kept on the stack ------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_LOWER_REDUCE_SLOTS_H
#define XLA_CODEGEN_CPU_LOWER_REDUCE_SLOTS_H

#include "xla/codegen/cpu/Emitter.h"

namespace xla::cpu {

/// An array on the stack for elements of one type; real and imaginary parts of
/// complex ones are apart.
class SlotArray {
public:
  SlotArray(Emitter &e, ElementType type, int64_t count)
      : e(e), part(registerType(type, e.context())) {
    for (int64_t n = 0; n <= isComplex(type); ++n) {
      arrays.push_back(e.frameSlot(llvm::ArrayType::get(stored(), count)));
    }
  }

  void save(llvm::Value *at, Element element) {
    auto savePart = [&](llvm::Value *array, llvm::Value *value) {
      e.builder().CreateStore(
          e.builder().CreateZExtOrBitCast(value, stored()),
          e.builder().CreateInBoundsGEP(stored(), array, at));
    };
    savePart(arrays.front(), element.real);
    if (element.imag) {
      savePart(arrays.back(), element.imag);
    }
  }

  Element load(llvm::Value *at) {
    auto loadPart = [&](llvm::Value *array) {
      llvm::Value *value = e.builder().CreateLoad(
          stored(), e.builder().CreateInBoundsGEP(stored(), array, at));
      return e.builder().CreateTruncOrBitCast(value, part);
    };
    Element element = {loadPart(arrays.front())};
    if (arrays.size() == 2) {
      element.imag = loadPart(arrays.back());
    }
    return element;
  }

private:
  /// Truth values are bytes, as in memory.
  llvm::Type *stored() {
    return part->isIntegerTy(1) ? e.builder().getInt8Ty() : part;
  }

  Emitter &e;
  llvm::Type *part;
  llvm::SmallVector<llvm::Value *, 2> arrays;
};

/// Arrays on the stack for the elements of some operands.
class Slots {
public:
  Slots(Emitter &e, mlir::TypeRange types, int64_t count) {
    for (mlir::Type type : types) {
      arrays.emplace_back(e, elementTypeOf(type), count);
    }
  }

  void save(llvm::Value *at, llvm::ArrayRef<Element> elements) {
    for (auto [array, element] : llvm::zip_equal(arrays, elements)) {
      array.save(at, element);
    }
  }

  llvm::SmallVector<Element> load(llvm::Value *at) {
    llvm::SmallVector<Element> elements;
    for (SlotArray &array : arrays) {
      elements.push_back(array.load(at));
    }
    return elements;
  }

private:
  llvm::SmallVector<SlotArray, 2> arrays;
};

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWER_REDUCE_SLOTS_H
