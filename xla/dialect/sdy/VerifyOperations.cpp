//===- VerifyOperations.cpp - What must hold of operations ----------------===//

#include "xla/dialect/sdy/Values.h"
#include "xla/dialect/sdy/Verification.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace xla::sdy {

//===----------------------------------------------------------------------===//
// One value
//===----------------------------------------------------------------------===//

template <typename Op>
static LogicalResult verifyOwnSharding(Op op, TensorShardingAttr sharding) {
  auto emitError = [&] { return op.emitOpError(); };
  return verifySharding(sharding, op.getResult().getType(), op, emitError);
}

LogicalResult ShardingConstraintOp::verify() {
  return verifyOwnSharding(*this, getSharding());
}

LogicalResult ReshardOp::verify() {
  return verifyOwnSharding(*this, getSharding());
}

LogicalResult DataFlowEdgeOp::verify() {
  TensorShardingAttr sharding = getShardingAttr();
  return sharding ? verifyOwnSharding(*this, sharding) : success();
}

LogicalResult PropagationBarrierOp::verify() {
  if (getAllowedDirection() == PropagationDirection::BOTH) {
    return emitOpError("allows both directions and so is no barrier");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// What a body ends with; null after a diagnostic.
static ReturnOp returnOf(Operation *op, Region &body) {
  auto end = dyn_cast<ReturnOp>(body.front().back());
  if (!end) {
    op->emitOpError("has a body that does not end in 'sdy.return'");
  }
  return end;
}

static LogicalResult verifyTypes(Operation *op, TypeRange outer,
                                 TypeRange inner, StringRef what) {
  if (outer.size() != inner.size()) {
    return op->emitOpError() << "has " << outer.size() << " " << what
                             << "s, and its body " << inner.size();
  }
  return success();
}

LogicalResult NamedComputationOp::verify() {
  ReturnOp end = returnOf(*this, getBody());
  if (!end) {
    return failure();
  }
  TypeRange returned = end.getResults().getTypes();
  TypeRange arguments = getBody().getArgumentTypes();
  if (failed(
          verifyTypes(*this, getOperands().getTypes(), arguments, "operand")) ||
      failed(verifyTypes(*this, getResultTypes(), returned, "result"))) {
    return failure();
  }
  if (getOperands().getTypes() != arguments || getResultTypes() != returned) {
    return emitOpError("has other types than its body");
  }
  auto check = [&](TensorShardingPerValueAttr all, TypeRange types,
                   StringRef name) {
    return all ? verifyShardings(all, types, *this,
                                 [&] { return emitOpError() << name << " "; })
               : success();
  };
  return success(
      succeeded(check(getInShardingsAttr(), arguments, "in_shardings")) &&
      succeeded(check(getOutShardingsAttr(), returned, "out_shardings")));
}

/// The part of a type that a device sees where axes are manual; null after a
/// diagnostic.
static Type partOf(TensorShardingAttr sharding, Type type, ManualAxesAttr axes,
                   MeshAttr mesh, EmitError emitError) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || sharding.getDimShardings().empty()) {
    return type;
  }
  auto shape = llvm::to_vector(tensor.getShape());
  for (auto [i, dim] : llvm::enumerate(sharding.getDimShardings())) {
    int64_t count = 1;
    bool isBehindFree = false;
    for (AxisRefAttr axis : dim.getAxes()) {
      bool isManual = axes.contains(axis.getName());
      if (isManual && isBehindFree) {
        emitError() << "manual axis " << textOf(axis) << " of dimension " << i
                    << " stands behind one that is not manual";
        return nullptr;
      }
      isBehindFree |= !isManual;
      count *= isManual ? axis.getSize(mesh) : 1;
    }
    if (ShapedType::isDynamic(shape[i])) {
      continue;
    }
    if (shape[i] % count != 0) {
      emitError() << "dimension " << i << " of size " << shape[i]
                  << " cannot be divided into " << count << " equal parts";
      return nullptr;
    }
    shape[i] /= count;
  }
  return tensor.clone(shape);
}

namespace {
/// Operands and the body's arguments, or results and what the body returns.
struct Side {
  StringRef what;
  TensorShardingPerValueAttr shardings;
  TypeRange outer;
  TypeRange inner;
};
} // namespace

static LogicalResult verifySide(ManualComputationOp op, const Side &side) {
  if (failed(verifyTypes(op, side.outer, side.inner, side.what)) ||
      failed(verifyShardings(side.shardings, side.outer, op, [&] {
        return op.emitOpError() << side.what << " ";
      }))) {
    return failure();
  }
  ManualAxesAttr manual = op.getManualAxes();
  for (auto [i, sharding, outer, inner] :
       llvm::enumerate(side.shardings, side.outer, side.inner)) {
    auto emitError = [&, index = i] {
      return op.emitOpError() << side.what << " " << index << ": ";
    };
    MeshAttr mesh = sharding.getMesh(op);
    Type part = partOf(sharding, outer, manual, mesh, emitError);
    if (!part) {
      return failure();
    }
    if (part != inner) {
      return emitError() << "the body has " << inner << ", and the part of "
                         << outer << " on one device is " << part;
    }
  }
  return success();
}

/// All shardings are on one mesh; manual axes are its axes, each once, and not
/// manual yet.
static LogicalResult verifyManualAxes(ManualComputationOp op) {
  ManualAxesAttr manual = op.getManualAxes();
  MeshAttr mesh;
  for (TensorShardingPerValueAttr all :
       {op.getInShardings(), op.getOutShardings()}) {
    for (TensorShardingAttr sharding : all) {
      MeshAttr own = sharding.getMesh(op);
      if (own && own.getAxes().empty()) {
        continue; // tokens and what is on a single device
      }
      if (mesh && own && own != mesh) {
        return op.emitOpError("has shardings on different meshes");
      }
      mesh = own;
    }
  }
  SmallVector<StringAttr> around = getManualAxesAround(op);
  llvm::SmallDenseSet<StringAttr> met;
  for (StringAttr name : manual) {
    if (!met.insert(name).second) {
      return op.emitOpError() << "manual axis " << name << " is there twice";
    }
    if (llvm::is_contained(around, name)) {
      return op.emitOpError()
             << "manual axis " << name << " is manual around it already";
    }
    if (!mesh) {
      continue; // nothing to hold it against
    }
    if (!mesh.hasAxis(name.getValue())) {
      return op.emitOpError()
             << "manual axis " << name << " is not in the mesh " << mesh;
    }
  }
  return success();
}

LogicalResult ManualComputationOp::verify() {
  ReturnOp end = returnOf(*this, getBody());
  if (!end) {
    return failure();
  }
  Side in = {"operand", getInShardings(), getTensors().getTypes(),
             getBody().getArgumentTypes()};
  Side out = {"result", getOutShardings(), getResultTypes(),
              end.getResults().getTypes()};
  return success(succeeded(verifyManualAxes(*this)) &&
                 succeeded(verifySide(*this, in)) &&
                 succeeded(verifySide(*this, out)));
}

} // namespace xla::sdy
