//===- Dot.cpp - Matrix products ------------------------------------------===//
//
// dot_general becomes calls of the runtime's batched product: dimensions that
// could not be merged are looped over around the call. Small products are
// computed in line.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/lower/product/Product.h"

#include "xla/codegen/cpu/lower/Steps.h"
#include "xla/codegen/cpu/lower/elementwise/Elementwise.h"
#include "xla/codegen/cpu/lower/product/SmallProducts.h"
#include "xla/codegen/cpu/lower/reduce/Folds.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

static llvm::Value *plus(Emitter &e, llvm::Value *offset, llvm::Value *i,
                         int64_t stride) {
  return stride ? e.builder().CreateNSWAdd(
                      offset, e.builder().CreateNSWMul(i, e.constant(stride)))
                : offset;
}

namespace {
/// Where the arrays are, and the number of the round through all loops.
struct Offsets {
  llvm::Value *lhs, *rhs, *result, *piece;
};
} // namespace

/// Loops over `axes` and hands on where the arrays are then.
static void loopOver(Emitter &e, llvm::ArrayRef<Axis> axes, Offsets at,
                     llvm::function_ref<void(Offsets)> body) {
  if (axes.empty()) {
    body(at);
    return;
  }
  const Axis &axis = axes.front();
  e.loop(e.constant(0), e.constant(axis.size), [&](llvm::Value *i) {
    loopOver(e, axes.drop_front(),
             {plus(e, at.lhs, i, axis.lhs), plus(e, at.rhs, i, axis.rhs),
              plus(e, at.result, i, axis.result),
              plus(e, i, at.piece, axis.size)},
             body);
  });
}

/// A call of the runtime for the last axis of every kind, in loops over the
/// others.
static void emitCalls(Emitter &e, const Product &p, llvm::StringRef entry,
                      ElementType written, const BufferSlice &target,
                      const EpilogueFunction &epilogue) {
  auto last = [](llvm::ArrayRef<Axis> axes) {
    return axes.empty() ? Axis{1, 0, 0, 0} : axes.back();
  };
  Axis batch = last(p.batch), row = last(p.rows), column = last(p.columns),
       inner = last(p.inner);
  llvm::SmallVector<Axis> outer;
  for (const auto *axes : {&p.batch, &p.rows, &p.columns}) {
    outer.append(axes->begin(), axes->empty() ? axes->end() : axes->end() - 1);
  }
  llvm::ArrayRef<Axis> sums = p.inner;
  sums = sums.empty() ? sums : sums.drop_back();
  auto address = [&](const BufferSlice &slice, ElementType type,
                     llvm::Value *at) {
    return e.builder().CreateInBoundsGEP(memoryType(type, e.context()),
                                         e.pointerTo(slice), at);
  };
  BufferSlice lhs = e.buffers.sliceOf(p.lhs.buffer);
  BufferSlice rhs = e.buffers.sliceOf(p.rhs.buffer);
  llvm::Value *zero = e.constant(0);
  Offsets start = {e.constant(p.lhs.offset), e.constant(p.rhs.offset), zero,
                   zero};
  loopOver(e, outer, start, [&](Offsets at) {
    at.piece = zero;
    loopOver(e, sums, at, [&](Offsets inside) {
      llvm::IRBuilder<> &b = e.builder();
      // All but the first of the summed pieces add to what is there; the last
      // finishes it.
      llvm::Value *again = e.constant(0), *finish = epilogue.function;
      if (!sums.empty()) {
        again = b.CreateZExt(b.CreateICmpNE(inside.piece, e.constant(0)),
                             b.getInt64Ty());
        finish = b.CreateSelect(
            b.CreateICmpEQ(inside.piece, e.constant(sizeOf(sums) - 1)), finish,
            llvm::Constant::getNullValue(finish->getType()));
      }
      llvm::Value *structure =
          e.words({e.constant(batch.size), e.constant(row.size),
                   e.constant(column.size), e.constant(inner.size),
                   address(lhs, p.lhsType, inside.lhs), e.constant(batch.lhs),
                   e.constant(row.lhs), e.constant(inner.lhs),
                   address(rhs, p.rhsType, inside.rhs), e.constant(batch.rhs),
                   e.constant(inner.rhs), e.constant(column.rhs),
                   address(target, written, inside.result),
                   e.constant(batch.result), e.constant(row.result), again,
                   finish, epilogue.context, inside.result});
      e.callRuntime(entry, b.getVoidTy(), structure);
    });
  });
}

