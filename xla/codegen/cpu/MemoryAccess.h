//===- MemoryAccess.h - Arrays in memory ------------------------*- C++ -*-===//
//
// Addresses of what has a slice in the buffer plan, loads and stores, and what
// LLVM may know of their aliases.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_MEMORYACCESS_H
#define XLA_CODEGEN_CPU_MEMORYACCESS_H

#include "xla/codegen/cpu/BufferPlan.h"
#include "xla/codegen/cpu/FunctionBuilder.h"

#include "llvm/ADT/StringMap.h"

namespace xla::cpu {

class MemoryAccess : public FunctionBuilder {
public:
  MemoryAccess(llvm::Module &module, const BufferPlan &buffers,
               llvm::ArrayRef<Donation> donations);

  /// Numbers a dense constant: code refers to its bytes by the symbol
  /// `constantSymbol(number)`, so that it holds no address of this process.
  using ConstantNumber = llvm::function_ref<int64_t(mlir::Value)>;
  void setConstants(ConstantNumber number) { constantNumber = number; }

  static std::string constantSymbol(int64_t number) {
    return "xla_constant_" + std::to_string(number);
  }

  llvm::Value *pointerTo(const BufferSlice &slice);
  llvm::Value *pointerTo(mlir::Value value) {
    return pointerTo(buffers.sliceOf(value));
  }
  Element load(ElementType type, const BufferSlice &slice, llvm::Value *linear);
  void store(ElementType type, const BufferSlice &slice, llvm::Value *linear,
             Element element);
  /// Between what is in memory and what registers hold of one element.
  llvm::Value *fromMemory(ElementType type, llvm::Value *value);
  llvm::Value *toMemory(ElementType type, llvm::Value *value);
  /// While one of these lives, accesses say that the slices in `written`
  /// overlap no other slice.
  class Writes {
  public:
    Writes(MemoryAccess &memory, llvm::ArrayRef<BufferSlice> written);
    ~Writes() { memory.writes = outer; }
    /// What is written goes past the caches (MoveStreams.cpp).
    void stream() { isStreamed = true; }
    /// What is so many bytes behind what is read of `slice` is read soon.
    void readAhead(const BufferSlice &slice, int64_t bytes) {
      ahead.emplace_back(slice, bytes);
    }

  private:
    friend class MemoryAccess;
    MemoryAccess &memory;
    Writes *outer;
    llvm::SmallVector<BufferSlice, 2> written;
    llvm::SmallVector<llvm::MDNode *, 2> own; // per slice: its scope
    llvm::MDNode *all = nullptr;              // every scope
    llvm::MDNode *rest = nullptr;             // scope of what is only read
    llvm::SmallVector<llvm::MDNode *, 2> others;
    bool isStreamed = false;
    llvm::SmallVector<std::pair<BufferSlice, int64_t>, 1> ahead;
  };

  /// Calls a function of the math library.
  llvm::Value *callMath(llvm::StringRef name,
                        llvm::ArrayRef<llvm::Value *> arguments);
  llvm::Value *slicePointer(const BufferSlice &slice, Frame &in);

  const BufferPlan &buffers;
  llvm::ArrayRef<Donation> donations;

protected:
  bool overlaps(const BufferSlice &a, const BufferSlice &b) const;
  void annotate(llvm::Instruction *access, const BufferSlice &slice);
  void markStreams(llvm::Instruction *access, const BufferSlice &slice);

  /// The rows [first, last) that steps are emitted for, of `rows`.
  struct RowBlock {
    int64_t rows = 0;
    llvm::Value *first = nullptr, *last = nullptr;
    /// By offset in the scratch memory: where row 0 would be.
    llvm::DenseMap<int64_t, llvm::Value *> bases;
    int64_t height = 1; ///< rows of a block
    /// What a step has begun to read for the next block.
    llvm::SmallVector<BufferSlice, 2> fetched;
  };

  ConstantNumber constantNumber;
  RowBlock *rowBlock = nullptr;
  bool stepsApart = false; ///< the block being emitted is worth it
  Writes *writes = nullptr;
  llvm::MDNode *aliasDomain = nullptr;
  llvm::SmallVector<llvm::MDNode *> aliasScopes; ///< shared by all functions
  size_t scopesUsed = 0;                         ///< of those, by this function
  llvm::StringMap<llvm::MDNode *> streamMarks;   ///< by name
  llvm::DenseMap<int64_t, int64_t> donatedTo;    ///< result, by argument
};

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_MEMORYACCESS_H
