//===- ShardingRules.cpp - What of an operation may be cut ----------------===//

#include "xla/partition/ShardingRules.h"

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/partition/RuleBuilder.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

#include <numeric>

using namespace llvm;
using namespace xla::stablehlo;

namespace xla::partition {

//===----------------------------------------------------------------------===//
// Pointwise operations
//===----------------------------------------------------------------------===//

SmallVector<DimOf> RuleBuilder::dimOfAll(int64_t dim, int64_t rank) const {
  SmallVector<DimOf> dims;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    if (int64_t(shapeOf(op->getOperand(i)).size()) == rank) {
      dims.push_back(in(i, dim));
    }
  }
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    if (int64_t(shapeOf(op->getResult(i)).size()) == rank) {
      dims.push_back(out(i, dim));
    }
  }
  return dims;
}

void RuleBuilder::pointwise() {
  int64_t rank = op->getNumResults() ? shapeOf(op->getResult(0)).size()
                                     : shapeOf(op->getOperand(0)).size();
  for (int64_t dim = 0; dim < rank; ++dim) {
    pass(dimOfAll(dim, rank));
  }
}

static bool pointwise(RuleBuilder &b) {
  b.pointwise();
  return true;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static bool bitcastConvert(RuleBuilder &b) {
  int64_t ranks[] = {int64_t(shapeOf(b.op->getOperand(0)).size()),
                     int64_t(shapeOf(b.op->getResult(0)).size())};
  int64_t common = std::min(ranks[0], ranks[1]);
  for (int64_t dim = 0; dim < common; ++dim) {
    b.pass({in(0, dim), out(dim)});
  }
  if (ranks[0] > common) {
    b.replicate(in(0, common));
  } else if (ranks[1] > common) {
    b.replicate(out(common));
  }
  return true;
}

static void broadcastAlong(RuleBuilder &b, ArrayRef<int64_t> dims) {
  SmallVector<bool> isMapped(shapeOf(b.op->getResult(0)).size(), false);
  for (auto [from, to] : enumerate(dims)) {
    if (b.sizeOf(in(0, from)) == b.sizeOf(out(to))) {
      b.pass({in(0, from), out(to)});
      isMapped[to] = true;
    } else {
      b.pass({in(0, from)});
    }
  }
  for (auto [dim, mapped] : enumerate(isMapped)) {
    if (!mapped) {
      b.pass({out(dim)});
    }
  }
}

static bool broadcastInDim(RuleBuilder &b) {
  broadcastAlong(b, cast<BroadcastInDimOp>(b.op).getBroadcastDimensions());
  return true;
}

static bool broadcast(RuleBuilder &b) {
  int64_t rank = shapeOf(b.op->getOperand(0)).size();
  int64_t added = shapeOf(b.op->getResult(0)).size() - rank;
  SmallVector<int64_t> dims(rank);
  std::iota(dims.begin(), dims.end(), added);
  broadcastAlong(b, dims);
  return true;
}

static bool transpose(RuleBuilder &b) {
  auto op = cast<TransposeOp>(b.op);
  for (auto [to, from] : enumerate(op.getPermutation())) {
    b.pass({in(0, from), out(to)});
  }
  return true;
}

namespace {
/// Walks the dimensions of one side of a reshape, from the major one on,
/// spending the size of each in factors.
struct ReshapeSide {
  ArrayRef<int64_t> shape;
  DimOf (*at)(int64_t dim);
  int64_t dim = 0, left = 1;

  bool isDone() const { return dim == int64_t(shape.size()); }
  DimOf here() const { return at(dim); }
  void begin() {
    if (!isDone()) {
      left = shape[dim];
    }
  }
  void spend(int64_t size) {
    left /= size;
    if (left == 1) {
      ++dim;
      begin();
    }
  }
};
} // namespace

/// Both sides have the same number of elements. Where what is left of the
/// current dimensions has a common divisor, that is a factor of both; otherwise
/// the sides go apart until as many elements are spent on one as on the other.
static bool reshape(RuleBuilder &b) {
  ReshapeSide from{shapeOf(b.op->getOperand(0)),
                   [](int64_t dim) { return in(0, dim); }};
  ReshapeSide to{shapeOf(b.op->getResult(0)),
                 [](int64_t dim) { return out(dim); }};
  if (is_contained(from.shape, 0)) {
    return false;
  }
  // Dimensions of size 1 go alone, and nothing is left of them.
  auto skipOnes = [&](ReshapeSide &side) {
    while (!side.isDone() && side.left == 1) {
      b.add(1, FactorKind::PassThrough, {side.here()});
      ++side.dim;
      side.begin();
    }
  };
  from.begin();
  to.begin();
  int64_t spentFrom = 1, spentTo = 1;
  while (true) {
    skipOnes(from);
    skipOnes(to);
    if (from.isDone() && to.isDone()) {
      return true;
    }
    bool isLevel = spentFrom == spentTo && !from.isDone() && !to.isDone();
    int64_t common = isLevel ? std::gcd(from.left, to.left) : 1;
    if (common > 1) {
      b.add(common, FactorKind::PassThrough, {from.here(), to.here()});
      from.spend(common);
      to.spend(common);
      continue;
    }
    bool fromIsBehind = to.isDone() || (!from.isDone() && spentFrom <= spentTo);
    ReshapeSide &behind = fromIsBehind ? from : to;
    int64_t size = behind.left;
    b.add(size, FactorKind::NeedReplication, {behind.here()});
    behind.spend(size);
    (fromIsBehind ? spentFrom : spentTo) *= size;
    if (spentFrom == spentTo) {
      spentFrom = spentTo = 1;
    }
  }
}

//===----------------------------------------------------------------------===//
// Random bits, collectives
//===----------------------------------------------------------------------===//

static bool rngBitGenerator(RuleBuilder &b) {
  for (size_t dim = 0; dim < shapeOf(b.op->getOperand(0)).size(); ++dim) {
    b.add(FactorKind::NeedReplication, {in(0, dim), out(0, dim)},
          /*isBlocked=*/true);
  }
  for (size_t dim = 0; dim < shapeOf(b.op->getResult(1)).size(); ++dim) {
    b.pass({out(1, dim)});
  }
  return true;
}

/// Operands and results correspond one to one; the named dimensions are whole.
static bool along(RuleBuilder &b, ArrayRef<int64_t> wholeDims) {
  for (unsigned i = 0; i < b.op->getNumOperands(); ++i) {
    for (size_t dim = 0; dim < shapeOf(b.op->getOperand(i)).size(); ++dim) {
      if (is_contained(wholeDims, int64_t(dim))) {
        b.replicate(in(i, dim));
        b.replicate(out(i, dim));
      } else {
        b.pass({in(i, dim), out(i, dim)});
      }
    }
  }
  return true;
}

static bool eachAlone(RuleBuilder &b) { return along(b, {}); }
static bool allGather(RuleBuilder &b) {
  return along(b, {int64_t(cast<AllGatherOp>(b.op).getAllGatherDim())});
}
static bool reduceScatter(RuleBuilder &b) {
  return along(b, {int64_t(cast<ReduceScatterOp>(b.op).getScatterDimension())});
}
static bool allToAll(RuleBuilder &b) {
  auto op = cast<AllToAllOp>(b.op);
  return along(
      b, {int64_t(op.getSplitDimension()), int64_t(op.getConcatDimension())});
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
/// Which class of operations a row is in, for the order of propagation.
enum Class { Other, Moves, Pointwise };

struct Row {
  OpRole role = OpRole::Whole;
  RuleFunction rule = nullptr;
  Class order = Other;
};
} // namespace

static StringMap<Row> makeTable() {
  StringMap<Row> table;
  for (StringRef name : {"collective_broadcast", "collective_permute",
                         "cross-replica-sum", "map"}) {
    table[("stablehlo." + name).str()] = {OpRole::Factors, pointwise,
                                          Pointwise};
  }
  for (StringRef name :
       {"sdy.sharding_constraint", "sdy.reshard", "sdy.propagation_barrier"}) {
    table[name] = {OpRole::Factors, pointwise, Pointwise};
  }
  struct {
    StringRef name;
    RuleFunction rule;
    Class order = Other;
  } factored[] = {
      {"all_gather", allGather},
      {"all_reduce", eachAlone, Pointwise},
      {"all_to_all", allToAll},
      {"batch_norm_grad", batchNormRule},
      {"batch_norm_inference", batchNormInferenceRule},
      {"batch_norm_training", batchNormRule},
      {"bitcast_convert", bitcastConvert},
      {"broadcast", broadcast},
      {"broadcast_in_dim", broadcastInDim},
      {"cholesky", choleskyRule},
      {"collective_reduce", eachAlone, Pointwise},
      {"concatenate", concatenateRule},
      {"convolution", convolutionRule},
      {"dot", dotRule},
      {"dot_general", dotGeneralRule},
      {"dynamic_slice", dynamicSliceRule, Moves},
      {"dynamic_update_slice", dynamicUpdateSliceRule, Moves},
      {"fft", fftRule},
      {"gather", gatherRule},
      {"pad", padRule},
      {"reduce", reduceRule},
      {"reduce_scatter", reduceScatter},
      {"reduce_window", reduceWindowRule},
      {"reshape", reshape, Moves},
      {"reverse", reverseRule},
      {"rng_bit_generator", rngBitGenerator},
      {"scatter", scatterRule},
      {"select_and_scatter", selectAndScatterRule},
      {"slice", sliceRule},
      {"sort", sortRule},
      {"transpose", transpose, Moves},
      {"triangular_solve", triangularSolveRule},
  };
  for (const auto &row : factored) {
    table[("stablehlo." + row.name).str()] = {OpRole::Factors, row.rule,
                                              row.order};
  }
  auto set = [&](OpRole role, ArrayRef<StringRef> names) {
    for (StringRef name : names) {
      table[name] = {role, nullptr, Other};
    }
  };
  set(OpRole::InPlace,
      {"stablehlo.after_all", "stablehlo.constant", "stablehlo.create_token",
       "stablehlo.iota", "stablehlo.partition_id", "stablehlo.replica_id",
       "sdy.constant"});
  set(OpRole::DataFlow,
      {"func.call", "sdy.data_flow_edge", "sdy.func_data_flow_edge",
       "sdy.manual_computation", "sdy.named_computation", "stablehlo.case",
       "stablehlo.if", "stablehlo.optimization_barrier", "stablehlo.while"});
  set(OpRole::Structure,
      {"builtin.module", "func.func", "func.return", "sdy.all_gather",
       "sdy.all_reduce", "sdy.all_slice", "sdy.all_to_all",
       "sdy.collective_permute", "sdy.mesh", "sdy.reduce_scatter",
       "sdy.replicated_to_unreduced", "sdy.return", "sdy.sharded_to_unreduced",
       "sdy.sharding_group", "stablehlo.return"});
  // Exchanges with the host, shapes known at run time only, and what is
  // written out in other operations before.
  set(OpRole::Whole, {"stablehlo.async_done",
                      "stablehlo.async_start",
                      "stablehlo.composite",
                      "stablehlo.dynamic_broadcast_in_dim",
                      "stablehlo.dynamic_conv",
                      "stablehlo.dynamic_gather",
                      "stablehlo.dynamic_iota",
                      "stablehlo.dynamic_pad",
                      "stablehlo.dynamic_reshape",
                      "stablehlo.einsum",
                      "stablehlo.get_dimension_size",
                      "stablehlo.get_tuple_element",
                      "stablehlo.infeed",
                      "stablehlo.outfeed",
                      "stablehlo.real_dynamic_slice",
                      "stablehlo.recv",
                      "stablehlo.rng",
                      "stablehlo.send",
                      "stablehlo.set_dimension_size",
                      "stablehlo.torch_index_select",
                      "stablehlo.tuple",
                      "stablehlo.unary_einsum"});
  table["stablehlo.custom_call"] = {OpRole::Factors, customCallRule, Other};
  return table;
}

static const StringMap<Row> &table() {
  static const StringMap<Row> rows = makeTable();
  return rows;
}

static Row rowOf(mlir::Operation *op) {
  if (isa<ElementwiseInterface>(op)) {
    return {OpRole::Factors, pointwise, Pointwise};
  }
  return table().lookup(op->getName().getStringRef());
}

OpRole roleOf(mlir::Operation *op) {
  Row row = rowOf(op);
  return row.rule == customCallRule ? customCallRole(op) : row.role;
}

std::optional<ShardingRule> ruleOf(mlir::Operation *op) {
  Row row = rowOf(op);
  RuleBuilder builder(op);
  if (roleOf(op) != OpRole::Factors || !row.rule(builder)) {
    return std::nullopt;
  }
  return std::move(builder.rule);
}

bool isPointwise(mlir::Operation *op) {
  return rowOf(op).order == Pointwise || isPointwiseCall(op);
}

bool isPassThrough(mlir::Operation *op) {
  return rowOf(op).order != Other || isPointwiseCall(op);
}

bool isInTable(StringRef operation) { return table().contains(operation); }

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// i, j, ..., z, z_1, z_2, ...
static std::string nameOf(int64_t factor) {
  return factor < 18 ? std::string(1, char('i' + factor))
                     : "z_" + std::to_string(factor - 17);
}

static void print(raw_ostream &stream, ArrayRef<TensorMapping> tensors) {
  stream << "(";
  interleaveComma(tensors, stream, [&](const TensorMapping &tensor) {
    stream << "[";
    interleaveComma(tensor, stream, [&](const DimMapping &dim) {
      stream << (dim.empty() ? "*" : "");
      for (int32_t factor : dim) {
        stream << nameOf(factor);
      }
    });
    stream << "]";
  });
  stream << ")";
}

std::string ShardingRule::toString() const {
  std::string text;
  raw_string_ostream stream(text);
  print(stream, operands);
  stream << "->";
  print(stream, results);
  stream << " {";
  interleaveComma(enumerate(factors), stream, [&](auto factor) {
    stream << nameOf(factor.index()) << "=" << factor.value().size;
  });
  stream << "}";
  auto list = [&](StringRef name, auto &&belongs) {
    SmallVector<int64_t> members;
    for (auto [index, factor] : enumerate(factors)) {
      if (belongs(factor)) {
        members.push_back(index);
      }
    }
    if (!members.empty()) {
      stream << " " << name << "={";
      interleaveComma(members, stream,
                      [&](int64_t factor) { stream << nameOf(factor); });
      stream << "}";
    }
  };
  for (auto [name, kind] :
       {std::pair("reduction", FactorKind::Reduction),
        std::pair("need_replication", FactorKind::NeedReplication),
        std::pair("permutation", FactorKind::Permutation)}) {
    list(name, [kind = kind](const Factor &f) { return f.kind == kind; });
  }
  list("blocked_propagation", [](const Factor &f) { return f.isBlocked; });
  return text;
}

} // namespace xla::partition
