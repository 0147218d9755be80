//===- ImportTiles.cpp - From shardings by tiles to shardings by axes -----===//
//
// Programs written before there were named axes carry text in `mhlo.sharding`,
// constrain values by custom calls to @Sharding, and enclose what each device
// computes by itself in calls to @SPMDFullToShardShape and
// @SPMDShardToFullShape.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/sdy/Values.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/partition/Passes.h"
#include "xla/partition/TileMeshes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using mlir::Block;
using mlir::OpBuilder;
using mlir::Operation;
using mlir::StringAttr;
using mlir::Value;
using xla::sdy::HloSharding;
using xla::stablehlo::CustomCallOp;
using Kind = xla::sdy::HloSharding::Kind;

namespace xla::partition {

static constexpr StringLiteral kTiles = "mhlo.sharding";
static constexpr StringLiteral kEnter = "SPMDFullToShardShape";
static constexpr StringLiteral kLeave = "SPMDShardToFullShape";
static constexpr StringLiteral kConstrain = "Sharding";

static CustomCallOp callOf(Operation *op, StringRef target) {
  auto call = dyn_cast_or_null<CustomCallOp>(op);
  return call && call.getCallTargetName() == target &&
                 call->getNumOperands() == 1 && call->getNumResults() == 1
             ? call
             : CustomCallOp();
}

static bool isArray(mlir::Type type) {
  return isa<mlir::RankedTensorType>(type);
}

static std::string locationOf(Operation *op) {
  std::string text;
  raw_string_ostream(text) << op->getLoc();
  return text;
}

/// The message with the operation and its source location before it.
static Status at(Operation *op, const Status &status) {
  std::string name = op->getName().getStringRef().str();
  if (auto call = dyn_cast<CustomCallOp>(op)) {
    name = "@" + call.getCallTargetName().str();
  }
  return Status(status.code(),
                name + " at " + locationOf(op) + ": " + status.message());
}

/// The dimensions whose cut is left to the compiler:
/// `unspecified_dims=[0,1]`.
static SmallVector<int64_t> openDimensions(CustomCallOp call) {
  SmallVector<int64_t> dims;
  auto config = dyn_cast_or_null<StringAttr>(call.getBackendConfigAttr());
  StringRef text = config ? config.getValue() : StringRef();
  size_t begin = text.find("unspecified_dims=[");
  if (begin == StringRef::npos) {
    return dims;
  }
  text = text.drop_front(begin).split('[').second.split(']').first;
  for (StringRef one : split(text, ',')) {
    int64_t dim;
    if (!one.trim().getAsInteger(10, dim)) {
      dims.push_back(dim);
    }
  }
  return dims;
}

namespace {
/// What is enclosed between values that enter and values that leave.
struct Manual {
  SetVector<Operation *> inner;
  SmallVector<CustomCallOp> enter, leave;
};

/// What enters a manual computation, or what leaves it.
struct Side {
  SmallVector<Value> outer, inner;
  SmallVector<sdy::TensorShardingAttr> shardings;
};

class TileImport {
public:
  TileImport(mlir::ModuleOp module, int64_t devices)
      : module(module), meshes(devices) {}

  Status run();

private:
  Status collect();
  Status add(Operation *op, mlir::Attribute attribute);
  StatusOr<sdy::TensorShardingAttr> sharding(StringAttr text, int64_t rank,
                                             ArrayRef<int64_t> open = {});

  Status importBoundary(mlir::func::FuncOp function);
  Status importMark(CustomCallOp call);
  Status importResults(Operation *op);

  Status importManual(Block &block);
  Status gather(CustomCallOp first, Manual &manual);
  Status addSide(Operation *op, StringAttr text, Value outer, Value inner,
                 TileMeshes::MeshRef mesh, Side &side);
  Status addTokens(const Manual &manual, TileMeshes::MeshRef mesh, Side &in,
                   Side &out);
  Status replace(Manual &manual);
  StatusOr<StringAttr> outsideOf(CustomCallOp enter);
  Status chooseAxes(Manual &manual, TileMeshes::MeshRef &mesh,
                    SmallVectorImpl<StringAttr> &axes);

