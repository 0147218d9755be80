#include "xla/kernel/Form.h"

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/support/Testing.h"

#include "mlir/IR/MLIRContext.h"

using namespace xla;
using namespace xla::kernel;

namespace {
struct Reader {
  Reader() { context.loadDialect<stablehlo::StablehloDialect>(); }

  /// What `print` writes of the kernel that `text` says; else why not.
  std::string read(llvm::StringRef text) {
    Kernel kernel;
    std::string why, printed;
    if (!parseKernel(text, context, kernel, why)) {
      return why;
    }
    llvm::raw_string_ostream out(printed);
    kernel.print(out);
    return printed;
  }

  mlir::MLIRContext context;
};
} // namespace

static void testTextIsReadAsItIsPrinted() {
  const char *nest = R"(kernel @nest0 {
  buffer b0 f32[64,128] argument 0
  buffer b1 f32[64,128] result 0 written
  parallel %0 to %1 of 64 grain 16 {
    loop %2 from %0 to %1 {
      loop %3 from 0 to 5 within 0..4 vector {
        %4 = multiply %2, 128
        %5 = add %4, %3
        %6 = load b0[%5]
        %7 = constant dense<2.500000e+00> : tensor<f32>
        %8 = stablehlo.subtract %6, %7 : f32
        %9 = stablehlo.compare %8, %7 {comparison_direction = #stablehlo<comparison_direction GT>} : pred
        %10 = stablehlo.select %9, %8, %6 : f32
        store b1[%5], %10
      }
    }
  }
}
)";
  Reader reader;
  XLA_CHECK(reader.read(nest) == nest);
}

/// The product of blocks of arrays: docs/internals/kernel_form.md.
static void testABlockHasAGridScratchMemoryAndBarriers() {
  const char *product = R"(kernel @blocked_product {
  buffer b0 f32[512,256] argument 0
  buffer b1 f32[256,1024] argument 1
  buffer b2 f32[512,1024] result 0 written
  buffer b3 f32[128,128] scratch block written
  parallel %0 to %1 of 32 grain 1 {
    loop %2 from %0 to %1 {
      loop %3 from 0 to 16384 vector {
        %4 = zero : f32
        store b3[%3], %4
      }
      barrier block
      sequential %5 to %6 of 2 {
        loop %7 from %5 to %6 {
          call @multiply_blocks(b0, b1, b3, %2, %7)
          barrier block
        }
      }
      loop %8 from 0 to 16384 vector {
        %9 = load b3[%8]
        %10 = multiply %2, 16384
        %11 = add %10, %8
        store b2[%11], %9
      }
    }
  }
}
)";
  Reader reader;
  XLA_CHECK(reader.read(product) == product);
}

static void testNamesAndCommentsAreTheAuthors() {
  Reader reader;
  std::string printed = reader.read(R"(
// Twice each element that is not the first.
kernel @twice {
  buffer x f32[8] argument 0
  buffer y f32[8] result 0 written
  loop %i from 0 to 8 unroll {
    %inner = at_least %i, 1   // else the loop does nothing
    when %inner {
      %v = load x[%i]
      %sum = stablehlo.add %v, %v : f32
      store y[%i], %sum
    }
  }
}
)");
  XLA_CHECK(llvm::StringRef(printed).contains("    when %1 {\n"));
  XLA_CHECK(llvm::StringRef(printed).contains("store b1[%0], %3\n"));
}

/// The message for a kernel of one buffer, read, and one that is written.
static std::string faultOf(llvm::StringRef steps) {
  return Reader().read(("kernel @k {\n  buffer x f32[8] argument 0\n  buffer y "
                        "f32[8] result 0 written\n" +
                        steps + "}\n")
                           .str());
}

static void testWhatIsWrongIsSaid() {
  XLA_CHECK(faultOf("store x[0], 1\n") == "operand 1 is not an element");
  XLA_CHECK(faultOf("%v = load x[0]\nstore x[0], %v\n") ==
            "a buffer that is only read is written");
  XLA_CHECK(faultOf("loop %i from 0 to 8 {\n%v = load x[%i]\n}\n"
                    "store y[0], %v\n") ==
            "an operand is not computed where it is used");
  XLA_CHECK(faultOf("%z = zero : f64\nstore y[0], %z\n") ==
            "a buffer has elements of another type");
  XLA_CHECK(faultOf("%c = equal 0, 1\nwhen %c {\nbarrier block\n}\n") ==
            "not all members come to a barrier under a condition");
  XLA_CHECK(faultOf("%v = load z[0]\n") == "line 4: there is no buffer 'z'");
  XLA_CHECK(faultOf("%v = stablehlo.nothing 0 : f32\n") ==
            "line 4: there is no operation 'stablehlo.nothing'");
  XLA_CHECK(faultOf("loop %i from 0 to 8 {\n") ==
            "line 6: the kernel does not end");
}

int main() {
  testTextIsReadAsItIsPrinted();
  testABlockHasAGridScratchMemoryAndBarriers();
  testNamesAndCommentsAreTheAuthors();
  testWhatIsWrongIsSaid();
  return testing::failedChecks();
}
