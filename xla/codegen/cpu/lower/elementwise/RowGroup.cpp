//===- RowGroup.cpp - Steps that go row by row together -------------------===//
//
// One loop over blocks of rows, shared out among threads; in it the steps, each
// over the rows of the block. A step is emitted by the code that also emits it
// alone: `parallel` hands that the block's part of its range.
//
// Values that live for a block are addressed as if the whole array were there:
// from where its row 0 would be.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/Emitter.h"

namespace xla::cpu {

using mlir::Value;

void Emitter::emitRowGroup(const RowGroup &group) {
  int64_t height = group.rowsPerBlock;
  int64_t blocks = (group.rows + height - 1) / height;
  int64_t bytes = 0;
  llvm::SmallVector<Value> inner; // values of a block
  for (const RowMember &member : group.members) {
    for (Value output : member.outputs) {
      if (int64_t offset = rowGroups.scratchOffset(output); offset >= 0) {
        inner.push_back(output);
        bytes =
            std::max(bytes, offset + byteSizeOf(output) / group.rows * height);
      }
    }
  }
  auto emitBlockOfRows = [&](llvm::Value *number) {
    RowBlock block;
    block.rows = group.rows;
    block.height = height;
    block.first =
        builder().CreateMul(number, constant(height), "firstRow", false, true);
    block.last = builder().CreateNSWAdd(block.first, constant(height));
    if (group.rows % height != 0) {
      block.last = builder().CreateBinaryIntrinsic(
          llvm::Intrinsic::smin, block.last, constant(group.rows));
    }
    for (Value value : inner) {
      int64_t offset = rowGroups.scratchOffset(value);
      llvm::Value *above = builder().CreateNSWMul(
          block.first, constant(byteSizeOf(value) / group.rows));
      block.bases[offset] =
          builder().CreateGEP(builder().getInt8Ty(), frame->rowScratch,
                              builder().CreateNSWSub(constant(offset), above));
    }
    rowBlock = &block;
    for (const RowMember &member : group.members) {
      Scope scope(*this);
      emitOneStep(member.step);
    }
    rowBlock = nullptr;
  };
  double cost = group.costPerRow * static_cast<double>(height);
  parallel(planTasks(blocks, cost), [&](llvm::Value *begin, llvm::Value *end) {
    reserveRowScratch(bytes);
    loop(begin, end, emitBlockOfRows);
  });
}

/// Groups of one function run one after the other: they share their scratch.
void Emitter::reserveRowScratch(int64_t bytes) {
  if (bytes > frame->rowScratchBytes) {
    frame->rowScratchBytes = bytes;
    llvm::Type *type = llvm::ArrayType::get(builder().getInt8Ty(), bytes);
    if (frame->rowScratch) {
      frame->rowScratch->setAllocatedType(type);
    } else {
      frame->rowScratch = frameSlot(type);
      frame->rowScratch->setAlignment(llvm::Align(64));
    }
  }
}

} // namespace xla::cpu