  mlir::ModuleOp module;
  TileMeshes meshes;
  DenseMap<mlir::Attribute, HloSharding> read;
};
} // namespace

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Status TileImport::add(Operation *op, mlir::Attribute attribute) {
  auto text = dyn_cast_or_null<StringAttr>(attribute);
  if (!text || read.contains(text)) {
    return okStatus();
  }
  StatusOr<HloSharding> sharding = sdy::parseHloSharding(text.getValue());
  if (!sharding.ok()) {
    return at(op, sharding.status());
  }
  if (Status status = meshes.add(*sharding); !status.ok()) {
    return at(op, status);
  }
  read.try_emplace(text, std::move(*sharding));
  return okStatus();
}

Status TileImport::collect() {
  Status status = okStatus();
  module.walk([&](Operation *op) {
    status = add(op, op->getDiscardableAttr(kTiles));
    auto function = dyn_cast<mlir::func::FuncOp>(op);
    for (unsigned i = 0; function && i < function.getNumArguments(); ++i) {
      status = status.ok() ? add(op, function.getArgAttr(i, kTiles)) : status;
    }
    for (unsigned i = 0; function && i < function.getNumResults(); ++i) {
      status =
          status.ok() ? add(op, function.getResultAttr(i, kTiles)) : status;
    }
    return status.ok() ? mlir::WalkResult::advance()
                       : mlir::WalkResult::interrupt();
  });
  return status;
}

StatusOr<sdy::TensorShardingAttr>
TileImport::sharding(StringAttr text, int64_t rank, ArrayRef<int64_t> open) {
  const HloSharding &said = read.find(text)->second;
  return meshes.write(said, rank, open, meshes.meshOf(said));
}

//===----------------------------------------------------------------------===//
// Arguments, results, constraints
//===----------------------------------------------------------------------===//

Status TileImport::importBoundary(mlir::func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto text = function.getArgAttrOfType<StringAttr>(i, kTiles);
    mlir::Type type = function.getArgumentTypes()[i];
    if (text && isArray(type)) {
      auto said = sharding(text, sdy::getRank(type));
      if (!said.ok()) {
        return at(function, said.status());
      }
      function.setArgAttr(i, sdy::kShardingName, *said);
    }
    function.removeArgAttr(i, StringAttr::get(module.getContext(), kTiles));
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    auto text = function.getResultAttrOfType<StringAttr>(i, kTiles);
    mlir::Type type = function.getResultTypes()[i];
    if (text && isArray(type)) {
      auto said = sharding(text, sdy::getRank(type));
      if (!said.ok()) {
        return at(function, said.status());
      }
      sdy::setResultSharding(function, i, *said);
    }
    function.removeResultAttr(i, StringAttr::get(module.getContext(), kTiles));
  }
  return okStatus();
}

/// A constraint, or a member of a group of values that are sharded alike.
Status TileImport::importMark(CustomCallOp call) {
  auto text = call->getAttrOfType<StringAttr>(kTiles);
  Value value = call->getOperand(0);
  if (text && isArray(value.getType())) {
    OpBuilder builder(call);
    const HloSharding &tiles = read.find(text)->second;
    auto said =
        sharding(text, sdy::getRank(value.getType()), openDimensions(call));
    if (!said.ok()) {
      return at(call, said.status());
    }
    if (tiles.group) {
      sdy::ShardingGroupOp::create(builder, call.getLoc(), value, *tiles.group);
    }
    bool saysNothing = none_of(said->getDimShardings(), [](auto dim) {
      return dim.getIsClosed() || !dim.getAxes().empty();
    });
    bool isManual = tiles.kind == Kind::Manual || tiles.kind == Kind::Unknown;
    if (!isManual && (!saysNothing || !said->getUnreducedAxes().empty())) {
      value = sdy::ShardingConstraintOp::create(builder, call.getLoc(), value,
                                                *said);
    }
  }
  call->getResult(0).replaceAllUsesWith(value);
  call->erase();
  return okStatus();
}

