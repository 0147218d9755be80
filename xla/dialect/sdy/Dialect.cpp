//===- Dialect.cpp - The dialect of shardings -----------------------------===//

#include "xla/dialect/sdy/Bytecode.h"
#include "xla/dialect/sdy/SdyOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "xla/dialect/sdy/Dialect.cpp.inc"
#include "xla/dialect/sdy/Enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "xla/dialect/sdy/Attributes.cpp.inc"

namespace xla::sdy {

void SdyDialect::initialize() {
  addAttributes();
  addOperations();
  addBytecodeInterface(*this);
}

void SdyDialect::addAttributes() {
  Dialect::addAttributes<
#define GET_ATTRDEF_LIST
#include "xla/dialect/sdy/Attributes.cpp.inc"
      >();
}

} // namespace xla::sdy
