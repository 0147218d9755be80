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

/// The largest element and its index, in one loop that carries both.
static void testLoopsCarryElementsAndIndices() {
  const char *largest = R"(kernel @largest {
  buffer b0 f32[8,100] argument 0
  buffer b1 f32[8] result 0 written
  buffer b2 s32[8] result 1 written
  parallel %0 to %1 of 8 grain 1 {
    loop %2 from %0 to %1 vector {
      %3 = multiply %2, 100
      %4 = load b0[%3]
      loop %5 from 1 to 100 {
        %6 = carried %4 : f32
        %7 = carried 0
        %8 = add %3, %5
        %9 = load b0[%8]
        %10 = stablehlo.maximum %6, %9 : f32
        %11 = stablehlo.compare %9, %6 {comparison_direction = #stablehlo<comparison_direction GT>} : pred
        %12 = number_of %7 below 100 : s32
        %13 = index_of %11
        %14 = equal %13, 1
        %15 = choose %14, %5, %7
        next %6, %10
        next %7, %15
      }
      %16 = last %6 : f32
      %17 = last %7
      %18 = number_of %17 below 100 : s32
      store b1[%2], %16
      store b2[%2], %18
    }
  }
}
)";
  Reader reader;
  XLA_CHECK(reader.read(largest) == largest);
}

/// The sum of 64 elements: pairs of threads add what each has.
static void testThreadsExchangeElements() {
  const char *sum = R"(kernel @sum {
  buffer b0 f32[64] argument 0
  buffer b1 f32[64] result 0 written
  loop %0 from 0 to 64 vector {
    %1 = load b0[%0]
    %2 = exchange %1 across 16 : f32
    %3 = stablehlo.add %1, %2 : f32
    store b1[%0], %3
  }
}
)";
  Reader reader;
  XLA_CHECK(reader.read(sum) == sum);
}

/// What a reduction of columns needs: memory of a thread, extremes of many, and
/// what a sum begins with.
static void testColumnsAreFoldedInMemoryOfAThread() {
  const char *columns = R"(kernel @columns {
  buffer b0 bf16[8] result 0 written
  buffer b1 bf16[4,8] argument 0
  buffer b2 c64[8] scratch thread written
  loop %0 from 0 to 8 vector {
    prefetch b1[%0], 8
    %1 = neutral stablehlo.add : c64
    store b2[%0], %1
    %2 = load b0[%0]
    %3 = load b1[%0]
    %4 = greatest %2, %3, %3 : bf16
    %5 = smallest %4 : bf16
    store b0[%0], %5
  }
}
)";
  Reader reader;
  XLA_CHECK(reader.read(columns) == columns);
}

static void testRowsAreFoldedInAnyOrder() {
  const char *rows = R"(kernel @rows {
  buffer b0 bf16[8] result 0 written
  buffer b1 bf16[8,100] argument 0
  loop %0 from 0 to 8 {
    %1 = neutral stablehlo.add : f32
    loop %2 from 0 to 100 {
      %3 = carried %1 : f32
      %4 = load b1[%2]
      %5 = convert %4 : f32
      %6 = fold stablehlo.add %3, %5 in any order : f32
      next %3, %6
    }
    %7 = last %3 : f32
    %8 = fold stablehlo.add %1, %7 : f32
    %9 = convert %8 : bf16
    %10 = greatest_of b1[%0], 100 from 0 to 50
    %11 = smallest_of b1[%0], 100 from %0 to 100
    %12 = greatest %9, %10, %11 : bf16
    store b0[%0], %12
  }
}
)";
  Reader reader;
  XLA_CHECK(reader.read(rows) == rows);
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

static void testTypesAndOperandsMustFit() {
  XLA_CHECK(faultOf("%i = add 1, 2 : f32\n") ==
            "what is no element has the type of one");
  XLA_CHECK(faultOf("%v = load x[0]\n%i = divide 8, 0\nstore y[%i], %v\n") ==
            "an index is not divided by a number other than 0");
  XLA_CHECK(faultOf("%v = load x[0]\n%i = index_of %v\n") ==
            "an index is made of an element that is no integer");
  XLA_CHECK(faultOf("%v = load x[0]\n%c = stablehlo.compare %v, %v : pred\n")
                .find("comparison_direction") != std::string::npos);
  XLA_CHECK(faultOf("%s = scalar 3 : f32\nstore y[0], %s\n")
                .starts_with("kernel @k"));
}

