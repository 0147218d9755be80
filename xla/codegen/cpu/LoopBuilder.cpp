//===- LoopBuilder.cpp - Loops, nests of them, and threads ----------------===//

#include "xla/codegen/cpu/LoopBuilder.h"

#include "xla/codegen/cpu/TargetDescription.h"

#include <cmath>

namespace xla::cpu {

llvm::SmallVector<llvm::Value *>
LoopBuilder::loop(llvm::Value *begin, llvm::Value *end,
                  llvm::ArrayRef<llvm::Value *> carried, CarryBody body) {
  auto *first = llvm::dyn_cast<llvm::ConstantInt>(begin);
  auto *last = llvm::dyn_cast<llvm::ConstantInt>(end);
  bool runs = first && last && first->getSExtValue() < last->getSExtValue();
  if (first && last && !runs) {
    return llvm::SmallVector<llvm::Value *>(carried);
  }
  if (runs && last->getSExtValue() - first->getSExtValue() == 1) {
    Scope scope(*this);
    return body(begin, carried);
  }
  llvm::LLVMContext &context = this->context();
  auto *before = builder().GetInsertBlock();
  auto *inside = llvm::BasicBlock::Create(context, "loop", frame->function);
  auto *after = llvm::BasicBlock::Create(context, "after", frame->function);
  if (runs) {
    builder().CreateBr(inside);
  } else {
    builder().CreateCondBr(builder().CreateICmpSLT(begin, end), inside, after);
  }
  builder().SetInsertPoint(inside);
  llvm::PHINode *counter = builder().CreatePHI(builder().getInt64Ty(), 2);
  counter->addIncoming(begin, before);
  llvm::SmallVector<llvm::PHINode *> phis;
  llvm::SmallVector<llvm::Value *> values;
  for (llvm::Value *value : carried) {
    phis.push_back(builder().CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
    values.push_back(phis.back());
  }
  llvm::SmallVector<llvm::Value *> next;
  {
    Scope scope(*this);
    next = body(counter, values);
  }
  auto *latch = builder().GetInsertBlock();
  llvm::Value *step = builder().CreateNUWAdd(counter, constant(1));
  llvm::cast<llvm::Instruction>(step)->setHasNoSignedWrap();
  counter->addIncoming(step, latch);
  for (auto [phi, value] : llvm::zip_equal(phis, next)) {
    phi->addIncoming(value, latch);
  }
  builder().CreateCondBr(builder().CreateICmpSLT(step, end), inside, after);
  builder().SetInsertPoint(after);
  llvm::SmallVector<llvm::Value *> results;
  for (auto [i, value] : llvm::enumerate(next)) {
    llvm::PHINode *result = builder().CreatePHI(value->getType(), 2);
    result->addIncoming(value, latch);
    if (!runs) {
      result->addIncoming(carried[i], before);
    }
    results.push_back(result);
  }
  return results;
}

void LoopBuilder::loop(llvm::Value *begin, llvm::Value *end, Body body) {
  loop(begin, end, {}, [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *>) {
    body(i);
    return llvm::SmallVector<llvm::Value *>();
  });
}

void LoopBuilder::when(llvm::Value *condition,
                       llvm::function_ref<void()> body) {
  auto *yes = llvm::BasicBlock::Create(context(), "then", frame->function);
  auto *after = llvm::BasicBlock::Create(context(), "after", frame->function);
  builder().CreateCondBr(condition, yes, after);
  builder().SetInsertPoint(yes);
  {
    Scope scope(*this);
    body();
  }
  builder().CreateBr(after);
  builder().SetInsertPoint(after);
}

bool LoopBuilder::isWorthSharing(double additions) {
  return additions >= cpuTarget.worthSharing;
}

void LoopBuilder::parallel(int64_t count, double cost, RangeBody body) {
  if (count <= 0) {
    return;
  }
  if (rowBlock) {
    llvm::Value *perRow = constant(count / rowBlock->rows);
    body(builder().CreateNSWMul(rowBlock->first, perRow),
         builder().CreateNSWMul(rowBlock->last, perRow));
    return;
  }
  bool inside = frame->kind == Frame::Body;
  if (inside || count < 2 ||
      !isWorthSharing(static_cast<double>(count) * cost)) {
    body(constant(0), constant(count));
    return;
  }
  int64_t grain = std::max<int64_t>(1, std::ceil(cpuTarget.pieceOfWork / cost));
  llvm::Type *pointer = builder().getPtrTy(), *word = builder().getInt64Ty();
  auto *type = llvm::FunctionType::get(builder().getVoidTy(),
                                       {pointer, word, word}, false);
  llvm::Value *captured = nullptr;
  llvm::Function *function = outline(
      type, "loop" + llvm::Twine(kernels++),
      [&](llvm::Function *inner) {
        body(inner->getArg(1), inner->getArg(2));
        builder().CreateRetVoid();
      },
      captured);
  callRuntime("xla_parallel_for", builder().getVoidTy(),
              {constant(count), constant(grain), function, captured});
}

/// What finds an element among those of more than two dimensions is code too.
static int64_t indexCode(llvm::ArrayRef<int64_t> shape) {
  return static_cast<int64_t>(shape.size()) - 2;
}

/// Whether the elements along the last dimension are written out, so that the
/// dimension before becomes the inner loop: vector code then has the elements
/// of many lines side by side. Where they fill vectors, a line is enough.
static bool isWrittenOut(llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<int64_t> breaks, int64_t code) {
  // Few lines are not worth the code.
  constexpr int64_t most = 15, many = 1 << 14, mostCode = 256, littleCode = 64;
  int64_t inner = shape.back(), lines = 1;
  if (shape.size() == 1) {
    return false;
  }
  if (static_cast<int64_t>(breaks.size()) + 1 == inner) {
    return true; // each is a piece of its own
  }
  for (int64_t size : shape.drop_back()) {
    lines *= size;
  }
  // Without it arrays of many dimensions would be written out whole.
  code += indexCode(shape);
  bool fillsVectors = inner >= 4 && llvm::isPowerOf2_64(inner);
  return inner <= most && (!fillsVectors || !breaks.empty()) &&
         inner * code <= (lines >= many ? mostCode : littleCode);
}

void LoopBuilder::nest(llvm::ArrayRef<int64_t> shape, bool linear, double cost,
                       NestBody body, llvm::ArrayRef<int64_t> breaks,
                       int64_t code) {
  int64_t count = 1;
  for (int64_t size : shape) {
    count *= size;
  }
  if (count == 0) {
    return;
  }
  if (shape.empty()) {
    Scope scope(*this);
    body({});
    return;
  }
  // A handful of elements in a loop of the program: written out, with constants
  // for indices, so that pieces and pads are chosen here and loads of one
  // element are one. For other lines it would cost compile time for nothing.
  constexpr int64_t handful = 8;
  if (count <= handful && programLoops > 0) {
    Scope scope(*this);
    for (int64_t i = 0; i < count; ++i) {
      Index index;
      index.linear = constant(i);
      if (!linear) {
        index.dims = dimsOf(index, shape);
        index.linear = nullptr;
      }
      body(index);
    }
    return;
  }
  // Of a row group's nest over an element per row the last dimension is cut.
  bool oneEach = rowBlock && (count / shape.back()) % rowBlock->rows != 0;
  if (oneEach && shape.size() > 1) {
    breaks = {};
  }
  if (!linear && !oneEach && isWrittenOut(shape, breaks, code)) {
    int64_t inner = shape.back();
    llvm::ArrayRef<int64_t> lines = shape.drop_back();
    nest(
        lines, false, cost * static_cast<double>(inner),
        [&](const Index &line) {
          Index index;
          index.dims = dimsOf(line, lines);
          index.dims.push_back(nullptr);
          for (int64_t i = 0; i < inner; ++i) {
            index.dims.back() = constant(i);
            body(index);
          }
        },
        {}, (code + (shape.size() > 3 ? indexCode(shape) : 0)) * inner);
    return;
  }
  if (linear || shape.size() == 1 || oneEach) {
    parallel(count, cost, [&](llvm::Value *begin, llvm::Value *end) {
      segmentedLoop(begin, end, count, breaks, [&](llvm::Value *i) {
        Index index;
        index.linear = i;
        body(index);
      });
    });
    return;
  }
  // Rows are shared out; long rows, if they are few, in blocks.
  constexpr int64_t block = cpuTarget.blockOfRow;
  int64_t inner = shape.back(), rows = count / inner;
  int64_t blocks = rows < 16 ? (inner + block - 1) / block : 1;
  llvm::ArrayRef<int64_t> outer = shape.drop_back();
  double rowCost = cost * static_cast<double>(blocks > 1 ? block : inner);
  parallel(rows * blocks, rowCost, [&](llvm::Value *begin, llvm::Value *end) {
    loop(begin, end, [&](llvm::Value *piece) {
      llvm::Value *first = constant(0), *last = constant(inner);
      Index row;
      row.linear = piece;
      if (blocks > 1) {
        row.linear = builder().CreateUDiv(piece, constant(blocks));
        first = builder().CreateMul(
            builder().CreateURem(piece, constant(blocks)), constant(block));
        last = builder().CreateBinaryIntrinsic(
            llvm::Intrinsic::smin, builder().CreateAdd(first, constant(block)),
            constant(inner));
      }
      Index index;
      index.dims = dimsOf(row, outer);
      index.dims.push_back(nullptr);
      segmentedLoop(first, last, inner, breaks, [&](llvm::Value *i) {
        index.dims.back() = i;
        body(index);
      });
    });
  });
}

void LoopBuilder::serialNest(llvm::ArrayRef<int64_t> shape, NestBody body) {
  Index index;
  // Recursion over dimensions, whose number is small.
  auto visit = [&](auto &self, size_t d) -> void {
    if (d == shape.size()) {
      body(index);
      return;
    }
    loop(constant(0), constant(shape[d]), [&](llvm::Value *i) {
      index.dims.push_back(i);
      self(self, d + 1);
      index.dims.pop_back();
    });
  };
  if (shape.empty()) {
    Scope scope(*this);
    body(index);
    return;
  }
  visit(visit, 0);
}

void LoopBuilder::copy(const BufferSlice &from, const BufferSlice &to,
                       int64_t bytes) {
  if (from == to || bytes == 0) {
    return;
  }
  llvm::Value *source = pointerTo(from), *target = pointerTo(to);
  auto transfer = [&] {
    constexpr int64_t piece = 1 << 16;
    if (bytes < 16 * piece) {
      builder().CreateMemCpy(target, llvm::Align(8), source, llvm::Align(8),
                             bytes);
      return;
    }
    int64_t pieces = (bytes + piece - 1) / piece;
    parallel(pieces, piece / 16, [&](llvm::Value *begin, llvm::Value *end) {
      llvm::Value *first = builder().CreateMul(begin, constant(piece));
      llvm::Value *last = builder().CreateBinaryIntrinsic(
          llvm::Intrinsic::smin, builder().CreateMul(end, constant(piece)),
          constant(bytes));
      auto at = [&](const BufferSlice &slice) {
        return builder().CreateInBoundsGEP(builder().getInt8Ty(),
                                           pointerTo(slice), first);
      };
      builder().CreateMemCpy(at(to), llvm::Align(8), at(from), llvm::Align(8),
                             builder().CreateSub(last, first));
    });
  };
  if (overlaps(from, to)) {
    when(builder().CreateICmpNE(source, target), transfer);
    return;
  }
  transfer();
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

static bool isZero(llvm::Value *index) {
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(index);
  return known && known->isZero();
}

llvm::Value *LoopBuilder::sumOf(llvm::Value *first, llvm::Value *second) {
  if (isZero(first) || isZero(second)) {
    return isZero(first) ? second : first;
  }
  return builder().CreateNSWAdd(first, second);
}

llvm::Value *LoopBuilder::timesOf(llvm::Value *index, int64_t factor) {
  return factor == 1 || isZero(index)
             ? index
             : builder().CreateNSWMul(index, constant(factor));
}

llvm::Value *LoopBuilder::linearOf(const Index &index,
                                   llvm::ArrayRef<int64_t> shape) {
  if (index.linear) {
    return index.linear;
  }
  // One factor for dimensions in a row whose indices are 0.
  llvm::Value *linear = constant(0);
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

llvm::SmallVector<llvm::Value *, 4>
LoopBuilder::dimsOf(const Index &index, llvm::ArrayRef<int64_t> shape) {
  if (!index.dims.empty() || shape.empty()) {
    return index.dims;
  }
  llvm::SmallVector<llvm::Value *, 4> dims(shape.size(), constant(0));
  llvm::Value *rest = index.linear;
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
    llvm::Value *quotient =
        inner == 1 ? rest : builder().CreateUDiv(rest, constant(inner));
    dims[d] = outermost ? quotient
                        : builder().CreateURem(quotient, constant(shape[d]));
    outermost = false;
  }
  return dims;
}

/// The index in `to` of the element at `index` in `from`: the shapes are cut
/// into the smallest groups of dimensions with equal products, and only within
/// a group are numbers put together and taken apart.
Index LoopBuilder::reshapeIndex(const Index &index,
                                llvm::ArrayRef<int64_t> from,
                                llvm::ArrayRef<int64_t> to) {
  Index result;
  if (index.linear || to.empty()) {
    result.linear = to.empty() ? nullptr : index.linear;
    return result;
  }
  result.dims.assign(to.size(), constant(0));
  if (llvm::is_contained(from, 0) || llvm::is_contained(to, 0)) {
    return result; // no element is ever computed
  }
  size_t i = 0, j = 0;
  while (j < to.size()) {
    if (to[j] == 1) {
      ++j;
      continue;
    }
    while (i < from.size() && from[i] == 1) {
      ++i;
    }
    size_t i0 = i, j0 = j;
    int64_t a = from[i++], b = to[j++];
    while (a != b) {
      if (a < b) {
        a *= from[i++];
      } else {
        b *= to[j++];
      }
    }
    llvm::ArrayRef<int64_t> source = from.slice(i0, i - i0);
    llvm::ArrayRef<int64_t> target = to.slice(j0, j - j0);
    Index part;
    part.dims.append(index.dims.begin() + i0, index.dims.begin() + i);
    Index flat;
    flat.linear = linearOf(part, source);
    auto dims = dimsOf(flat, target);
    llvm::copy(dims, result.dims.begin() + j0);
  }
  return result;
}

llvm::Value *LoopBuilder::widenIndex(mlir::Value indices, Element start) {
  bool isSigned = isSignedInteger(elementTypeOf(indices.getType()));
  return builder().CreateIntCast(start.real, builder().getInt64Ty(), isSigned);
}

llvm::Value *LoopBuilder::clampedStart(mlir::Value indices, Element start,
                                       int64_t most) {
  if (most <= 0) {
    return constant(0);
  }
  ElementType type = elementTypeOf(indices.getType());
  llvm::Value *wide = widenIndex(indices, start);
  if (isSignedInteger(type)) {
    wide = builder().CreateBinaryIntrinsic(llvm::Intrinsic::smax, wide,
                                           constant(0));
  }
  return builder().CreateBinaryIntrinsic(llvm::Intrinsic::umin, wide,
                                         constant(most));
}

} // namespace xla::cpu
