//===- Sort.cpp - Sorting by any comparator -------------------------------===//

#include "xla/codegen/cpu/Choose.h"
#include "xla/codegen/cpu/lower/Steps.h"
#include "xla/codegen/cpu/lower/reduce/Folds.h"
#include "xla/codegen/cpu/lower/sort/SortOrder.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/runtime/abi/Runtime.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

/// The comparator as a function `i8(ptr context, ptr pairs)` of the runtime's
/// interface: pairs[2 n] and pairs[2 n + 1] point at the elements of operand n.
static llvm::Function *emitComparator(Emitter &e, SortOp op,
                                      llvm::Value *&context) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Type *pointer = b.getPtrTy();
  auto *type =
      llvm::FunctionType::get(b.getInt8Ty(), {pointer, pointer}, false);
  return e.outline(
      type, "compare",
      [&](llvm::Function *function) {
        llvm::IRBuilder<> &inner = e.builder();
        llvm::SmallVector<Element> arguments;
        for (mlir::BlockArgument argument :
             op.getComparator().front().getArguments()) {
          ElementType element = elementTypeOf(argument.getType());
          llvm::Type *memory = memoryType(element, e.context());
          llvm::Value *at = inner.CreateLoad(
              pointer,
              inner.CreateConstInBoundsGEP1_64(pointer, function->getArg(1),
                                               argument.getArgNumber()));
          auto read = [&](unsigned part) -> llvm::Value * {
            return e.fromMemory(
                element,
                inner.CreateLoad(memory, inner.CreateConstInBoundsGEP1_64(
                                             memory, at, part)));
          };
          arguments.push_back(
              {read(0), isComplex(element) ? read(1) : nullptr});
        }
        Element less =
            e.emitScalarRegion(op.getComparator(), arguments).front();
        e.builder().CreateRet(
            e.builder().CreateZExt(less.real, e.builder().getInt8Ty()));
      },
      context);
}

/// How many of the first rows the program reads, or -1 if others too.
static int64_t rowsRead(SortOp op, int64_t dimension) {
  int64_t rows = 0;
  for (Operation *user : op->getUsers()) {
    auto slice = llvm::dyn_cast<SliceOp>(user);
    if (!slice) {
      return -1;
    }
    rows = std::max<int64_t>(rows, slice.getLimitIndices()[dimension]);
  }
  return rows;
}

/// How many first rows are all that the program reads, and can be found without
/// a sort; else 0.
static int64_t firstRows(SortOp op, const SortOrder &order) {
  llvm::ArrayRef<int64_t> shape = shapeOf(op.getInputs().front());
  int64_t dimension = op.sortedDimension(), length = shape[dimension];
  int64_t rows = rowsRead(op, dimension);
  bool isLast = dimension + 1 == static_cast<int64_t>(shape.size());
  if (!order.entry || !isLast || rows <= 0 || rows > length / 4 ||
      length > INT32_MAX || op.getInputs().size() > 2) {
    return 0;
  }
  if (op.getInputs().size() == 1) {
    return rows;
  }
  auto iota = op.getInputs()[1].getDefiningOp<IotaOp>();
  bool numbersRows =
      iota && static_cast<int64_t>(iota.getIotaDimension()) == dimension &&
      byteWidth(elementTypeOf(iota.getType())) == 4 &&
      isInteger(elementTypeOf(iota.getType()));
  return numbersRows ? rows : 0;
}

static void emitFirstRows(Emitter &e, SortOp op, const SortOrder &order,
                          int64_t rows) {
  Value keys = op.getInputs().front(), values = op.getResult(0);
  int64_t length = shapeOf(keys)[op.sortedDimension()];
  llvm::Value *numbers = op.getInputs().size() == 2
                             ? e.pointerTo(op.getResult(1))
                             : llvm::ConstantPointerNull::get(
                                   llvm::PointerType::getUnqual(e.context()));
  bool inMemory = e.fusion.formOf(keys) == Form::Buffer;
  if (!inMemory) {
    e.emitInto(keys, e.buffers.sliceOf(values));
  }
  llvm::Value *structure =
      e.words({e.constant(elementCountOf(keys) / length), e.constant(length),
               e.constant(rows), e.pointerTo(inMemory ? keys : values),
               e.pointerTo(values), numbers, e.constant(order.number),
               e.constant(order.isDescending)});
  e.returnOnError(
      e.callRuntime("xla_select_first", e.builder().getInt32Ty(), {structure}));
}

