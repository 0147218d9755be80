#include "xla/codegen/cpu/ChooseEffort.h"

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
/// What is chosen for a loop of `count` rounds that multiply a number; where
/// rounds follow each other, zero stands for a number that is not known.
struct Choice {
  enum Kind { Plain, Math, Arithmetic, Serial, SerialArithmetic, SerialCall };

  Choice(int count, Kind kind) {
    const bool isLong = kind == Arithmetic || kind == SerialArithmetic;
    const int products = isLong ? 60 : 10;
    std::string text = R"(
declare float @math(float) "xla-math"
declare float @other(float)
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
    if (kind == Math || kind == SerialCall) {
      std::string callee = kind == Math ? "math" : "other";
      text += "  %last = call float @" + callee + "(float " + sum + ")\n";
    } else {
      text += "  %last = fadd float " + sum + ", 1.0\n";
    }
    text += "  %next = add nuw nsw i64 %i, 1\n"
            "  %more = icmp slt i64 %next, " +
            std::to_string(count) +
            "\n  br i1 %more, label %loop, label %after\n"
            "after:\n  ret float %last\n}\n";
    llvm::SMDiagnostic error;
    llvm::LLVMContext context;
    auto module = llvm::parseAssemblyString(text, error, context);
    XLA_CHECK(module != nullptr);
    llvm::Function &function = *module->getFunction("f");
    if (kind >= Serial) {
      noteTrips(*std::next(function.begin())->getTerminator(), count);
    }
    chooseEffort(*module);
    isThorough = cpu::isThorough(function);
    deservesAll = cpu::deservesAll(function);
  }

  bool isThorough, deservesAll;
};
} // namespace

static void testWhatRunsSeldomIsMadeQuickly() {
  for (Choice::Kind kind :
       {Choice::Plain, Choice::Math, Choice::Arithmetic, Choice::Serial}) {
    Choice few(1000, kind);
    XLA_CHECK(!few.isThorough && !few.deservesAll);
  }
}

static void testWhatRunsOftenIsMadeOfVectors() {
  XLA_CHECK(Choice(100000, Choice::Plain).isThorough);
  XLA_CHECK(!Choice(10000, Choice::Plain).isThorough);
}

static void testMathFunctionsPaySooner() {
  XLA_CHECK(Choice(10000, Choice::Math).isThorough);
}

static void testAsMuchArithmeticPaysAsSoon() {
  XLA_CHECK(Choice(10000, Choice::Arithmetic).isThorough);
}

/// Whether the function that the runtime calls for a product of so many
/// elements is thorough.
static bool isThoroughWhereKept(int64_t elements) {
  llvm::SMDiagnostic error;
  llvm::LLVMContext context;
  auto module = llvm::parseAssemblyString(R"(
define void @main(ptr %p) {
  store ptr @finish, ptr %p
  ret void
}
define internal void @finish(ptr %x) {
  ret void
}
)",
                                          error, context);
  XLA_CHECK(module != nullptr);
  llvm::Function &finish = *module->getFunction("finish");
  noteElements(finish, elements);
  chooseEffort(*module);
  return isThorough(finish);
}

static void testWhatTheRuntimeCallsRunsForAllElements() {
  XLA_CHECK(isThoroughWhereKept(1 << 20));
  XLA_CHECK(!isThoroughWhereKept(1 << 10));
}

/// Whether the function `name` of a module is thorough.
static bool isThoroughIn(llvm::StringRef text, llvm::StringRef name) {
  llvm::SMDiagnostic error;
  llvm::LLVMContext context;
  auto module = llvm::parseAssemblyString(text, error, context);
  XLA_CHECK(module != nullptr);
  chooseEffort(*module);
  return isThorough(*module->getFunction(name));
}

/// Whether a loop is thorough that threads share, each from a first to a last
/// number, where `begin` says from which it counts on.
static bool isThoroughWhereShared(int64_t count, llvm::StringRef begin) {
  std::string text = R"(
declare void @xla_parallel_for(i64, i64, ptr, ptr)
define void @main(ptr %p) {
  call void @xla_parallel_for(i64 )" +
                     std::to_string(count) + R"(, i64 64, ptr @piece, ptr %p)
  ret void
}
define internal void @piece(i64 %first, i64 %last, ptr %p) {
entry:
  %line = and i64 %first, -16
  br label %loop
loop:
  %i = phi i64 [ )" + begin.str() +
                     R"(, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr %p, i64 %i
  store float 1.0, ptr %at
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %last
  br i1 %more, label %loop, label %after
after:
  ret void
}
)";
  return isThoroughIn(text, "piece");
}