/// The sharding of the results of an operation that is no marker.
Status TileImport::importResults(Operation *op) {
  auto text = op->getAttrOfType<StringAttr>(kTiles);
  if (!text) {
    return okStatus();
  }
  op->removeAttr(kTiles);
  const HloSharding &tiles = read.find(text)->second;
  if (tiles.kind == Kind::Manual || tiles.kind == Kind::Unknown) {
    return okStatus();
  }
  bool isTuple = tiles.kind == Kind::Tuple;
  if (isTuple && tiles.parts.size() != op->getNumResults()) {
    return okStatus(); // of a tuple that is one result
  }
  SmallVector<sdy::TensorShardingAttr> list;
  for (auto [i, type] : enumerate(op->getResultTypes())) {
    const HloSharding &part = isTuple ? tiles.parts[i] : tiles;
    auto said = meshes.write(isArray(type) ? part : HloSharding(),
                             sdy::getRank(type), {}, meshes.meshOf(part));
    if (!said.ok()) {
      return at(op, said.status());
    }
    list.push_back(*said);
  }
  if (list.empty() && tiles.kind == Kind::Maximal) {
    auto said = meshes.write(tiles, 0, {}, meshes.meshOf(tiles));
    list.push_back(*said);
  }
  if (!list.empty()) {
    sdy::setShardings(op, list);
  }
  return okStatus();
}

//===----------------------------------------------------------------------===//
// Manual computations
//===----------------------------------------------------------------------===//

/// What can be computed inside as well as outside.
static bool isSource(Operation *op) {
  return op->getNumOperands() == 0 && op->getNumRegions() == 0 &&
         mlir::isMemoryEffectFree(op);
}

/// Follows values from where they enter to where they leave, and back.
Status TileImport::gather(CustomCallOp first, Manual &manual) {
  Block *block = first->getBlock();
  SetVector<Operation *> met;
  met.insert(first);
  auto visitUsers = [&](Operation *op) {
    for (Value result : op->getResults()) {
      if (!isArray(result.getType())) {
        continue;
      }
      for (Operation *user : result.getUsers()) {
        met.insert(block->findAncestorOpInBlock(*user));
      }
    }
  };
  Status status = okStatus();
  auto visitOperand = [&](Value value) {
    if (!isArray(value.getType())) {
      return;
    }
    Operation *op = value.getDefiningOp();
    if (value.getParentBlock() == block && op) {
      if (!isSource(op)) {
        met.insert(op);
      }
    } else if (value.getParentRegion()->isAncestor(block->getParent())) {
      status =
          at(first, invalidArgument("a value enters a manual computation, and "
                                    "not by @" +
                                    kEnter.str()));
    }
  };
  for (size_t i = 0; i < met.size(); ++i) {
    Operation *op = met[i];
    if (auto enter = callOf(op, kEnter)) {
      manual.enter.push_back(enter);
      visitUsers(op);
      continue;
    }
    if (auto leave = callOf(op, kLeave)) {
      manual.leave.push_back(leave);
      visitOperand(op->getOperand(0));
      continue;
    }
    if (op->hasTrait<mlir::OpTrait::IsTerminator>()) {
      return at(first, invalidArgument("a value leaves a manual computation, "
                                       "and not by @" +
                                       kLeave.str()));
    }
    manual.inner.insert(op);
    visitUsers(op);
    op->walk([&](Operation *within) {
      for_each(within->getOperands(), visitOperand);
    });
  }
  return status;
}

/// The sharding, outside, of the operand that enters.
StatusOr<StringAttr> TileImport::outsideOf(CustomCallOp enter) {
  Value value = enter->getOperand(0);
  StringAttr text;
  if (Operation *op = value.getDefiningOp()) {
    text = op->getAttrOfType<StringAttr>(kTiles);
  } else if (auto function = dyn_cast<mlir::func::FuncOp>(
                 value.getParentBlock()->getParentOp())) {
    text = function.getArgAttrOfType<StringAttr>(
        cast<mlir::BlockArgument>(value).getArgNumber(), kTiles);
  }
  if (!text) {
    return at(enter,
              invalidArgument("its operand does not say how it is sharded: "
                              "it has no mhlo.sharding"));
  }
  return text;
}