/// The order that a kernel of its own sorts by, if it can number the rows.
static SortOrder orderOf(SortOp op) {
  int64_t length = shapeOf(op.getInputs().front())[op.sortedDimension()];
  return length > int64_t(UINT32_MAX) ? SortOrder() : recognizeSortOrder(op);
}

/// Of one long slice; for others threads have their own.
static int64_t scratchBytes(SortOp op, const SortOrder &order) {
  constexpr int64_t longSlice = 1 << 16;
  int64_t length = shapeOf(op.getInputs().front())[op.sortedDimension()];
  if (length < longSlice || length != elementCountOf(op.getResult(0))) {
    return 0;
  }
  int64_t widest = 0;
  for (Value input : op.getInputs()) {
    widest = std::max(widest, byteWidth(elementTypeOf(input.getType())));
  }
  return xla_sort_scratch_bytes(length, widest, !order.entry);
}

Kernel chooseSort(SortOp op) {
  SortOrder order = orderOf(op);
  int64_t rows = firstRows(op, order);
  if (rows > 0 && elementCountOf(op.getResult(0)) > 0) {
    return {Strategy::FirstRows, 0, "xla_select_first", {{"rows", rows}}};
  }
  return {order.entry ? Strategy::Keys : Strategy::Comparator,
          scratchBytes(op, order), order.entry ? order.entry : "xla_sort"};
}

void emitSort(Emitter &e, Operation *operation) {
  auto op = llvm::cast<SortOp>(operation);
  llvm::ArrayRef<int64_t> shape = shapeOf(op.getInputs().front());
  int64_t dimension = op.sortedDimension();
  int64_t outer = 1, inner = 1;
  for (auto [d, size] : llvm::enumerate(shape)) {
    int64_t at = static_cast<int64_t>(d);
    outer *= at < dimension ? size : 1;
    inner *= at > dimension ? size : 1;
  }
  int64_t length = shape[dimension];
  SortOrder order = orderOf(op);
  Kernel kernel = kernelOf(op);
  if (kernel.strategy == Strategy::FirstRows) {
    emitFirstRows(e, op, order, kernel.size("rows"));
    return;
  }
  llvm::SmallVector<llvm::Value *> pointers, widths;
  for (auto [input, result] :
       llvm::zip_equal(op.getInputs(), op.getResults())) {
    e.emitInto(input, e.buffers.sliceOf(result));
    pointers.push_back(e.pointerTo(result));
    widths.push_back(e.constant(byteWidth(elementTypeOf(result.getType()))));
  }
  if (outer * inner * length == 0) {
    return;
  }
  llvm::Value *scratch =
      kernel.scratch > 0
          ? e.pointerTo(e.buffers.scratchOf(op))
          : llvm::ConstantPointerNull::get(e.builder().getPtrTy());
  llvm::Value *structure =
      e.words({e.constant(outer), e.constant(length), e.constant(inner),
               e.constant(static_cast<int64_t>(pointers.size())),
               e.words(pointers), e.words(widths), scratch});
  if (kernel.strategy == Strategy::Keys) {
    e.returnOnError(e.callRuntime(kernel.entry, e.builder().getInt32Ty(),
                                  {structure, e.constant(order.isDescending)}));
    return;
  }
  llvm::Value *comparatorContext = nullptr;
  llvm::Function *comparator = emitComparator(e, op, comparatorContext);
  llvm::Value *code = e.callRuntime(kernel.entry, e.builder().getInt32Ty(),
                                    {structure, comparator, comparatorContext});
  e.returnOnError(code);
}

} // namespace xla::cpu
