//===- LowerMatrices.cpp - Neutral LLVM IR of products --------------------===//
//
// The sums that a thread has are words on its stack, whose numbers are known,
// so that they become registers. The groups of threads that an instruction
// takes stand in two columns: a group has every second 16 columns, and with
// them as many of each part as any other.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/gpu/LowerMatrices.h"

#include "xla/codegen/gpu/Intrinsics.h"
#include "xla/codegen/gpu/LowerKernel.h"
#include "xla/codegen/gpu/MatrixTiles.h"

namespace xla::gpu {

namespace {

class MatrixLowering {
public:
  MatrixLowering(cpu::Emitter &e, const MatrixCall &call, const Target &target)
      : e(e), b(e.builder()), matrices(call), target(target),
        fragments(fragmentsOf(target.unit)) {}

  void lower();

private:
  void clear();
  void fetch();
  void copyByThread();
  bool isOfThread(size_t buffer) const {
    return matrices.buffers[buffer]->memory == kernel::Buffer::Scratch &&
           matrices.buffers[buffer]->scope == kernel::Scope::Thread;
  }
  void multiply();
  void forEachStep(llvm::function_ref<void(llvm::Value *)> body);
  void multiplyFromMemory();
  void spread();

  llvm::Value *call(llvm::StringRef symbol, llvm::Type *result,
                    llvm::ArrayRef<llvm::Value *> arguments) {
    return callProcessor(b, symbol, result, arguments);
  }
  llvm::Value *number(int64_t value) {
    return b.getInt32(static_cast<uint32_t>(value));
  }
  llvm::Value *thread() { return call(threadSymbol, b.getInt32Ty(), {}); }
  llvm::Value *element(size_t buffer, llvm::Value *index) {
    return b.CreateInBoundsGEP(
        cpu::memoryType(matrices.buffers[buffer]->type, e.context()),
        matrices.memory[buffer], index);
  }
  llvm::Value *sumAt(int64_t index) {
    return b.CreateConstInBoundsGEP1_64(sumType(), matrices.memory[sums()],
                                        static_cast<uint64_t>(index));
  }
  size_t sums() const { return matrices.entry == spreadCall ? 1 : 0; }
  llvm::Type *sumType() {
    return cpu::memoryType(matrices.buffers[sums()]->type, e.context());
  }
  int64_t sumsOfThread() const { return matrices.buffers[sums()]->shape[0]; }
  /// Lines of a block, and of one group of threads.
  int64_t size() const { return sumsOfThread() >= 64 ? 128 : 64; }
  int64_t groupRows() const { return target.threads / fragments.lanes / 2; }
  int64_t linesOfGroup() const { return size() / groupRows(); }
  /// Whether an instruction reads its operands from memory of the block.
  bool isFromMemory() const;
  std::string kind() const;
  std::pair<llvm::Value *, llvm::Value *> positionOf(llvm::Value *lane,
                                                     unsigned sum);

