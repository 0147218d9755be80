//===- VerifyCollectives.cpp - What must hold of collectives --------------===//
//
// A collective names the axes that it moves, and the sharding that it leaves.
// Both have to agree with the sharding of its operand.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/sdy/Values.h"
#include "xla/dialect/sdy/Verification.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace xla::sdy {

using AxesRef = ArrayRef<AxisRefAttr>;
using Axes = SmallVector<AxisRefAttr>;

/// Parts of an axis that follow each other are one.
static Axes joined(AxesRef a, AxesRef b, MeshAttr mesh) {
  Axes all;
  for (AxesRef list : {a, b}) {
    for (AxisRefAttr axis : list) {
      if (!all.empty() && all.back().canMerge(axis)) {
        all.back() = all.back().merge(axis, mesh);
      } else {
        all.push_back(axis);
      }
    }
  }
  return all;
}

/// The same without regard to their order.
static Axes united(AxesRef a, AxesRef b, MeshAttr mesh) {
  Axes all(a);
  llvm::append_range(all, b);
  llvm::sort(all,
             [&](AxisRefAttr x, AxisRefAttr y) { return x.isBefore(y, mesh); });
  return joined(all, {}, mesh);
}

static std::string text(AxesRef axes) {
  return "{" + llvm::join(llvm::map_range(axes, textOf), ", ") + "}";
}

namespace {
/// The shardings before and after a collective.
struct Ends {
  TensorShardingAttr in, out;
  MeshAttr mesh;

  AxesRef inAxes(size_t dim) const {
    return in.getDimShardings()[dim].getAxes();
  }
  AxesRef outAxes(size_t dim) const {
    return out.getDimShardings()[dim].getAxes();
  }
};
} // namespace

/// Both are there, of one rank and on one mesh; a permute may leave the devices
/// in another order.
template <typename Op>
static LogicalResult findEnds(Op op, Ends &ends, bool mayReorder = false) {
  auto emitError = [&] { return op.emitOpError(); };
  ends.out = op.getOutSharding();
  if (failed(verifySharding(ends.out, op.getType(), op, emitError))) {
    return failure();
  }
  ends.in = getSharding(op.getTensor());
  if (!ends.in) {
    return op.emitOpError("has an operand without a sharding");
  }
  if (ends.in.getRank() != ends.out.getRank()) {
    return op.emitOpError("has an operand and a result on different meshes");
  }
  MeshAttr before = ends.in.getMesh(op);
  ends.mesh = ends.out.getMesh(op);
  bool isSame = before && (mayReorder ? before.getAxes() == ends.mesh.getAxes()
                                      : before == ends.mesh);
  if (!isSame) {
    return op.emitOpError()
           << "goes from mesh " << before << " to mesh " << ends.mesh
           << (mayReorder ? ", which has other axes" : "");
  }
  return success();
}

/// Lists of axes for each dimension, of the mesh, none twice.
template <typename Op>
static LogicalResult verifyLists(Op op, ListOfAxisRefListsAttr lists,
                                 const Ends &ends) {
  if (int64_t(lists.size()) != ends.out.getRank()) {
    return op.emitOpError()
           << "has axes for " << lists.size()
           << " dimensions, and its result has " << ends.out.getRank();
  }
  SmallVector<AxesRef> all;
  for (AxisRefListAttr list : lists) {
    all.push_back(list.getValue());
  }
  return verifyAxes(all, ends.mesh, [&] { return op.emitOpError(); });
}

/// That the larger list is the smaller one with the minor axes behind it.
template <typename Op>
static LogicalResult
verifyMinor(Op op, size_t dim, AxesRef larger, AxesRef smaller, AxesRef minor,
            StringRef largerName, StringRef smallerName, const Ends &ends) {
  if (joined(smaller, minor, ends.mesh) == larger) {
    return success();
  }
  return op.emitOpError() << "dimension " << dim << " of its " << largerName
                          << " is cut along " << text(larger)
                          << ", which is not " << text(smaller) << " of its "
                          << smallerName << " with " << text(minor)
                          << " behind it";
}

template <typename Op>
static LogicalResult verifyTaken(Op op, ListOfAxisRefListsAttr lists,
                                 const Ends &ends) {
  if (failed(verifyLists(op, lists, ends))) {
    return failure();
  }
  for (auto [dim, list] : llvm::enumerate(lists)) {
    if (failed(verifyMinor(op, dim, ends.inAxes(dim), ends.outAxes(dim),
                           list.getValue(), "operand", "result", ends))) {
      return failure();
    }
  }
  return success();
}

template <typename Op>
static LogicalResult verifyAdded(Op op, ListOfAxisRefListsAttr lists,
                                 const Ends &ends) {
  if (failed(verifyLists(op, lists, ends))) {
    return failure();
  }
  for (auto [dim, list] : llvm::enumerate(lists)) {
    if (failed(verifyMinor(op, dim, ends.outAxes(dim), ends.inAxes(dim),
                           list.getValue(), "result", "operand", ends))) {
      return failure();
    }
  }
  return success();
}

template <typename Op>
static LogicalResult verifySameDimensions(Op op, const Ends &ends) {
  for (int64_t dim = 0; dim < ends.out.getRank(); ++dim) {
    if (ends.inAxes(dim) != ends.outAxes(dim)) {
      return op.emitOpError() << "dimension " << dim << " is cut along "
                              << text(ends.inAxes(dim)) << " before and along "
                              << text(ends.outAxes(dim)) << " behind it";
    }
  }
  return success();
}

