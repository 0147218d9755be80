//===- FunctionBuilder.h - Functions under construction ---------*- C++ -*-===//
//
// LLVM functions that are being written: what they hand to each other, slots in
// their frames, calls of the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_FUNCTIONBUILDER_H
#define XLA_CODEGEN_CPU_FUNCTIONBUILDER_H

#include "xla/codegen/cpu/IndexArithmetic.h"
#include "xla/codegen/cpu/KnownElements.h"
#include "xla/codegen/cpu/Types.h"
#include "xla/support/Status.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace xla::cpu {

/// One element in registers; `imag` for complex numbers alone.
struct Element {
  llvm::Value *real = nullptr;
  llvm::Value *imag = nullptr;
};

using Index = IndexOf<llvm::Value *>;

class FunctionBuilder : public KnownElements<Index, Element> {
public:
  explicit FunctionBuilder(llvm::Module &module) : module(module) {}

  llvm::Value *constant(int64_t value) { return builder().getInt64(value); }
  llvm::IRBuilder<> &builder() { return frame->builder; }
  llvm::LLVMContext &context() { return module.getContext(); }
  llvm::Type *registerTypeOf(mlir::Value value) {
    return registerType(elementTypeOf(value.getType()), context());
  }
  Element undefined(mlir::Type type);
  /// Calls a function of the runtime.
  llvm::Value *callRuntime(llvm::StringRef name, llvm::Type *result,
                           llvm::ArrayRef<llvm::Value *> arguments);
  /// A value of an enclosing function, inside an outlined loop.
  llvm::Value *capture(llvm::Value *value);
  /// Ends the program with `code`, an i32, unless it is 0.
  void returnOnError(llvm::Value *code);
  /// A block of 8-byte words for the runtime's structures.
  llvm::Value *words(llvm::ArrayRef<llvm::Value *> values);
  void storeWords(llvm::ArrayRef<llvm::Value *> values, llvm::Value *block);
  void fail(mlir::Operation *op, const llvm::Twine &why);
  bool failed() const { return !status.ok(); }

  /// Constant words in memory; equal ones are the same, so that functions which
  /// use them can be equal.
  llvm::Value *table(llvm::ArrayRef<int64_t> words);
  /// An uninitialised variable in the function's frame.
  llvm::AllocaInst *frameSlot(llvm::Type *type);

  /// A function under construction: the entry; a part of it that calls steps; a
  /// outlined step; or a body, of a loop that threads share or a
  /// comparison. All but the entry reach what is outside through the words of
  /// their context; a part knows where slices are.
  struct Frame {
    enum Kind : uint8_t { Entry, Part, Step, Body };
    Frame(llvm::Function *function, Frame *parent, Kind kind);
    llvm::Function *function;
    Frame *parent;
    Kind kind;
    bool mayFail = false; ///< it returns errors of the runtime
    bool hasParts = false;
    llvm::BasicBlock *entry;
    llvm::IRBuilder<> builder;
    llvm::Value *context = nullptr;
    llvm::SmallVector<llvm::Value *> captures;             ///< values outside
    llvm::DenseMap<llvm::Value *, llvm::Value *> captured; ///< inside
    llvm::DenseMap<std::pair<int, int64_t>, llvm::Value *> bases;
    llvm::DenseMap<mlir::Value, Element> registers;
    llvm::Value *arguments = nullptr, *results = nullptr, *arena = nullptr;
    llvm::AllocaInst *stepWords = nullptr; ///< context of the step that runs
    size_t mostStepWords = 0;
    llvm::AllocaInst *rowScratch = nullptr; ///< of the row group that runs
    int64_t rowScratchBytes = 0;
  };
  /// An internal function `void(ptr context, i64 begin, i64 end)` or the like,
  /// whose body `emit` writes; returns it and what it captured.
  llvm::Function *outline(llvm::FunctionType *type, const llvm::Twine &name,
                          llvm::function_ref<void(llvm::Function *)> emit,
                          llvm::Value *&contextWords,
                          Frame::Kind kind = Frame::Body);
  llvm::Value *capture(llvm::Value *outside, Frame &in);

  llvm::Module &module;
  Status status;
  llvm::StringRef compiler = "the CPU compiler"; ///< in messages

protected:
  Frame *frame = nullptr;
  int kernels = 0; ///< outlined so far
  llvm::DenseMap<llvm::Constant *, llvm::GlobalVariable *> tables;
};

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_FUNCTIONBUILDER_H