  cpu::Emitter &e;
  llvm::IRBuilder<> &b;
  const MatrixCall &matrices;
  const Target &target;
  Fragments fragments;
};

} // namespace

bool MatrixLowering::isFromMemory() const {
  return target.unit == MatrixUnit::Wgmma;
}

/// What is multiplied, as the names of neutral functions say it.
std::string MatrixLowering::kind() const {
  return matrices.entry == multiplyTf32Call
             ? "tf32"
             : std::string(name(matrices.buffers[1]->type));
}

void MatrixLowering::lower() {
  if (matrices.entry == clearCall) {
    clear();
  } else if (matrices.entry == fetchCall) {
    fetch();
  } else if (matrices.entry == fetchedCall) {
    call(fetchedSymbol, b.getVoidTy(), {});
  } else if (matrices.entry == awaitCall) {
    call(awaitSymbol, b.getVoidTy(),
         {b.CreateTrunc(matrices.indices[0], b.getInt32Ty())});
  } else if (matrices.entry == spreadCall) {
    spread();
  } else if (isFromMemory()) {
    multiplyFromMemory();
  } else {
    multiply();
  }
}

void MatrixLowering::clear() {
  for (int64_t i = 0; i < sumsOfThread(); ++i) {
    b.CreateStore(llvm::Constant::getNullValue(sumType()), sumAt(i));
  }
}

/// Memory of a thread is its registers: a load into them is on its way until
/// what it brings is used.
void MatrixLowering::copyByThread() {
  int64_t width = byteWidth(matrices.buffers[0]->type);
  auto *count = llvm::cast<llvm::ConstantInt>(matrices.indices[2]);
  auto *type = llvm::FixedVectorType::get(
      b.getInt32Ty(), static_cast<unsigned>(count->getSExtValue() * width / 4));
  auto alignmentOf = [&](size_t n) {
    return llvm::Align(isOfThread(n)
                           ? static_cast<uint64_t>(width)
                           : static_cast<uint64_t>(type->getNumElements()) * 4);
  };
  llvm::Value *piece = b.CreateAlignedLoad(
      type, element(1, matrices.indices[1]), alignmentOf(1));
  piece = b.CreateSelect(b.CreateICmpNE(matrices.indices[3], e.constant(0)),
                         piece, llvm::Constant::getNullValue(type));
  b.CreateAlignedStore(piece, element(0, matrices.indices[0]), alignmentOf(0));
}

void MatrixLowering::fetch() {
  if (isOfThread(0) || isOfThread(1)) {
    copyByThread();
    return;
  }
  int64_t width = byteWidth(matrices.buffers[0]->type);
  llvm::Value *bytes =
      b.CreateMul(b.CreateTrunc(matrices.indices[2], b.getInt32Ty()),
                  number(width), "bytes");
  call(fetchSymbol, b.getVoidTy(),
       {element(0, matrices.indices[0]), element(1, matrices.indices[1]), bytes,
        b.CreateICmpNE(matrices.indices[3], e.constant(0))});
}

/// Sums of a group: by parts, then by 16 lines.
void MatrixLowering::multiply() {
  llvm::Value *group = b.CreateUDiv(thread(), number(fragments.lanes));
  llvm::Value *row = b.CreateUDiv(group, number(2));
  llvm::Value *column = b.CreateURem(group, number(2));
  llvm::Type *operand =
      llvm::FixedVectorType::get(b.getInt32Ty(), fragments.words);
  auto *own = llvm::FixedVectorType::get(sumType(), fragments.sums);
  int64_t rowTiles = linesOfGroup() / 16, parts = size() / columnsOfPart;
  auto byLines = [&](size_t n) {
    return b.CreateICmpNE(matrices.indices[n], e.constant(0));
  };
  auto load = [&](size_t buffer, llvm::Value *line, llvm::Value *step) {
    llvm::Value *offset = b.CreateMul(b.CreateUDiv(line, number(cellLines)),
                                      number(lineGroupBytes));
    offset =
        b.CreateAdd(offset, b.CreateMul(b.CreateTrunc(step, b.getInt32Ty()),
                                        number(2 * cellBytes)));
    llvm::Value *start = element(buffer, matrices.indices[buffer - 1]);
    return call(loadMatrixSymbol, operand,
                {b.CreateInBoundsGEP(b.getInt8Ty(), start, offset),
                 byLines(buffer + 1)});
  };
  forEachStep([&](llvm::Value *step) {
    llvm::SmallVector<llvm::Value *> left;
    for (int64_t j = 0; j < rowTiles; ++j) {
      llvm::Value *line =
          b.CreateAdd(b.CreateMul(row, number(linesOfGroup())), number(16 * j));
      left.push_back(load(1, line, step));
    }
    for (int64_t i = 0; i < parts; ++i) {
      llvm::Value *line = b.CreateAdd(number(columnsOfPart * i),
                                      b.CreateMul(column, number(16)));
      llvm::Value *right = load(2, line, step);
      for (int64_t j = 0; j < rowTiles; ++j) {
        llvm::Value *position = sumAt((i * rowTiles + j) * fragments.sums);
        llvm::Align align(4);
        llvm::Value *old = b.CreateAlignedLoad(own, position, align);
        llvm::Value *made = call((multiplySymbol + kind()).str(), own,
                                 {old, left[static_cast<size_t>(j)], right});
        b.CreateAlignedStore(made, position, align);
      }
    }
  });
}

/// The steps of a stage follow each other. Where a number is three, of which
/// six products are made, they are a loop: written out, their code is twice as
/// long, and nothing is won.
void MatrixLowering::forEachStep(llvm::function_ref<void(llvm::Value *)> body) {
  constexpr int64_t steps = stageBytes / 32;
  if (kind() != "f32" || target.unit == MatrixUnit::Mfma) {
    for (int64_t step = 0; step < steps; ++step) {
      body(e.constant(step));
    }
    return;
  }
  e.loop(e.constant(0), e.constant(steps), body);
  llvm::LLVMContext &context = e.context();
  auto *keep = llvm::MDNode::get(
      context, llvm::MDString::get(context, "llvm.loop.unroll.disable"));
  auto *marks = llvm::MDNode::getDistinct(context, {nullptr, keep});
  marks->replaceOperandWith(0, marks);
  llvm::BasicBlock *latch = b.GetInsertBlock()->getSinglePredecessor();
  latch->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, marks);
}