/// That axes became unreduced, and no others.
template <typename Op>
static LogicalResult verifyUnreduced(Op op, AxesRef axes, const Ends &ends) {
  if (united(ends.in.getUnreducedAxes(), axes, ends.mesh) ==
      joined(ends.out.getUnreducedAxes(), {}, ends.mesh)) {
    return success();
  }
  return op.emitOpError() << "makes " << text(axes) << " unreduced beside "
                          << text(ends.in.getUnreducedAxes())
                          << ", and its result is unreduced over "
                          << text(ends.out.getUnreducedAxes());
}

LogicalResult AllGatherOp::verify() {
  Ends ends;
  return success(succeeded(findEnds(*this, ends)) &&
                 succeeded(verifyTaken(*this, getGatheringAxes(), ends)));
}

LogicalResult AllSliceOp::verify() {
  Ends ends;
  return success(succeeded(findEnds(*this, ends)) &&
                 succeeded(verifyAdded(*this, getSlicingAxes(), ends)));
}

LogicalResult ReduceScatterOp::verify() {
  Ends ends;
  return success(succeeded(findEnds(*this, ends)) &&
                 succeeded(verifyAdded(*this, getReduceScatterAxes(), ends)));
}

LogicalResult ShardedToUnreducedOp::verify() {
  Ends ends;
  if (failed(findEnds(*this, ends)) ||
      failed(verifyTaken(*this, getAxes(), ends))) {
    return failure();
  }
  Axes all;
  for (AxisRefListAttr list : getAxes()) {
    llvm::append_range(all, list);
  }
  return verifyUnreduced(*this, all, ends);
}

LogicalResult ReplicatedToUnreducedOp::verify() {
  Ends ends;
  if (failed(findEnds(*this, ends)) ||
      failed(verifyAxes({getAxes().getValue()}, ends.mesh,
                        [&] { return emitOpError(); })) ||
      failed(verifySameDimensions(*this, ends))) {
    return failure();
  }
  return verifyUnreduced(*this, getAxes().getValue(), ends);
}

LogicalResult AllToAllOp::verify() {
  Ends ends;
  if (failed(findEnds(*this, ends))) {
    return failure();
  }
  int64_t rank = ends.out.getRank();
  SmallVector<bool> isMet(rank, false);
  SmallVector<AxesRef> all;
  for (AllToAllParamAttr param : getParams()) {
    if (param.getAxes().empty()) {
      return emitOpError("moves no axes from one dimension to another");
    }
    all.push_back(param.getAxes());
    for (int64_t dim : {param.getSrcDim(), param.getTgtDim()}) {
      if (dim < 0 || dim >= rank) {
        return emitOpError()
               << "names dimension " << dim << ", and its operand "
               << "has " << rank;
      }
      if (isMet[dim]) {
        return emitOpError() << "names dimension " << dim << " twice";
      }
      isMet[dim] = true;
    }
  }
  if (failed(verifyAxes(all, ends.mesh, [&] { return emitOpError(); }))) {
    return failure();
  }
  for (AllToAllParamAttr param : getParams()) {
    size_t source = param.getSrcDim(), target = param.getTgtDim();
    if (failed(verifyMinor(*this, source, ends.inAxes(source),
                           ends.outAxes(source), param.getAxes(), "operand",
                           "result", ends)) ||
        failed(verifyMinor(*this, target, ends.outAxes(target),
                           ends.inAxes(target), param.getAxes(), "result",
                           "operand", ends))) {
      return failure();
    }
  }
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (!isMet[dim] &&
        failed(verifyMinor(*this, dim, ends.inAxes(dim), ends.outAxes(dim), {},
                           "operand", "result", ends))) {
      return failure();
    }
  }
  return success();
}

LogicalResult CollectivePermuteOp::verify() {
  Ends ends;
  if (failed(findEnds(*this, ends, /*mayReorder=*/true))) {
    return failure();
  }
  for (auto [dim, before, after] :
       llvm::enumerate(ends.in.getDimShardings(), ends.out.getDimShardings())) {
    int64_t from = before.getShardCount(ends.mesh);
    int64_t to = after.getShardCount(ends.mesh);
    if (from != to) {
      return emitOpError() << "dimension " << dim << " is in " << from
                           << " parts before and in " << to << " behind it";
    }
  }
  return success();
}

LogicalResult AllReduceOp::verify() {
  Ends ends;
  auto emitError = [&] { return emitOpError(); };
  if (failed(findEnds(*this, ends))) {
    return failure();
  }
  AxesRef axes = getReductionAxes().getValue();
  if (failed(verifyAxes({axes}, ends.mesh, emitError))) {
    return failure();
  }
  Axes used;
  for (DimensionShardingAttr dim : ends.in.getDimShardings()) {
    llvm::append_range(used, dim.getAxes());
  }
  llvm::append_range(used, ends.in.getReplicatedAxes());
  for (auto [i, axis] : llvm::enumerate(axes)) {
    auto isOverlapping = [&](AxisRefAttr other) {
      return axis.overlaps(other);
    };
    if (i > 0 && !axes[i - 1].isBefore(axis, ends.mesh)) {
      return emitOpError() << "names axes in an order that is not the mesh's: "
                           << text(axes);
    }
    if (llvm::any_of(used, isOverlapping)) {
      return emitOpError() << "reduces over " << textOf(axis)
                           << ", along which its operand is cut or replicated";
    }
    if (llvm::any_of(ends.out.getUnreducedAxes(), isOverlapping)) {
      return emitOpError() << "reduces over " << textOf(axis)
                           << ", and its result is unreduced over it";
    }
  }
  return verifySameDimensions(*this, ends);
}

} // namespace xla::sdy
