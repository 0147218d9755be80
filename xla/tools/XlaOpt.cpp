//===- XlaOpt.cpp - Runs passes over modules ------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "xla/dialect/Registration.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  xla::registerDialects(registry);
  mlir::registerTransformsPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Compiler passes over StableHLO\n", registry));
}
