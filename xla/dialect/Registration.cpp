//===- Registration.cpp - The dialects a program may use ------------------===//

#include "xla/dialect/Registration.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "xla/dialect/chlo/ChloOps.h"
#include "xla/dialect/sdy/SdyOps.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla {

void registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<chlo::ChloDialect, mlir::func::FuncDialect, sdy::SdyDialect,
                  stablehlo::StablehloDialect>();
}

} // namespace xla