/// The axes that are manual inside and not outside, and the mesh they are of.
Status TileImport::chooseAxes(Manual &manual, TileMeshes::MeshRef &mesh,
                              SmallVectorImpl<StringAttr> &axes) {
  SmallVector<StringAttr> inside, outside;
  for (CustomCallOp call : manual.enter) {
    StatusOr<StringAttr> text = outsideOf(call);
    if (!text.ok()) {
      return text.status();
    }
    outside.push_back(*text);
    inside.push_back(call->getAttrOfType<StringAttr>(kTiles));
  }
  for (CustomCallOp call : manual.leave) {
    outside.push_back(call->getAttrOfType<StringAttr>(kTiles));
    if (Operation *op = call->getOperand(0).getDefiningOp()) {
      inside.push_back(op->getAttrOfType<StringAttr>(kTiles));
    }
  }
  mesh = meshes.meshOf(HloSharding());
  for (ArrayRef<StringAttr> texts : {ArrayRef(inside), ArrayRef(outside)}) {
    for (StringAttr text : texts) {
      if (text && read.find(text)->second.kind == Kind::Tiled) {
        mesh = meshes.meshOf(read.find(text)->second);
      }
    }
  }
  HloSharding everything;
  everything.kind = Kind::Manual;
  SmallVector<StringAttr> inner = meshes.manualAxes(everything, mesh);
  for (StringAttr text : inside) {
    if (text && read.find(text)->second.kind == Kind::Tiled) {
      inner = meshes.manualAxes(read.find(text)->second, mesh);
    }
  }
  SmallVector<StringAttr> outer;
  for (StringAttr text : outside) {
    if (text && outer.empty()) {
      outer = meshes.manualAxes(read.find(text)->second, mesh);
    }
  }
  copy_if(inner, std::back_inserter(axes),
          [&](StringAttr axis) { return !is_contained(outer, axis); });
  return okStatus();
}

Status TileImport::addSide(Operation *op, StringAttr text, Value outer,
                           Value inner, TileMeshes::MeshRef mesh, Side &side) {
  auto call = dyn_cast<CustomCallOp>(op);
  auto said =
      meshes.write(text ? read.find(text)->second : HloSharding(),
                   sdy::getRank(outer.getType()),
                   text ? openDimensions(call) : SmallVector<int64_t>(), mesh);
  if (!said.ok()) {
    return at(op, said.status());
  }
  side.outer.push_back(outer);
  side.inner.push_back(inner);
  side.shardings.push_back(*said);
  return okStatus();
}

/// Tokens pass as they are.
Status TileImport::addTokens(const Manual &manual, TileMeshes::MeshRef mesh,
                             Side &in, Side &out) {
  for (Operation *op : manual.inner) {
    for (Value value : op->getOperands()) {
      if (!isArray(value.getType()) &&
          !manual.inner.contains(value.getDefiningOp()) &&
          !is_contained(in.outer, value)) {
        XLA_RETURN_IF_ERROR(addSide(op, {}, value, value, mesh, in));
      }
    }
    for (Value value : op->getResults()) {
      if (!isArray(value.getType()) &&
          any_of(value.getUsers(), [&](Operation *user) {
            return !manual.inner.contains(
                op->getBlock()->findAncestorOpInBlock(*user));
          })) {
        XLA_RETURN_IF_ERROR(addSide(op, {}, value, value, mesh, out));
      }
    }
  }
  return okStatus();
}

/// Moves operations into a body; constants that they use are made there.
static void fillBody(sdy::ManualComputationOp op, ArrayRef<Operation *> inner,
                     ArrayRef<Value> entering, SmallVector<Value> leaving) {
  OpBuilder builder(op->getContext());
  Block *body = builder.createBlock(&op.getBody());
  for (Operation *one : inner) {
    one->moveBefore(body, body->end());
  }
  for (Value value : entering) {
    Value argument = body->addArgument(value.getType(), value.getLoc());
    value.replaceUsesWithIf(argument, [&](mlir::OpOperand &use) {
      return body->findAncestorOpInBlock(*use.getOwner()) != nullptr;
    });
    std::replace(leaving.begin(), leaving.end(), value, argument);
  }
  sdy::ReturnOp::create(builder, op.getLoc(), leaving);
  mlir::IRMapping copies;
  OpBuilder begin = OpBuilder::atBlockBegin(body);
  body->walk([&](Operation *one) {
    for (mlir::OpOperand &use : one->getOpOperands()) {
      Operation *source = use.get().getDefiningOp();
      if (!source || op->isAncestor(source)) {
        continue;
      }
      if (!copies.contains(use.get())) {
        begin.clone(*source, copies);
      }
      use.set(copies.lookup(use.get()));
    }
  });
}