static void testExtremesHaveAnOrderAndFoldsANeutralElement() {
  XLA_CHECK(faultOf("%v = load x[0]\n%z = zero : f64\n"
                    "%m = greatest %v, %z : f32\n") ==
            "an extreme has another type than its operands, or no order");
  XLA_CHECK(faultOf("%z = zero : c64\n%m = smallest %z : c64\n") ==
            "an extreme has another type than its operands, or no order");
  XLA_CHECK(faultOf("%m = greatest : f32\n") ==
            "there is no extreme of no elements");
  XLA_CHECK(faultOf("%n = neutral stablehlo.subtract : f32\n") ==
            "an operation has no neutral element");
  XLA_CHECK(faultOf("%n = neutral stablehlo.nothing : f32\n") ==
            "line 4: there is no operation 'stablehlo.nothing'");
  XLA_CHECK(faultOf("prefetch x[0], 0\n") == "no elements are fetched");
  XLA_CHECK(faultOf("%m = smallest_of x[0], 0 from 0 to 0\n") ==
            "there is no extreme of no elements");
  XLA_CHECK(faultOf("%v = load x[0]\n%z = zero : f64\n"
                    "%s = fold stablehlo.add %v, %z : f32\n") ==
            "a fold has another type than its operands");
  XLA_CHECK(faultOf("%v = load x[0]\n"
                    "%s = fold stablehlo.subtract %v, %v : f32\n") ==
            "an operation has no neutral element");
  XLA_CHECK(faultOf("%z = zero : f64\n%s = convert %z : f32\n") ==
            "what is converted is no float of 32 bits or fewer");
}

static void testCarriesHaveOneNextValue() {
  const std::string loop = "%z = zero : f32\nloop %i from 0 to 8 {\n";
  XLA_CHECK(faultOf(loop + "%s = carried %z : f32\n}\n") ==
            "a carry has no next value");
  XLA_CHECK(faultOf(loop + "%v = load x[%i]\n%s = carried %z : f32\n}\n") ==
            "a carry does not stand at the beginning of a loop");
  XLA_CHECK(faultOf(loop + "%s = carried %z : f32\nnext %s, %i\n}\n") ==
            "a carry's next value has another type");
  XLA_CHECK(faultOf(loop + "%s = carried %z : f32\nnext %s, %s\n"
                           "%l = last %s : f32\n}\n") ==
            "a carry's last value is not computed where it is used");
  XLA_CHECK(faultOf("%z = zero : f32\nloop %i from 0 to 8 vector {\n"
                    "%s = carried %z : f32\nnext %s, %s\n}\n") ==
            "rounds that threads share out hand nothing on");
}

/// No text says so: a name is read before it is used.
static void testLastValuesComeBehindTheirCarries() {
  Kernel kernel;
  kernel.name = "k";
  auto add = [&](Code code, llvm::ArrayRef<Id> operands, ElementType type) {
    Step step{.code = code};
    step.operands.assign(operands.begin(), operands.end());
    step.type = type;
    return kernel.add(std::move(step));
  };
  constexpr auto none = ElementType::Invalid, f32 = ElementType::F32;
  Id zero = add(Code::Zero, {}, f32), bound = add(Code::Number, {}, none);
  add(Code::Last, {bound + 3}, f32);
  add(Code::Loop, {bound, bound}, none);
  Id carry = add(Code::Carried, {zero}, f32);
  add(Code::Next, {carry, carry}, none);
  add(Code::End, {}, none);
  std::string why;
  XLA_CHECK(!verify(kernel, why));
  XLA_CHECK(why.find("comes before the carry") != std::string::npos);
}

static void testAllThreadsComeToBarriersAndExchanges() {
  XLA_CHECK(faultOf("loop %i from 0 to 8 vector {\nbarrier block\n}\n") ==
            "threads come to a barrier in a loop that they share out");
  XLA_CHECK(faultOf("loop %i from 0 to 8 {\nbarrier block\n}\n")
                .starts_with("kernel @k"));
  XLA_CHECK(faultOf("loop %i from 0 to 8 {\nbarrier grid\n}\n") ==
            "not all members of the grid come to a barrier as often");
  const std::string exchange = "%v = load x[0]\n%w = exchange %v across ";
  XLA_CHECK(
      faultOf("loop %i from 0 to 8 vector {\n" + exchange + "1 : f32\n}\n") ==
      "not all of 32 threads come to an exchange");
  XLA_CHECK(
      faultOf("loop %i from 0 to 32 vector {\n" + exchange + "32 : f32\n}\n") ==
      "threads that exchange elements are too far apart");
}

int main() {
  testTextIsReadAsItIsPrinted();
  testABlockHasAGridScratchMemoryAndBarriers();
  testLoopsCarryElementsAndIndices();
  testThreadsExchangeElements();
  testColumnsAreFoldedInMemoryOfAThread();
  testRowsAreFoldedInAnyOrder();
  testNamesAndCommentsAreTheAuthors();
  testWhatIsWrongIsSaid();
  testTypesAndOperandsMustFit();
  testExtremesHaveAnOrderAndFoldsANeutralElement();
  testCarriesHaveOneNextValue();
  testLastValuesComeBehindTheirCarries();
  testAllThreadsComeToBarriersAndExchanges();
  return testing::failedChecks();
}
