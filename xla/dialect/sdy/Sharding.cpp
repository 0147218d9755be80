//===- Sharding.cpp - What a sharding says --------------------------------===//

#include "xla/dialect/sdy/SdyOps.h"
#include "xla/dialect/sdy/Values.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace xla::sdy {

using EmitError = function_ref<InFlightDiagnostic()>;

//===----------------------------------------------------------------------===//
// Of a dimension
//===----------------------------------------------------------------------===//

LogicalResult DimensionShardingAttr::verify(EmitError emitError,
                                            ArrayRef<AxisRefAttr> axes,
                                            bool isClosed,
                                            std::optional<int64_t> priority) {
  if (priority && *priority < 0) {
    return emitError() << "priority " << *priority << " is negative";
  }
  if (priority && isClosed && axes.empty()) {
    return emitError() << "closed dimension without axes has a priority";
  }
  return success();
}

int64_t DimensionShardingAttr::getShardCount(MeshAttr mesh) const {
  int64_t count = 1;
  for (AxisRefAttr axis : getAxes()) {
    count *= axis.getSize(mesh);
  }
  return count;
}

//===----------------------------------------------------------------------===//
// Of a tensor
//===----------------------------------------------------------------------===//

LogicalResult TensorShardingAttr::verify(EmitError emitError,
                                         Attribute meshOrRef,
                                         ArrayRef<DimensionShardingAttr>,
                                         ArrayRef<AxisRefAttr>,
                                         ArrayRef<AxisRefAttr>, ReductionKind) {
  if (!isa_and_nonnull<MeshAttr, FlatSymbolRefAttr>(meshOrRef)) {
    return emitError() << "sharding names neither a mesh nor a mesh's symbol";
  }
  return success();
}

static TensorShardingAttr withoutAxes(MLIRContext *context, int64_t rank,
                                      Attribute meshOrRef, bool isClosed) {
  SmallVector<DimensionShardingAttr> dims(
      rank, DimensionShardingAttr::get(context, {}, isClosed));
  return TensorShardingAttr::get(context, meshOrRef, dims);
}

TensorShardingAttr TensorShardingAttr::getFullyOpen(MLIRContext *context,
                                                    int64_t rank,
                                                    Attribute meshOrRef) {
  return withoutAxes(context, rank, meshOrRef, /*isClosed=*/false);
}

TensorShardingAttr TensorShardingAttr::getFullyClosed(MLIRContext *context,
                                                      int64_t rank,
                                                      Attribute meshOrRef) {
  return withoutAxes(context, rank, meshOrRef, /*isClosed=*/true);
}

MeshAttr TensorShardingAttr::getMesh(Operation *at) const {
  return findMesh(at, getMeshOrRef());
}

StringRef TensorShardingAttr::getMeshName() const {
  auto symbol = dyn_cast<FlatSymbolRefAttr>(getMeshOrRef());
  return symbol ? symbol.getValue() : StringRef();
}

bool TensorShardingAttr::isFullyReplicated() const {
  return getUnreducedAxes().empty() &&
         llvm::all_of(getDimShardings(),
                      [](DimensionShardingAttr dim) { return dim.empty(); });
}

bool TensorShardingAttr::isFullyClosed() const {
  return llvm::all_of(getDimShardings(), [](DimensionShardingAttr dim) {
    return dim.getIsClosed();
  });
}

bool TensorShardingAttr::uses(AxisRefAttr axis) const {
  auto isOverlapping = [&](AxisRefAttr other) { return other.overlaps(axis); };
  return llvm::any_of(getAllAxes(), isOverlapping);
}

SmallVector<AxisRefAttr> TensorShardingAttr::getAllAxes() const {
  SmallVector<AxisRefAttr> axes;
  for (DimensionShardingAttr dim : getDimShardings()) {
    llvm::append_range(axes, dim.getAxes());
  }
  llvm::append_range(axes, getReplicatedAxes());
  llvm::append_range(axes, getUnreducedAxes());
  return axes;
}

TensorShardingAttr TensorShardingAttr::withDimShardings(
    ArrayRef<DimensionShardingAttr> dims) const {
  return get(getContext(), getMeshOrRef(), dims, getReplicatedAxes(),
             getUnreducedAxes(), getUnreducedKind());
}

TensorShardingAttr
TensorShardingAttr::withDimSharding(int64_t dim,
                                    DimensionShardingAttr sharding) const {
  auto dims = llvm::to_vector(getDimShardings());
  dims[dim] = sharding;
  return withDimShardings(dims);
}

TensorShardingAttr
TensorShardingAttr::withReplicatedAxes(ArrayRef<AxisRefAttr> axes) const {
  return get(getContext(), getMeshOrRef(), getDimShardings(), axes,
             getUnreducedAxes(), getUnreducedKind());
}

