//===- Verification.cpp - What must hold of shardings ---------------------===//

#include "xla/dialect/sdy/Verification.h"

#include "xla/dialect/sdy/Values.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace xla::sdy {

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

std::string textOf(AxisRefAttr axis) {
  std::string text = "\"" + axis.getName().str() + "\"";
  if (SubAxisInfoAttr part = axis.getSubAxis()) {
    text += ":(" + std::to_string(part.getPreSize()) + ")" +
            std::to_string(part.getSize());
  }
  return text;
}

static LogicalResult verifyAxis(AxisRefAttr axis, MeshAttr mesh,
                                EmitError emitError) {
  int64_t size = mesh.getAxisSize(axis.getName());
  if (size == 0) {
    return emitError() << "axis \"" << axis.getName()
                       << "\" is not in the mesh " << mesh;
  }
  SubAxisInfoAttr factor = axis.getSubAxis();
  if (!factor) {
    return success();
  }
  if (size % factor.getNextPreSize() != 0) {
    return emitError() << "factor " << textOf(axis)
                       << " does not divide the axis, "
                       << "whose size is " << size;
  }
  if (factor.getSize() == size) {
    return emitError() << "factor " << textOf(axis)
                       << " is the whole axis and is written without one";
  }
  return success();
}

/// Sorted by index, axes that overlap are neighbours.
static LogicalResult verifyDisjoint(SmallVector<AxisRefAttr> axes,
                                    MeshAttr mesh, EmitError emitError) {
  llvm::sort(axes,
             [&](AxisRefAttr a, AxisRefAttr b) { return a.isBefore(b, mesh); });
  for (size_t i = 1; i < axes.size(); ++i) {
    if (axes[i - 1].overlaps(axes[i])) {
      return emitError() << "axis " << textOf(axes[i])
                         << (axes[i - 1] == axes[i]
                                 ? " is used twice"
                                 : " is used beside a part of it");
    }
  }
  return success();
}

LogicalResult verifyAxes(ArrayRef<ArrayRef<AxisRefAttr>> lists, MeshAttr mesh,
                         EmitError emitError) {
  SmallVector<AxisRefAttr> all;
  for (ArrayRef<AxisRefAttr> list : lists) {
    for (auto [i, axis] : llvm::enumerate(list)) {
      if (failed(verifyAxis(axis, mesh, emitError))) {
        return failure();
      }
      if (i > 0 && list[i - 1].canMerge(axis)) {
        return emitError() << "axes " << textOf(list[i - 1]) << " and "
                           << textOf(axis) << " are written as one";
      }
      all.push_back(axis);
    }
  }
  return verifyDisjoint(std::move(all), mesh, emitError);
}

