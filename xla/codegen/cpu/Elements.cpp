//===- Elements.cpp - The element of a value at an index, as LLVM IR ------===//

#include "xla/codegen/cpu/Elements.h"

#include "xla/codegen/cpu/Emitter.h"
#include "xla/codegen/cpu/lower/elementwise/Elementwise.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

Element Emitter::emitElement(Value value, const Index &index) {
  return elements::emitElementOf(*this, value, index);
}

Element Emitter::computeElement(Operation *op, const Index &index) {
  return elements::computeElementOf(*this, op, index);
}

void Emitter::storeRegion(llvm::ArrayRef<Value> outputs,
                          llvm::ArrayRef<BufferSlice> slices,
                          const Index &index) {
  elements::storeOutputs(*this, outputs, slices, index);
}

Element Emitter::loadElement(Value value, llvm::Value *linear) {
  ElementType type = elementTypeOf(value.getType());
  if (sums && sums->value == value) {
    return {narrow(*this, load(sums->type, sums->slice, linear).real, type)};
  }
  return load(type, buffers.sliceOf(value), linear);
}

Element Emitter::constantElement(ConstantOp op) {
  ElementType type = elementTypeOf(op.getType());
  auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(op.getValue());
  if (!dense) {
    fail(op, "its value is not dense");
    return undefined(op.getType());
  }
  if (isComplex(type)) {
    auto value = *dense.getValues<std::complex<llvm::APFloat>>().begin();
    return {llvm::ConstantFP::get(context(), value.real()),
            llvm::ConstantFP::get(context(), value.imag())};
  }
  if (isFloat(type)) {
    llvm::APFloat value = *dense.getValues<llvm::APFloat>().begin();
    return {isSmallFloat(type)
                ? llvm::ConstantInt::get(registerType(type, context()),
                                         value.bitcastToAPInt().getZExtValue())
                : static_cast<llvm::Value *>(
                      llvm::ConstantFP::get(context(), value))};
  }
  return {llvm::ConstantInt::get(context(),
                                 *dense.getValues<llvm::APInt>().begin())};
}

Element Emitter::numberElement(llvm::Value *number, int64_t limit,
                               ElementType type) {
  llvm::Value *value = numberOf(*this, number, limit, type);
  return {value, isComplex(type)
                     ? llvm::Constant::getNullValue(value->getType())
                     : nullptr};
}

Element Emitter::partOfBits(Element x, ElementType from, llvm::Value *part,
                            ElementType to) {
  llvm::IRBuilder<> &b = builder();
  llvm::Value *word = bitsOf(*this, x.real, from);
  llvm::Value *shift =
      b.CreateMul(b.CreateIntCast(part, word->getType(), false),
                  llvm::ConstantInt::get(word->getType(), bitWidth(to)));
  llvm::Value *bits =
      b.CreateTrunc(b.CreateLShr(word, shift),
                    b.getIntNTy(static_cast<unsigned>(bitWidth(to))));
  return {fromBitsOf(*this, bits, to)};
}

Element Emitter::joinBits(llvm::ArrayRef<Element> parts, ElementType from,
                          ElementType to) {
  llvm::IRBuilder<> &b = builder();
  llvm::Type *wide = b.getIntNTy(static_cast<unsigned>(bitWidth(to)));
  llvm::Value *word = llvm::ConstantInt::get(wide, 0);
  for (auto [i, part] : llvm::enumerate(parts)) {
    llvm::Value *bits = b.CreateZExt(bitsOf(*this, part.real, from), wide);
    word = b.CreateOr(word, b.CreateShl(bits, i * bitWidth(from)));
  }
  return {fromBitsOf(*this, word, to)};
}

} // namespace xla::cpu
