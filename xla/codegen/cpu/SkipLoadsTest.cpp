#include "xla/codegen/cpu/ParsedFunction.h"
#include "xla/codegen/cpu/QuickCode.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Verifier.h"

#include <string>

using namespace xla;
using namespace xla::cpu;

namespace {
/// A loop over `count` elements whose body chooses, and what the pass makes of
/// it: how many loads each loop has, in order.
struct Pass {
  Pass(const std::string &body, int count = 100) {
    std::string text = R"(
define void @f(ptr noalias %x, ptr noalias %y, i1 %c, i1 %d) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %from = getelementptr inbounds float, ptr %x, i64 %i
  %to = getelementptr inbounds float, ptr %y, i64 %i
)" + body + R"(
  store float %z, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, )" +
                       std::to_string(count) + R"(
  br i1 %done, label %after, label %loop
after:
  ret void
}
)";
    llvm::Function &function = parsed.parse(text);
    llvm::FunctionAnalysisManager &analyses = parsed.analyses;
    llvm::PreservedAnalyses preserved = SkipLoads::run(function, analyses);
    XLA_CHECK(!llvm::verifyFunction(function, &llvm::errs()));
    auto &dominators =
        analyses.getResult<llvm::DominatorTreeAnalysis>(function);
    XLA_CHECK(dominators.verify());
    analyses.getResult<llvm::LoopAnalysis>(function).verify(dominators);
    analyses.invalidate(function, preserved);
    for (llvm::Loop *loop : analyses.getResult<llvm::LoopAnalysis>(function)) {
      XLA_CHECK(loop->isLoopSimplifyForm());
      loads.push_back(
          llvm::count_if(*loop->getHeader(), llvm::IsaPred<llvm::LoadInst>));
      chooses |=
          llvm::any_of(*loop->getHeader(), llvm::IsaPred<llvm::SelectInst>);
    }
    llvm::sort(loads);
  }

  ParsedFunction parsed;
  llvm::SmallVector<int64_t> loads;
  bool chooses = false;
};
} // namespace

static const std::string load = "  %v = load float, ptr %from, align 4\n";

static void testOneOfTwoLoopsLoadsNothing() {
  int64_t both[] = {0, 1};
  for (const char *choice : {"  %z = select i1 %c, float %v, float 0.0\n",
                             "  %z = select i1 %c, float 1.0, float %v\n"}) {
    Pass pass(load + choice);
    XLA_CHECK(pass.loads == llvm::ArrayRef(both));
    XLA_CHECK(!pass.chooses);
  }
}

static void testOtherLoadsStay() {
  Pass pass(load + R"(
  %w = load float, ptr %to, align 4
  %s = select i1 %c, float %v, float 0.0
  %z = fadd float %s, %w)");
  int64_t both[] = {1, 2};
  XLA_CHECK(pass.loads == llvm::ArrayRef(both));
}

static void testOfSeveralConditionsAllAreKnownInOneLoop() {
  Pass pass(load + R"(
  %w = load float, ptr %to, align 4
  %s = select i1 %c, float %v, float 0.0
  %t = select i1 %d, float 1.0, float %w
  %z = fadd float %s, %t)");
  int64_t both[] = {2, 2};
  XLA_CHECK(pass.loads == llvm::ArrayRef(both));
  XLA_CHECK(pass.chooses);
}

static void testWhatIsReadAnywayStaysOneLoop() {
  for (const char *body :
       {"  %s = select i1 %c, float %v, float 0.0\n"
        "  %z = fadd float %s, %v\n", // used twice
        "  %k = fcmp ogt float %v, 0.0\n"
        "  %z = select i1 %k, float %v, float 0.0\n"}) { // by element
    XLA_CHECK(Pass(load + body).loads.size() == 1);
  }
}

static void testShortLoopsStayOne() {
  std::string choice = "  %z = select i1 %c, float %v, float 0.0\n";
  XLA_CHECK(Pass(load + choice, 31).loads.size() == 1);
  XLA_CHECK(Pass(load + choice, 32).loads.size() == 2);
}

int main() {
  testOneOfTwoLoopsLoadsNothing();
  testOtherLoadsStay();
  testOfSeveralConditionsAllAreKnownInOneLoop();
  testWhatIsReadAnywayStaysOneLoop();
  testShortLoopsStayOne();
  return testing::failedChecks();
}