static LogicalResult verifySorted(ArrayRef<AxisRefAttr> axes, StringRef kind,
                                  MeshAttr mesh, EmitError emitError) {
  for (size_t i = 1; i < axes.size(); ++i) {
    if (!axes[i - 1].isBefore(axes[i], mesh)) {
      return emitError() << kind << " axes stand in the mesh's order, which "
                         << textOf(axes[i - 1]) << ", " << textOf(axes[i])
                         << " is not";
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

static LogicalResult verifyRank(TensorShardingAttr sharding, Type type,
                                EmitError emitError) {
  if (sharding.getRank() != getRank(type)) {
    return emitError() << "sharding has " << sharding.getRank()
                       << " dimensions, and the value's type " << type
                       << " has " << getRank(type);
  }
  return success();
}

LogicalResult verifySharding(TensorShardingAttr sharding, Type type,
                             Operation *at, EmitError emitError) {
  MeshAttr mesh = sharding.getMesh(at);
  if (!mesh) {
    return emitError() << "there is no mesh " << sharding.getMeshOrRef();
  }
  if (mesh.isMaximal()) {
    // The device holds all of the value, whatever its dimensions.
    return sharding.getDimShardings().empty() && sharding.getAllAxes().empty()
               ? success()
               : emitError() << "sharding on a single device has dimensions "
                                "or axes";
  }
  if (failed(verifyRank(sharding, type, emitError))) {
    return failure();
  }
  SmallVector<ArrayRef<AxisRefAttr>> lists;
  for (DimensionShardingAttr dim : sharding.getDimShardings()) {
    lists.push_back(dim.getAxes());
  }
  lists.push_back(sharding.getReplicatedAxes());
  lists.push_back(sharding.getUnreducedAxes());
  if (failed(verifyAxes(lists, mesh, emitError)) ||
      failed(verifySorted(sharding.getReplicatedAxes(), "replicated", mesh,
                          emitError)) ||
      failed(verifySorted(sharding.getUnreducedAxes(), "unreduced", mesh,
                          emitError))) {
    return failure();
  }
  return success();
}

LogicalResult verifyShardings(TensorShardingPerValueAttr shardings,
                              TypeRange types, Operation *at,
                              EmitError emitError) {
  // What happens on one device alone has a sharding that says on which, also
  // where it has no result.
  if (types.empty() && shardings.size() == 1) {
    MeshAttr mesh = shardings.getShardings().front().getMesh(at);
    if (mesh && mesh.isMaximal()) {
      return success();
    }
  }
  if (shardings.size() != types.size()) {
    return emitError() << "there are " << shardings.size() << " shardings for "
                       << types.size() << " values";
  }
  for (auto [i, sharding, type] : llvm::enumerate(shardings, types)) {
    auto ofOne = [&, index = i] {
      return emitError() << "sharding " << index << ": ";
    };
    if (failed(verifySharding(sharding, type, at, ofOne))) {
      return failure();
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static LogicalResult verifyMappings(ArrayRef<TensorMappingAttr> mappings,
                                    TypeRange types, StringRef what,
                                    EmitError emitError) {
  if (mappings.size() != types.size()) {
    return emitError() << "rule has " << mappings.size() << " mappings for "
                       << types.size() << " " << what << "s";
  }
  for (auto [i, mapping, type] : llvm::enumerate(mappings, types)) {
    if (mapping.getRank() != getRank(type)) {
      return emitError() << "mapping of " << what << " " << i << " has "
                         << mapping.getRank() << " dimensions, and its type "
                         << type << " has " << getRank(type);
    }
  }
  return success();
}

static LogicalResult verifyRule(OpShardingRuleAttr rule, Operation *op,
                                EmitError emitError) {
  if (failed(verifyMappings(rule.getOperandMappings(), op->getOperandTypes(),
                            "operand", emitError)) ||
      failed(verifyMappings(rule.getResultMappings(), op->getResultTypes(),
                            "result", emitError))) {
    return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes of other dialects' operations
//===----------------------------------------------------------------------===//

LogicalResult SdyDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  auto emitError = [&] {
    return op->emitOpError() << "'" << attribute.getName().getValue() << "' ";
  };
  if (attribute.getName() == kShardingName) {
    // A function's own; those of its arguments and results come below.
    auto all = dyn_cast<TensorShardingPerValueAttr>(attribute.getValue());
    if (!all) {
      return emitError() << "is a #sdy.sharding_per_value on an operation";
    }
    return verifyShardings(all, op->getResultTypes(), op, emitError);
  }
  if (attribute.getName() == kShardingRuleName) {
    auto rule = dyn_cast<OpShardingRuleAttr>(attribute.getValue());
    if (!rule) {
      return emitError() << "is a #sdy.op_sharding_rule";
    }
    return verifyRule(rule, op, emitError);
  }
  return success();
}

static LogicalResult verifyOfValue(Operation *op, NamedAttribute attribute,
                                   StringRef what, unsigned i, Type type) {
  if (attribute.getName() != kShardingName) {
    return success();
  }
  auto emitError = [&] {
    return op->emitOpError()
           << "'" << kShardingName << "' of " << what << " " << i << " ";
  };
  auto sharding = dyn_cast<TensorShardingAttr>(attribute.getValue());
  if (!sharding) {
    return emitError() << "is a #sdy.sharding";
  }
  return verifySharding(sharding, type, op, emitError);
}

LogicalResult SdyDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                   unsigned i,
                                                   NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function) {
    return success();
  }
  return verifyOfValue(op, attribute, "argument", i,
                       function.getArgumentTypes()[i]);
}

LogicalResult
SdyDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned i,
                                        NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function) {
    return success();
  }
  return verifyOfValue(op, attribute, "result", i,
                       function.getResultTypes()[i]);
}

} // namespace xla::sdy
