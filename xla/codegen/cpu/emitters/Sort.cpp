//===- Sort.cpp - Sorting by any comparator -------------------------------===//

#include "xla/codegen/cpu/emitters/Reduce.h"
#include "xla/codegen/cpu/emitters/SortOrder.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

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

void Emitter::emitSort(Operation *operation) {
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
  llvm::SmallVector<llvm::Value *> pointers, widths;
  for (auto [input, result] :
       llvm::zip_equal(op.getInputs(), op.getResults())) {
    emitInto(input, buffers.placeOf(result));
    pointers.push_back(pointerTo(result));
    widths.push_back(constant(byteWidth(elementTypeOf(result.getType()))));
  }
  if (outer * inner * length == 0) {
    return;
  }
  llvm::Value *structure =
      words({constant(outer), constant(length), constant(inner),
             constant(static_cast<int64_t>(pointers.size())), words(pointers),
             words(widths)});
  if (SortOrder order = recognizeSortOrder(op); order.entry) {
    returnOnError(callRuntime(order.entry, builder().getInt32Ty(),
                              {structure, constant(order.isDescending)}));
    return;
  }
  llvm::Value *comparatorContext = nullptr;
  llvm::Function *comparator = emitComparator(*this, op, comparatorContext);
  llvm::Value *code = callRuntime("xla_sort", builder().getInt32Ty(),
                                  {structure, comparator, comparatorContext});
  returnOnError(code);
}

} // namespace xla::cpu