namespace {
/// Sums in line: few terms side by side, so that the loop over columns is
/// vectorised; many in a loop, or for a stretch of columns at a time.
class InLine {
public:
  InLine(Emitter &e, const Product &p, DotGeneralOp op, const LoopPlan &loops)
      : e(e), p(p), loops(loops), target(e.buffers.sliceOf(op.getResult())),
        type(accumulatorOf(p.resultType)), isBoolean(type == ElementType::Pred),
        terms(sizeOf(p.inner)), outer(p.batch) {
    llvm::append_range(outer, p.rows);
    llvm::append_range(outer, p.columns);
  }
  void emit();
  void emitStretches();

private:
  using Values = llvm::SmallVector<llvm::Value *>;

  Offsets offsetsOf(llvm::ArrayRef<Axis> axes,
                    llvm::ArrayRef<llvm::Value *> dims);
  Element product(llvm::Value *l, llvm::Value *r);
  llvm::Value *add(llvm::Value *x, llvm::Value *y, bool anyOrder);
  Values sum(llvm::ArrayRef<llvm::Value *> acc, Element x);
  Offsets term(Offsets at, llvm::Value *k);
  void store(llvm::Value *at, llvm::ArrayRef<llvm::Value *> sums);
  llvm::Value *zero() {
    return llvm::Constant::getNullValue(registerType(type, e.context()));
  }
  unsigned parts() const { return isComplex(type) ? 2 : 1; }
  void emitStretch(Offsets at, llvm::Value *count);

  Emitter &e;
  const Product &p;
  const LoopPlan &loops;
  BufferSlice target;
  ElementType type;
  bool isBoolean;
  int64_t terms;
  llvm::SmallVector<Axis> outer;
};
} // namespace

Offsets InLine::offsetsOf(llvm::ArrayRef<Axis> axes,
                          llvm::ArrayRef<llvm::Value *> dims) {
  Offsets at = {e.constant(p.lhs.offset), e.constant(p.rhs.offset),
                e.constant(0), nullptr};
  for (auto [axis, i] : llvm::zip(axes, dims)) {
    at = {plus(e, at.lhs, i, axis.lhs), plus(e, at.rhs, i, axis.rhs),
          plus(e, at.result, i, axis.result), nullptr};
  }
  return at;
}

Element InLine::product(llvm::Value *l, llvm::Value *r) {
  llvm::IRBuilder<> &b = e.builder();
  auto read = [&](ElementType from, const View &view, llvm::Value *at) {
    bool inMemory = e.fusion.formOf(view.buffer) == Form::Buffer;
    Element element = inMemory
                          ? e.load(from, e.buffers.sliceOf(view.buffer), at)
                          : e.scalar(view.buffer);
    return convertElement(e, element, from, type);
  };
  Element x = read(p.lhsType, p.lhs, l), y = read(p.rhsType, p.rhs, r);
  if (isComplex(type)) {
    return {b.CreateFSub(b.CreateFMul(x.real, y.real),
                         b.CreateFMul(x.imag, y.imag)),
            b.CreateFAdd(b.CreateFMul(x.real, y.imag),
                         b.CreateFMul(x.imag, y.real))};
  }
  return {isFloat(type) ? b.CreateFMul(x.real, y.real)
          : isBoolean   ? b.CreateAnd(x.real, y.real)
                        : b.CreateMul(x.real, y.real)};
}

llvm::Value *InLine::add(llvm::Value *x, llvm::Value *y, bool anyOrder) {
  llvm::IRBuilder<> &b = e.builder();
  if (!x->getType()->isFloatingPointTy()) {
    return isBoolean ? b.CreateOr(x, y) : b.CreateAdd(x, y);
  }
  // In any order: so that long sums are vectorised.
  llvm::FastMathFlags flags = b.getFastMathFlags();
  flags.setAllowReassoc(anyOrder);
  return b.CreateFAddFMF(x, y, flags);
}

InLine::Values InLine::sum(llvm::ArrayRef<llvm::Value *> acc, Element x) {
  Values values = flatten(x);
  for (auto [value, before] : llvm::zip_equal(values, acc)) {
    value = add(before, value, true);
  }
  return values;
}

/// Where the term number `k` is.
Offsets InLine::term(Offsets at, llvm::Value *k) {
  llvm::SmallVector<int64_t> sizes;
  for (const Axis &axis : p.inner) {
    sizes.push_back(axis.size);
  }
  Index flat;
  flat.linear = k;
  for (auto [axis, i] : llvm::zip_equal(p.inner, e.dimsOf(flat, sizes))) {
    at.lhs = plus(e, at.lhs, i, axis.lhs);
    at.rhs = plus(e, at.rhs, i, axis.rhs);
  }
  return at;
}

