//===- Pieces.cpp - Concatenations of pieces of one array -----------------===//

#include "xla/codegen/cpu/Pieces.h"

#include "xla/codegen/cpu/FusionPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

/// A part that is turned round and repeated has as many; more are rare.
static constexpr int longestWay = 4;

bool isPiece(Operation *op) {
  return llvm::isa<BroadcastInDimOp, ReverseOp, SliceOp>(op);
}

/// What a piece is read from, beginning with itself.
static llvm::SmallVector<Value> wayOf(Value piece) {
  llvm::SmallVector<Value> way = {piece};
  for (int step = 0; step < longestWay; ++step) {
    Operation *op = way.back().getDefiningOp();
    if (!op || !isPiece(op)) {
      break;
    }
    way.push_back(op->getOperand(0));
  }
  return way;
}

Value sourceOfPieces(ConcatenateOp op) {
  llvm::SmallVector<llvm::SmallVector<Value>> others;
  for (Value piece : llvm::drop_begin(op.getInputs())) {
    others.push_back(wayOf(piece));
  }
  if (others.empty()) {
    return nullptr;
  }
  for (Value candidate : wayOf(op.getInputs().front())) {
    if (llvm::all_of(others, [&](llvm::ArrayRef<Value> way) {
          return llvm::is_contained(way, candidate);
        })) {
      return candidate;
    }
  }
  return nullptr;
}

ConcatenateOp joinedFrom(mlir::OpOperand &use) {
  Operation *user = use.getOwner();
  for (int step = 0; step < longestWay && isPiece(user); ++step) {
    if (!user->hasOneUse()) {
      return nullptr;
    }
    user = *user->user_begin();
  }
  auto joined = llvm::dyn_cast<ConcatenateOp>(user);
  // A wide one is a step that writes each piece: to compare all its pieces for
  // each of them would take the square of their number.
  bool isInline = joined && isElementOp(joined);
  return isInline && sourceOfPieces(joined) == use.get() ? joined : nullptr;
}

} // namespace xla::cpu
