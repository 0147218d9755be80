#include "xla/codegen/cpu/OpenLoops.h"

#include "xla/codegen/cpu/ChooseEffort.h"
#include "xla/codegen/cpu/ParsedFunction.h"
#include "xla/codegen/cpu/QuickCode.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Verifier.h"

#include <string>

using namespace xla;
using namespace xla::cpu;

namespace {
/// A loop that counts a variable up, and stops where `@next` fails; in it, if
/// wanted, a loop of the same kind.
struct Loops {
  explicit Loops(bool isNested, bool hasPhi = false) {
    std::string text = R"(
declare i32 @next(i64)
define i32 @f(i64 %count) {
entry:
  %slot = alloca i64
  store i64 0, ptr %slot
  br label %while
while:
  PHI
  %i = load i64, ptr %slot
  %more = icmp slt i64 %i, %count
  br i1 %more, label %do, label %done
do:
  br label %inner
INNER
last:
  %code = call i32 @next(i64 %i)
  %fails = icmp ne i32 %code, 0
  br i1 %fails, label %failed, label %latch
latch:
  %following = add i64 %i, 1
  store i64 %following, ptr %slot
  br label %while
failed:
  ret i32 %code
done:
  ret i32 0
}
)";
    auto replace = [&](const std::string &what, const std::string &by) {
      text.replace(text.find(what), what.size(), by);
    };
    replace("PHI", hasPhi ? "%n = phi i64 [ 0, %entry ], [ %i, %latch ]" : "");
    replace("INNER", isNested ? R"(
inner:
  %j = load i64, ptr %slot
  %again = icmp slt i64 %j, 7
  br i1 %again, label %innerLatch, label %last
innerLatch:
  %up = add i64 %j, 1
  store i64 %up, ptr %slot
  br label %inner
)"
                              : "inner:\n  br label %last\n");
    function = &parsed.parse(text);
    for (llvm::BasicBlock &block : *function) {
      if (block.getName() == "latch" || block.getName() == "innerLatch") {
        noteTrips(*block.getTerminator(), std::nullopt);
      }
    }
    module = function->getParent();
    count = outlineOpenLoops(*module);
  }

  bool isRight() const { return !llvm::verifyModule(*module, &llvm::errs()); }

  size_t loops(llvm::StringRef name) const {
    llvm::Function *in = module->getFunction(name);
    llvm::DominatorTree dominators(*in);
    return llvm::LoopInfo(dominators).getLoopsInPreorder().size();
  }

  ParsedFunction parsed;
  llvm::Function *function;
  llvm::Module *module;
  int64_t count;
};
} // namespace

static void testEachOpenLoopBecomesAFunctionWithAContinuation() {
  Loops one(/*isNested=*/false), two(/*isNested=*/true);
  XLA_CHECK(one.count == 1 && two.count == 2);
  XLA_CHECK(one.isRight() && two.isRight());
  XLA_CHECK(one.loops("f") == 0 && one.loops("open_loop_0") == 1);
  XLA_CHECK(two.loops("open_loop_0") == 1 && two.loops("open_loop_1") == 1);
  llvm::Function *continuation = two.module->getFunction(continuationSymbol(1));
  XLA_CHECK(continuation && isContinuation(*continuation));
  XLA_CHECK(!continuation->hasLocalLinkage());
}

static void testALoopThatCarriesMoreThanVariablesStays() {
  Loops loops(/*isNested=*/false, /*hasPhi=*/true);
  XLA_CHECK(loops.count == 0 && loops.loops("f") == 1 && loops.isRight());
}

static void testQuickCodeLooksForContinuations() {
  Loops loops(/*isNested=*/true);
  lookForContinuations(*loops.module);
  XLA_CHECK(loops.isRight());
  for (int64_t loop : {0, 1}) {
    XLA_CHECK(!loops.module->getFunction(continuationSymbol(loop)));
    XLA_CHECK(loops.module->getNamedGlobal(openLoopSymbol(loop)));
  }
  llvm::Function *find = loops.module->getFunction(continuationFinder);
  XLA_CHECK(find && find->getNumUses() == 2);
}

static void testOtherCodeHasTheLoopsInPlace() {
  Loops loops(/*isNested=*/true);
  inlineOpenLoops(*loops.module);
  for (llvm::Function &function : *loops.module) {
    XLA_CHECK(isInlinedLoop(function) ==
              function.hasFnAttribute(llvm::Attribute::AlwaysInline));
  }
  XLA_CHECK(loops.isRight());
}

int main() {
  testEachOpenLoopBecomesAFunctionWithAContinuation();
  testALoopThatCarriesMoreThanVariablesStays();
  testQuickCodeLooksForContinuations();
  testOtherCodeHasTheLoopsInPlace();
  return testing::failedChecks();
}