Status TileImport::replace(Manual &manual) {
  TileMeshes::MeshRef mesh;
  SmallVector<StringAttr> axes;
  XLA_RETURN_IF_ERROR(chooseAxes(manual, mesh, axes));
  Side in, out;
  for (CustomCallOp enter : manual.enter) {
    XLA_RETURN_IF_ERROR(addSide(enter, *outsideOf(enter), enter->getOperand(0),
                                enter->getResult(0), mesh, in));
  }
  for (CustomCallOp leave : manual.leave) {
    XLA_RETURN_IF_ERROR(addSide(leave, leave->getAttrOfType<StringAttr>(kTiles),
                                leave->getResult(0), leave->getOperand(0), mesh,
                                out));
  }
  XLA_RETURN_IF_ERROR(addTokens(manual, mesh, in, out));

  // It stands where all that it needs is there.
  SmallVector<Operation *> inner = manual.inner.takeVector();
  sort(inner, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  SmallVector<Operation *> needed(manual.enter.begin(), manual.enter.end());
  needed.append(inner);
  Operation *last = needed.empty() ? manual.leave.front() : needed.front();
  for (Operation *op : needed) {
    last = last->isBeforeInBlock(op) ? op : last;
  }
  for (Value result : out.outer) {
    for (Operation *user : result.getUsers()) {
      if (last->getBlock()->findAncestorOpInBlock(*user)->isBeforeInBlock(
              last)) {
        return at(last, unimplemented("a manual computation's result is used "
                                      "before all of it is computed"));
      }
    }
  }
  mlir::MLIRContext *context = module.getContext();
  OpBuilder builder(context);
  builder.setInsertionPointAfter(last);
  auto list = [&](const Side &side) {
    return sdy::TensorShardingPerValueAttr::get(context, side.shardings);
  };
  auto op = sdy::ManualComputationOp::create(
      builder, last->getLoc(), mlir::ValueRange(out.outer).getTypes(), in.outer,
      list(in), list(out), sdy::ManualAxesAttr::get(context, axes));
  for (auto [result, value] : zip_equal(op->getResults(), out.outer)) {
    value.replaceAllUsesWith(result);
  }
  fillBody(op, inner, in.inner, out.inner);
  for (auto &calls : {manual.leave, manual.enter}) {
    for (CustomCallOp call : calls) {
      call->erase();
    }
  }
  return okStatus();
}

Status TileImport::importManual(Block &block) {
  while (true) {
    CustomCallOp first;
    for (Operation &op : block) {
      first = callOf(&op, kEnter);
      first = first ? first : callOf(&op, kLeave);
      if (first) {
        break;
      }
    }
    if (!first) {
      return okStatus();
    }
    Manual manual;
    XLA_RETURN_IF_ERROR(gather(first, manual));
    XLA_RETURN_IF_ERROR(replace(manual));
  }
}

//===----------------------------------------------------------------------===//
// All of a program
//===----------------------------------------------------------------------===//

Status TileImport::run() {
  XLA_RETURN_IF_ERROR(collect());
  if (read.empty()) {
    return okStatus();
  }
  meshes.finish(module);
  // Inner blocks first: what they hold moves along with them.
  SmallVector<Block *> blocks;
  module.walk<mlir::WalkOrder::PostOrder>([&](CustomCallOp op) {
    if ((callOf(op, kEnter) || callOf(op, kLeave)) &&
        !is_contained(blocks, op->getBlock())) {
      blocks.push_back(op->getBlock());
    }
  });
  for (Block *block : blocks) {
    XLA_RETURN_IF_ERROR(importManual(*block));
  }
  SmallVector<Operation *> marks, others;
  module.walk([&](Operation *op) {
    (callOf(op, kConstrain) ? marks : others).push_back(op);
  });
  for (Operation *op : marks) {
    XLA_RETURN_IF_ERROR(importMark(cast<CustomCallOp>(op)));
  }
  for (Operation *op : others) {
    if (auto function = dyn_cast<mlir::func::FuncOp>(op)) {
      XLA_RETURN_IF_ERROR(importBoundary(function));
    } else {
      XLA_RETURN_IF_ERROR(importResults(op));
    }
  }
  return okStatus();
}

Status importTiles(mlir::ModuleOp module, int64_t devices) {
  return TileImport(module, devices).run();
}

} // namespace xla::partition
