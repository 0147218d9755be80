#include "xla/codegen/cpu/ParsedFunction.h"
#include "xla/codegen/cpu/QuickCode.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Verifier.h"

#include <string>

using namespace xla;
using namespace xla::cpu;

namespace {
/// A function that multiplies `count` elements `products` times, and what the
/// pass makes of it.
struct Pass {
  Pass(int count, int products, bool adds) {
    std::string text = R"(
define float @f(ptr noalias %x, ptr noalias %y) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %added, %loop ]
  %from = getelementptr inbounds float, ptr %x, i64 %i
  %v0 = load float, ptr %from, align 4
)";
    for (int n = 0; n < products; ++n) {
      text += "  %v" + std::to_string(n + 1) + " = fmul float %v" +
              std::to_string(n) + ", %v0\n";
    }
    std::string last = "%v" + std::to_string(products);
    text += adds ? "  %added = fadd reassoc float %sum, " + last + "\n"
                 : "  %to = getelementptr inbounds float, ptr %y, i64 %i\n"
                   "  store float " +
                       last + ", ptr %to, align 4\n";
    text += "  %next = add nuw nsw i64 %i, 1\n"
            "  %done = icmp eq i64 %next, " +
            std::to_string(count) +
            "\n  br i1 %done, label %after, label %loop\nafter:\n" +
            (adds ? "  %result = phi float [ %added, %loop ]\n"
                    "  ret float %result\n}\n"
                  : "  ret float 0.0\n}\n");
    if (!adds) {
      size_t phi = text.find("  %sum");
      text.erase(phi, text.find('\n', phi) + 1 - phi);
    }
    llvm::Function &function = parsed.parse(text);
    llvm::FunctionAnalysisManager &analyses = parsed.analyses;
    analyses.invalidate(function, SplitTails::run(function, analyses));
    XLA_CHECK(!llvm::verifyFunction(function, &llvm::errs()));
    auto &evolution =
        analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
    for (llvm::Loop *loop : analyses.getResult<llvm::LoopAnalysis>(function)) {
      counts.push_back(evolution.getSmallConstantTripCount(loop));
    }
    llvm::sort(counts);
  }

  ParsedFunction parsed;
  llvm::SmallVector<unsigned> counts; ///< of rounds, of each loop
};
} // namespace

static constexpr int manyProducts = 9;

static unsigned lanes() {
  return static_cast<unsigned>(hostProcessor().vectorBits) / 32;
}

static void testWhatIsLessThanAVectorIsALoopOfItsOwn() {
  for (bool adds : {false, true}) {
    for (unsigned left = 0; left < lanes(); ++left) {
      unsigned whole = 5 * lanes();
      Pass pass(static_cast<int>(whole + left), manyProducts, adds);
      if (left < 3) {
        XLA_CHECK(pass.counts == llvm::ArrayRef<unsigned>{whole + left});
      } else {
        unsigned both[] = {left, whole};
        XLA_CHECK(pass.counts == llvm::ArrayRef(both));
      }
    }
  }
}

static void testLessThanAVectorInAllStaysOneLoop() {
  for (unsigned count = 2; count <= lanes(); ++count) {
    Pass pass(static_cast<int>(count), manyProducts, /*adds=*/false);
    XLA_CHECK(pass.counts == llvm::ArrayRef<unsigned>{count});
  }
}

static void testLittleWorkIsSplitForWideVectorsAlone() {
  unsigned count = 6 * lanes() - 1;
  Pass pass(static_cast<int>(count), 1, /*adds=*/false);
  XLA_CHECK(pass.counts.size() ==
            (hostProcessor().vectorBits == 512 ? 2U : 1U));
}

int main() {
  testWhatIsLessThanAVectorIsALoopOfItsOwn();
  testLessThanAVectorInAllStaysOneLoop();
  testLittleWorkIsSplitForWideVectorsAlone();
  return testing::failedChecks();
}