/// Of 128 threads each: 64 rows; and all columns of a block of 128, or every
/// second 8 columns of one of 64.
void MatrixLowering::multiplyFromMemory() {
  llvm::Value *group = b.CreateUDiv(thread(), number(128));
  bool isLarge = size() == 128;
  auto *own = llvm::FixedVectorType::get(sumType(),
                                         static_cast<unsigned>(sumsOfThread()));
  llvm::Value *left = element(1, matrices.indices[0]);
  llvm::Value *right = element(2, matrices.indices[1]);
  llvm::Value *offset =
      b.CreateMul(group, number(isLarge ? 64 / cellLines * lineGroupBytes
                                        : lineGroupBytes));
  llvm::Value *&moved = isLarge ? left : right;
  moved = b.CreateInBoundsGEP(b.getInt8Ty(), moved, offset);
  llvm::Align align(4);
  llvm::Value *old = b.CreateAlignedLoad(own, sumAt(0), align);
  auto byLines = [&](size_t n) {
    return b.CreateICmpNE(matrices.indices[n], e.constant(0));
  };
  // A function has one type: blocks of two sizes may be in one module.
  std::string symbol = multiplyFromMemorySymbol.str() +
                       std::to_string(sumsOfThread()) + "." + kind();
  llvm::Value *made = call(
      symbol, own,
      {old, left, right, number(isLarge ? lineGroupBytes : 2 * lineGroupBytes),
       byLines(2), byLines(3)});
  b.CreateAlignedStore(made, sumAt(0), align);
}

/// The row and the column, of 16 each, of a sum that a thread of a group has.
std::pair<llvm::Value *, llvm::Value *>
MatrixLowering::positionOf(llvm::Value *lane, unsigned sum) {
  auto part = [&](int64_t unit) { return b.CreateUDiv(lane, number(unit)); };
  auto rest = [&](int64_t unit) { return b.CreateURem(lane, number(unit)); };
  auto plus = [&](llvm::Value *x, int64_t y) {
    return b.CreateAdd(x, number(y));
  };
  switch (target.unit) {
  case MatrixUnit::Mfma:
    return {plus(b.CreateMul(part(16), number(4)), sum), rest(16)};
  case MatrixUnit::Wmma:
    return {plus(part(16), 2 * static_cast<int64_t>(sum)), rest(16)};
  default:
    return {plus(part(4), sum % 4 / 2 * 8),
            plus(b.CreateMul(rest(4), number(2)), sum / 4 * 8 + sum % 2)};
  }
}

