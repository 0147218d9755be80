//===- Slots.h - Elements that are kept on the stack ------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_LOWER_REDUCE_SLOTS_H
#define XLA_CODEGEN_CPU_LOWER_REDUCE_SLOTS_H

#include "xla/codegen/cpu/lower/reduce/Folds.h"

namespace xla::cpu {

/// Arrays on the stack for the elements of some operands.
class Slots {
public:
  Slots(Emitter &e, mlir::TypeRange types, llvm::ArrayRef<Element> like,
        int64_t count)
      : e(e), types(types) {
    for (llvm::Value *part : flatten(like)) {
      parts.push_back(part->getType());
      arrays.push_back(
          e.frameSlot(llvm::ArrayType::get(storedAs(part->getType()), count)));
    }
  }

  void save(llvm::Value *at, llvm::ArrayRef<Element> elements) {
    for (auto [n, value] : llvm::enumerate(flatten(elements))) {
      llvm::Type *stored = storedAs(parts[n]);
      e.builder().CreateStore(
          e.builder().CreateZExtOrBitCast(value, stored),
          e.builder().CreateInBoundsGEP(stored, arrays[n], at));
    }
  }

  llvm::SmallVector<Element> load(llvm::Value *at) {
    llvm::SmallVector<llvm::Value *> values;
    for (auto [array, part] : llvm::zip_equal(arrays, parts)) {
      llvm::Type *stored = storedAs(part);
      llvm::Value *value = e.builder().CreateLoad(
          stored, e.builder().CreateInBoundsGEP(stored, array, at));
      values.push_back(e.builder().CreateTruncOrBitCast(value, part));
    }
    return unflatten(values, types);
  }

private:
  /// Truth values are bytes, as in memory.
  llvm::Type *storedAs(llvm::Type *part) {
    return part->isIntegerTy(1) ? e.builder().getInt8Ty() : part;
  }

  Emitter &e;
  mlir::TypeRange types;
  llvm::SmallVector<llvm::Type *> parts;
  llvm::SmallVector<llvm::Value *> arrays;
};

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWER_REDUCE_SLOTS_H
