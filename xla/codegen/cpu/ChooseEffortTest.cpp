#include "xla/codegen/cpu/QuickCode.h"

#include "xla/support/Testing.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <string>

using namespace xla;
using namespace xla::cpu;

namespace {
/// What is chosen for a loop of `count` rounds that multiply a number.
struct Choice {
  enum Kind { Plain, Math };

  Choice(int count, Kind kind) {
    constexpr int products = 20;
    std::string text = R"(
declare float @math(float) "xla-math"
define float @f(float %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %v0 = phi float [ 1.0, %entry ], [ %last, %loop ]
)";
    for (int n = 0; n < products; ++n) {
      text += "  %v" + std::to_string(n + 1) + " = fmul float %v" +
              std::to_string(n) + ", %x\n";
    }
    std::string sum = "%v" + std::to_string(products);
    text += kind == Math ? "  %last = call float @math(float " + sum + ")\n"
                         : "  %last = fadd float " + sum + ", 1.0\n";
    text += "  %next = add nuw nsw i64 %i, 1\n"
            "  %more = icmp slt i64 %next, " +
            std::to_string(count) +
            "\n  br i1 %more, label %loop, label %after\n"
            "after:\n  ret float %last\n}\n";
    llvm::SMDiagnostic error;
    llvm::LLVMContext context;
    auto module = llvm::parseAssemblyString(text, error, context);
    XLA_CHECK(module != nullptr);
    chooseEffort(*module);
    const llvm::Function &function = *module->getFunction("f");
    isThorough = cpu::isThorough(function);
  }

  bool isThorough;
};
} // namespace

static void testWhatRunsSeldomIsMadeQuickly() {
  for (Choice::Kind kind : {Choice::Plain, Choice::Math}) {
    Choice few(1000, kind);
    XLA_CHECK(!few.isThorough);
  }
}

static void testWhatRunsOftenIsMadeOfVectors() {
  XLA_CHECK(Choice(100000, Choice::Plain).isThorough);
  XLA_CHECK(!Choice(10000, Choice::Plain).isThorough);
}

static void testMathFunctionsPaySooner() {
  XLA_CHECK(Choice(10000, Choice::Math).isThorough);
}

int main() {
  testWhatRunsSeldomIsMadeQuickly();
  testWhatRunsOftenIsMadeOfVectors();
  testMathFunctionsPaySooner();
  return testing::failedChecks();
}