void MatrixLowering::spread() {
  auto *part = llvm::dyn_cast<llvm::ConstantInt>(matrices.indices[0]);
  int64_t perPart = size() * columnsOfPart / target.threads;
  int64_t first = part ? part->getSExtValue() * perPart : 0;
  llvm::Value *lane = b.CreateURem(thread(), number(fragments.lanes));
  llvm::Value *group = b.CreateUDiv(thread(), number(fragments.lanes));
  for (int64_t n = 0; n < perPart; ++n) {
    llvm::Value *row = nullptr, *column = nullptr;
    if (isFromMemory()) {
      // 16 rows of each group of 32; the sums of 8 columns after each other.
      int64_t eight = n / 4;
      std::tie(row, column) = positionOf(lane, static_cast<unsigned>(n % 4));
      llvm::Value *four = b.CreateUDiv(group, number(4));
      bool isLarge = size() == 128;
      row = b.CreateAdd(
          row, b.CreateMul(isLarge ? group : b.CreateURem(group, number(4)),
                           number(16)));
      llvm::Value *block =
          isLarge
              ? number(8 * eight)
              : b.CreateMul(b.CreateAdd(number(2 * eight), four), number(8));
      column = b.CreateAdd(column, block);
    } else {
      int64_t tile = n / fragments.sums;
      std::tie(row, column) =
          positionOf(lane, static_cast<unsigned>(n % fragments.sums));
      llvm::Value *line =
          b.CreateMul(b.CreateUDiv(group, number(2)), number(linesOfGroup()));
      row = b.CreateAdd(row, b.CreateAdd(line, number(16 * tile)));
      column = b.CreateAdd(
          column, b.CreateMul(b.CreateURem(group, number(2)), number(16)));
    }
    llvm::Value *turned =
        b.CreateURem(b.CreateAdd(column, b.CreateMul(row, number(4))),
                     number(columnsOfPart));
    llvm::Value *position =
        b.CreateAdd(b.CreateMul(row, number(columnsOfPart)), turned);
    b.CreateStore(b.CreateLoad(sumType(), sumAt(first + n)),
                  element(0, b.CreateZExt(position, b.getInt64Ty())));
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Target targetOfProducts(const kernel::Kernel &kernel, const Target &target) {
  Target chosen = target;
  for (const kernel::Step &step : kernel.steps) {
    if (target.unit != MatrixUnit::Wgmma || step.entry != multiplyCall) {
      continue;
    }
    ElementType type = kernel.buffers[-(step.operands[1] + 2)].type;
    // f32 is several products of parts of it, which are made in registers.
    if (type == ElementType::F32 || type == ElementType::F8E4M3FNUZ) {
      chosen.unit = MatrixUnit::Mma;
    }
  }
  return chosen;
}

static bool isProduct(const kernel::Step &step) {
  return step.entry == multiplyCall || step.entry == multiplyTf32Call;
}

std::string checkMatrixCall(const kernel::Kernel &kernel,
                            const kernel::Step &step, const Target &target) {
  struct Row {
    llvm::StringRef entry;
    size_t buffers, indices;
  };
  static constexpr Row rows[] = {
      {clearCall, 1, 0},  {fetchCall, 2, 4},    {fetchedCall, 0, 0},
      {awaitCall, 0, 1},  {multiplyCall, 3, 4}, {multiplyTf32Call, 3, 4},
      {spreadCall, 2, 1},
  };
  const Row *row = llvm::find_if(
      rows, [&](const Row &one) { return one.entry == step.entry; });
  if (row == std::end(rows)) {
    return "calls of '" + step.entry.str() + "'";
  }
  if (target.unit == MatrixUnit::None) {
    return "calls of matrix units, which the target lacks,";
  }
  auto isBuffer = [](kernel::Id id) { return id < kernel::noId; };
  size_t buffers = static_cast<size_t>(llvm::count_if(step.operands, isBuffer));
  if (buffers != row->buffers ||
      step.operands.size() != row->buffers + row->indices ||
      !llvm::all_of(llvm::ArrayRef(step.operands).take_front(buffers),
                    isBuffer)) {
    return "calls of '" + step.entry.str() + "' with other operands";
  }
  auto bufferAt = [&](size_t n) -> const kernel::Buffer & {
    return kernel.buffers[-(step.operands[n] + 2)];
  };
  auto areSums = [&](size_t n) {
    const kernel::Buffer &sums = bufferAt(n);
    return sums.scope == kernel::Scope::Thread &&
           sums.memory == kernel::Buffer::Scratch && sums.shape.size() == 1 &&
           (sums.shape[0] == 16 || sums.shape[0] == 64) &&
           byteWidth(sums.type) == 4;
  };
  // What is chosen when code is made: all but positions, and whether something
  // is there.
  bool isFetch = step.entry == fetchCall;
  for (size_t n = isFetch || isProduct(step) ? buffers + 2 : buffers;
       n < step.operands.size() - isFetch; ++n) {
    if (kernel.steps[step.operands[n]].code != kernel::Code::Number) {
      return "calls of '" + step.entry.str() + "' with indices for numbers";
    }
  }
  bool isFine = step.entry == clearCall    ? areSums(0)
                : step.entry == spreadCall ? areSums(1)
                : isProduct(step)
                    ? areSums(0) && isMatrixElement(bufferAt(1).type) &&
                          bufferAt(1).type == bufferAt(2).type
                    : true;
  return isFine ? "" : "calls of '" + step.entry.str() + "' with such buffers";
}

void lowerMatrixCall(cpu::Emitter &e, const MatrixCall &call,
                     const Target &target) {
  MatrixLowering(e, call, target).lower();
}

} // namespace xla::gpu