static void testPiecesOfThreadsRunForAllElements() {
  for (llvm::StringRef begin : {"%first", "%line"}) {
    XLA_CHECK(isThoroughWhereShared(1 << 24, begin));
    XLA_CHECK(!isThoroughWhereShared(1 << 12, begin));
  }
}

/// Whether a function that walks so many lines, in groups of 28 and by 16
/// elements, is thorough.
static bool isThoroughOverLines(int64_t lines) {
  std::string text = R"(
declare void @xla_parallel_for(i64, i64, ptr, ptr)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
define void @main(ptr %p) {
  call void @xla_parallel_for(i64 LINES, i64 64, ptr @lines, ptr %p)
  ret void
}
define internal void @lines(ptr %x, i64 %first, i64 %last) {
entry:
  %cut = and i64 %first, -64
  %firstGroup = udiv i64 %cut, 28
  %ceiling = add i64 %last, 27
  %lastGroup = udiv i64 %ceiling, 28
  br label %groups
groups:
  %group = phi i64 [ %firstGroup, %entry ], [ %nextGroup, %afterGroup ]
  %start = mul i64 %group, 28
  %before = sub i64 %cut, %start
  %from = call i64 @llvm.smax.i64(i64 %before, i64 0)
  %behind = sub i64 %last, %start
  %to = call i64 @llvm.smin.i64(i64 %behind, i64 28)
  br label %lines
lines:
  %number = phi i64 [ %from, %groups ], [ %nextLine, %afterLine ]
  br label %line
line:
  %i = phi i64 [ 0, %lines ], [ %next, %line ]
  %at = getelementptr float, ptr %x, i64 %i
  store float 1.0, ptr %at
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 16
  br i1 %more, label %line, label %afterLine
afterLine:
  %nextLine = add i64 %number, 1
  %moreLines = icmp slt i64 %nextLine, %to
  br i1 %moreLines, label %lines, label %afterGroup
afterGroup:
  %nextGroup = add i64 %group, 1
  %moreGroups = icmp slt i64 %nextGroup, %lastGroup
  br i1 %moreGroups, label %groups, label %after
after:
  ret void
}
)";
  text.replace(text.find("LINES"), 5, std::to_string(lines));
  return isThoroughIn(text, "lines");
}

static void testGroupsOfLinesAreCountedAsTheirLines() {
  XLA_CHECK(isThoroughOverLines(50000));
  XLA_CHECK(!isThoroughOverLines(500));
}

static void testWhatRunsLongAndIsNoVectorsIsMadeWithAllEffort() {
  XLA_CHECK(Choice(1000000, Choice::Serial).deservesAll);
  XLA_CHECK(!Choice(10000, Choice::Serial).deservesAll);
  XLA_CHECK(!Choice(100000000, Choice::Plain).deservesAll);
}

static void testWhatMayRunLongIsMadeWithAllEffortWhereThatIsLittle() {
  XLA_CHECK(Choice(0, Choice::Serial).deservesAll);
  XLA_CHECK(!Choice(0, Choice::SerialArithmetic).deservesAll);
  // What calls others goes on in better code, and they with it.
  XLA_CHECK(!Choice(0, Choice::SerialCall).deservesAll);
  XLA_CHECK(!Choice(1000000, Choice::SerialCall).deservesAll);
}

int main() {
  testWhatRunsSeldomIsMadeQuickly();
  testWhatRunsOftenIsMadeOfVectors();
  testMathFunctionsPaySooner();
  testAsMuchArithmeticPaysAsSoon();
  testWhatTheRuntimeCallsRunsForAllElements();
  testPiecesOfThreadsRunForAllElements();
  testGroupsOfLinesAreCountedAsTheirLines();
  testWhatRunsLongAndIsNoVectorsIsMadeWithAllEffort();
  testWhatMayRunLongIsMadeWithAllEffortWhereThatIsLittle();
  return testing::failedChecks();
}
