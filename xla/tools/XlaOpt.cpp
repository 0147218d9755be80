//===- XlaOpt.cpp - Runs passes over modules ------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "xla/conversion/Conversion.h"
#include "xla/dialect/Registration.h"
#include "xla/dialect/vhlo/Vhlo.h"
#include "xla/optimize/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  xla::registerDialects(registry);
  xla::vhlo::registerVhlo(registry);
  xla::registerConversionPasses();
  xla::registerOptimizePass();
  xla::vhlo::registerImportPass();
  mlir::registerTransformsPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Compiler passes over StableHLO\n", registry));
}