TensorShardingAttr
TensorShardingAttr::withUnreducedAxes(ArrayRef<AxisRefAttr> axes) const {
  return get(getContext(), getMeshOrRef(), getDimShardings(),
             getReplicatedAxes(), axes,
             axes.empty() ? ReductionKind::Sum : getUnreducedKind());
}

TensorShardingAttr TensorShardingAttr::getClosed() const {
  SmallVector<DimensionShardingAttr> dims;
  for (DimensionShardingAttr dim : getDimShardings()) {
    dims.push_back(
        DimensionShardingAttr::get(getContext(), dim.getAxes(), true));
  }
  return withDimShardings(dims).withReplicatedAxes({});
}

bool TensorShardingAttr::isEquivalent(TensorShardingAttr other) const {
  return getClosed() == other.getClosed();
}

RankedTensorType TensorShardingAttr::getLocalType(RankedTensorType global,
                                                  MeshAttr mesh) const {
  auto shape = llvm::to_vector(global.getShape());
  for (auto [size, dim] : llvm::zip(shape, getDimShardings())) {
    if (!ShapedType::isDynamic(size)) {
      size = llvm::divideCeil(size, dim.getShardCount(mesh));
    }
  }
  return global.clone(shape);
}

TensorShardingPerValueAttr
TensorShardingPerValueAttr::with(size_t i, TensorShardingAttr value) const {
  auto shardings = llvm::to_vector(getShardings());
  shardings[i] = value;
  return get(getContext(), shardings);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

LogicalResult DimMappingAttr::verify(EmitError emitError,
                                     ArrayRef<int64_t> factors) {
  for (int64_t factor : factors) {
    if (factor < 0) {
      return emitError() << "factor " << factor << " is negative";
    }
  }
  return success();
}

static LogicalResult verifyMapping(EmitError emitError,
                                   TensorMappingAttr mapping,
                                   SmallVectorImpl<bool> &isUsed) {
  int64_t factorCount = isUsed.size();
  SmallVector<bool> isMet(factorCount, false);
  for (DimMappingAttr dim : mapping.getDimMappings()) {
    for (int64_t factor : dim.getFactors()) {
      if (factor >= factorCount) {
        return emitError() << "factor " << factor << " has no size; there are "
                           << factorCount << " factors";
      }
      if (isMet[factor]) {
        return emitError() << "factor " << factor
                           << " is in a tensor mapping twice";
      }
      isMet[factor] = isUsed[factor] = true;
    }
  }
  return success();
}

/// In order, each once.
static LogicalResult verifyFactors(EmitError emitError,
                                   ArrayRef<int64_t> factors, StringRef kind,
                                   int64_t factorCount) {
  int64_t last = -1;
  for (int64_t factor : factors) {
    if (factor <= last || factor >= factorCount) {
      return emitError() << kind << " factors are of the " << factorCount
                         << " factors, in order, each once; " << factor
                         << " is not";
    }
    last = factor;
  }
  return success();
}

LogicalResult OpShardingRuleAttr::verify(
    EmitError emitError, ArrayRef<int64_t> sizes,
    ArrayRef<TensorMappingAttr> operands, ArrayRef<TensorMappingAttr> results,
    ArrayRef<int64_t> reduction, ArrayRef<int64_t> needReplication,
    ArrayRef<int64_t> permutation, ArrayRef<int64_t> blocked, bool) {
  int64_t count = sizes.size();
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (size < 0) {
      return emitError() << "size of factor " << i << " is " << size;
    }
  }
  SmallVector<bool> isUsed(count, false);
  for (ArrayRef<TensorMappingAttr> mappings : {operands, results}) {
    for (TensorMappingAttr mapping : mappings) {
      if (failed(verifyMapping(emitError, mapping, isUsed))) {
        return failure();
      }
    }
  }
  if (auto unused = llvm::find(isUsed, false); unused != isUsed.end()) {
    return emitError() << "factor " << unused - isUsed.begin()
                       << " is in no mapping";
  }
  if (failed(verifyFactors(emitError, reduction, "reduction", count)) ||
      failed(verifyFactors(emitError, needReplication, "need_replication",
                           count)) ||
      failed(verifyFactors(emitError, permutation, "permutation", count)) ||
      failed(verifyFactors(emitError, blocked, "blocked_propagation", count))) {
    return failure();
  }
  for (int64_t factor : reduction) {
    if (llvm::is_contained(needReplication, factor)) {
      return emitError() << "factor " << factor
                         << " is of two kinds, reduction and need_replication";
    }
  }
  for (int64_t factor : permutation) {
    if (llvm::is_contained(needReplication, factor) ||
        llvm::is_contained(reduction, factor)) {
      return emitError() << "factor " << factor
                         << " is of two kinds, permutation and another";
    }
  }
  return success();
}

} // namespace xla::sdy