void InLine::store(llvm::Value *at, llvm::ArrayRef<llvm::Value *> sums) {
  Element value = {narrow(e, sums[0], p.resultType),
                   sums.size() > 1 ? sums[1] : nullptr};
  e.store(p.resultType, target, at, value);
}

void InLine::emitStretch(Offsets at, llvm::Value *count) {
  llvm::Type *element = registerType(type, e.context());
  Values sums;
  for (unsigned part = 0; part < parts(); ++part) {
    sums.push_back(
        e.frameSlot(llvm::ArrayType::get(element, columnsOfStretch)));
  }
  auto slot = [&](unsigned part, llvm::Value *j) {
    return e.builder().CreateInBoundsGEP(element, sums[part], j);
  };
  llvm::Value *none = e.constant(0);
  e.loop(none, count, [&](llvm::Value *j) {
    for (unsigned part = 0; part < parts(); ++part) {
      e.builder().CreateStore(zero(), slot(part, j));
    }
  });
  e.loop(none, e.constant(terms), [&](llvm::Value *k) {
    Offsets here = term(at, k);
    e.loop(none, count, [&](llvm::Value *j) {
      llvm::IRBuilder<> &b = e.builder();
      Values values = flatten(product(here.lhs, b.CreateNSWAdd(here.rhs, j)));
      for (auto [part, value] : llvm::enumerate(values)) {
        llvm::Value *address = slot(part, j);
        b.CreateStore(add(b.CreateLoad(element, address), value, false),
                      address);
      }
    });
  });
  e.loop(none, count, [&](llvm::Value *j) {
    Values values;
    for (unsigned part = 0; part < parts(); ++part) {
      values.push_back(e.builder().CreateLoad(element, slot(part, j)));
    }
    store(e.builder().CreateNSWAdd(at.result, j), values);
  });
}

void InLine::emitStretches() {
  Emitter::Writes written(e, target);
  int64_t columns = outer.back().size;
  e.nest(loops, [&](const Index &index) {
    llvm::IRBuilder<> &b = e.builder();
    auto dims = e.dimsOf(index, loops.shape);
    llvm::Value *first =
        b.CreateNSWMul(dims.back(), e.constant(columnsOfStretch));
    dims.back() = first;
    llvm::Value *count = b.CreateBinaryIntrinsic(
        llvm::Intrinsic::smin, e.constant(columnsOfStretch),
        b.CreateNSWSub(e.constant(columns), first));
    emitStretch(offsetsOf(outer, dims), count);
  });
}

void InLine::emit() {
  Emitter::Writes written(e, target);
  e.nest(loops, [&](const Index &index) {
    Offsets at = offsetsOf(outer, e.dimsOf(index, loops.shape));
    Values acc(parts(), zero());
    if (terms <= 32 && p.inner.size() <= 1) {
      for (int64_t k = 0; k < terms; ++k) {
        Offsets here = term(at, e.constant(k));
        acc = sum(acc, product(here.lhs, here.rhs));
      }
    } else {
      acc = e.loop(e.constant(0), e.constant(terms), acc,
                   [&](llvm::Value *k, llvm::ArrayRef<llvm::Value *> before) {
                     Offsets here = term(at, k);
                     return sum(before, product(here.lhs, here.rhs));
                   });
    }
    store(at.result, acc);
  });
}

void emitDot(Emitter &e, Operation *operation) {
  auto op = llvm::cast<DotGeneralOp>(operation);
  Kernel kernel = kernelOf(op);
  if (kernel.strategy == Strategy::Nothing) {
    return;
  }
  Product p = analyze(e.fusion, op);
  BufferSlice target = e.buffers.sliceOf(op.getResult());
  switch (kernel.strategy) {
  case Strategy::ComplexLines:
    emitComplexLines(e, p, target, e.buffers.scratchOf(op));
    return;
  case Strategy::MatrixVector:
    emitMatrixVectors(e, p, target, kernel.loops);
    return;
  case Strategy::SmallMatrices:
    emitSmallMatrices(e, p, target, kernel.loops);
    return;
  case Strategy::Stretches:
    InLine(e, p, op, kernel.loops).emitStretches();
    return;
  case Strategy::InLine:
    InLine(e, p, op, kernel.loops).emit();
    return;
  default:
    assert(kernel.strategy == Strategy::Gemm && "no kernel of a product");
  }
  ElementType written = sumTypeOf(p);
  BufferSlice sums = written == p.resultType ? target : e.buffers.scratchOf(op);
  emitCalls(e, p, kernel.entry, written, sums,
            e.emitEpilogue(op, written, sums));
}

} // namespace xla::cpu
