//===- Elementary.cpp - Calls of the math library -------------------------===//

#include "xla/codegen/cpu/lower/elementwise/Elementwise.h"

#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

using stablehlo::ElementwiseFacts;

llvm::Value *callElementary(Emitter &e, mlir::Operation *op, ElementType type,
                            llvm::ArrayRef<llvm::Value *> x) {
  auto elementwise = llvm::dyn_cast<stablehlo::ElementwiseInterface>(op);
  if (!elementwise) {
    return nullptr;
  }
  const ElementwiseFacts &facts = elementwise.getFacts();
  if (!(facts.library & ElementwiseFacts::Floats)) {
    return nullptr;
  }
  bool isSingle = type == ElementType::F32;
  if (!isSingle && !(facts.library & ElementwiseFacts::F64)) {
    // Of the C library, one element at a time.
    return e.callRuntime(facts.math, x.front()->getType(), x);
  }
  return e.callMath(("xla_" + facts.math + (isSingle ? "_f32" : "_f64")).str(),
                    x);
}

} // namespace xla::cpu
