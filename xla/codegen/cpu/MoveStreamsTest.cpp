#include "xla/codegen/cpu/ParsedFunction.h"
#include "xla/codegen/cpu/QuickCode.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Verifier.h"
#include "llvm/TargetParser/Triple.h"

#include <string>

using namespace xla;
using namespace xla::cpu;

namespace {
/// A vector copied from `x` to row `i` of `y`, whose rows have `rowBytes`, and
/// what the pass makes of it. `lanes` floats are a vector.
struct Pass {
  Pass(int lanes, int rowBytes, int align, const std::string &storeMark,
       const std::string &loadMark, const char *triple = "x86_64-linux-gnu") {
    std::string vector = "<" + std::to_string(lanes) + " x float>";
    std::string text = "define void @f(ptr %x, ptr align " +
                       std::to_string(align) + R"( %y, i64 %i) {
  %at = mul i64 %i, )" +
                       std::to_string(rowBytes) +
                       R"(
  %to = getelementptr i8, ptr %y, i64 %at
  %v = load )" + vector +
                       R"(, ptr %x, align 4, !alias.scope !4
  store )" + vector + R"( %v, ptr %to, align 4, !alias.scope !3
  ret void
}
!0 = distinct !{!0, !"streams"}
!1 = distinct !{!1, !0, !")" +
                       storeMark + "\"}\n!2 = distinct !{!2, !0, !\"" +
                       loadMark + "\"}\n!3 = !{!1}\n!4 = !{!2}\n";
    llvm::Function &function = parsed.parse(text);
    llvm::Module *module = function.getParent();
    module->setTargetTriple(llvm::Triple(triple));
    MoveStreams::run(function, parsed.analyses);
    XLA_CHECK(!llvm::verifyFunction(function, &llvm::errs()));
    for (llvm::Instruction &each : llvm::instructions(function)) {
      if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&each)) {
        isStreamed = store->hasMetadata(llvm::LLVMContext::MD_nontemporal);
        alignment = static_cast<int>(store->getAlign().value());
      } else if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&each)) {
        isFenced |= call->getIntrinsicID() == llvm::Intrinsic::x86_sse_sfence;
        if (call->getIntrinsicID() == llvm::Intrinsic::prefetch) {
          llvm::APInt offset(64, 0);
          call->getArgOperand(0)->stripAndAccumulateConstantOffsets(
              module->getDataLayout(), offset, /*AllowNonInbounds=*/true);
          fetched = offset.getSExtValue();
        }
      }
    }
  }

  ParsedFunction parsed;
  bool isStreamed = false, isFenced = false;
  int alignment = 0;
  int64_t fetched = 0;
};
} // namespace

static int lanes() { return hostProcessor().vectorBits / 32; }

static void testVectorsThatFillLinesAreStreamed() {
  int bytes = lanes() * 4;
  for (int rowBytes : {bytes, 64 * bytes, 3 * bytes}) {
    Pass pass(lanes(), rowBytes, bytes, "streamed", "other");
    XLA_CHECK(pass.isStreamed);
    XLA_CHECK(pass.isFenced);
    XLA_CHECK(pass.alignment == bytes);
    XLA_CHECK(pass.fetched == 0);
  }
}

static void testWhatMayCrossLinesIsNot() {
  int bytes = lanes() * 4;
  for (int rowBytes : {4, bytes / 2, bytes + 4, bytes * 3 / 2}) {
    Pass pass(lanes(), rowBytes, bytes, "streamed", "other");
    XLA_CHECK(!pass.isStreamed);
    XLA_CHECK(!pass.isFenced);
  }
  XLA_CHECK(!Pass(lanes(), bytes, bytes / 2, "streamed", "other").isStreamed);
}

static void testLessThanAVectorIsNot() {
  XLA_CHECK(!Pass(lanes() / 2, 64, 64, "streamed", "other").isStreamed);
}

static void testWhatHasNoNameIsLeftAlone() {
  Pass pass(lanes(), 64, 64, "other", "another");
  XLA_CHECK(!pass.isStreamed && !pass.isFenced && pass.fetched == 0);
}

static void testWhatIsAheadIsFetched() {
  Pass pass(lanes(), 4, 4, "other", "ahead 16384");
  XLA_CHECK(pass.fetched == 16384);
  XLA_CHECK(!pass.isFenced);
}

static void testOtherProcessorsAreLeftAlone() {
  Pass pass(lanes(), 64, 64, "streamed", "ahead 64", "aarch64-linux-gnu");
  XLA_CHECK(!pass.isStreamed && !pass.isFenced && pass.fetched == 0);
}

int main() {
  testVectorsThatFillLinesAreStreamed();
  testWhatMayCrossLinesIsNot();
  testLessThanAVectorIsNot();
  testWhatHasNoNameIsLeftAlone();
  testWhatIsAheadIsFetched();
  testOtherProcessorsAreLeftAlone();
  return testing::failedChecks();
}
