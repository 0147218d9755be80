//===- Localize.cpp - From placements to the program of one device --------===//

#include "xla/partition/Localize.h"

#include "xla/dialect/ElementTypes.h"
#include "xla/dialect/sdy/Values.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/partition/CombineCollectives.h"
#include "xla/partition/Localizer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace xla::partition {

/// What the array layer can name: pieces of equal size.
static Placement evenly(const Grid &grid, Placement placement, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  for (auto [dim, axes] : llvm::enumerate(placement.dims)) {
    if (tensor.getDimSize(dim) % grid.countOf(axes) != 0) {
      axes.clear();
    }
  }
  return placement;
}

static bool hasLargeSizes(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        for (Type type : op->getResultTypes()) {
          auto tensor = dyn_cast<RankedTensorType>(type);
          if (tensor && llvm::any_of(tensor.getShape(), [](int64_t size) {
                return size > INT32_MAX / 2;
              })) {
            return WalkResult::interrupt();
          }
        }
        return WalkResult::advance();
      })
      .wasInterrupted();
}

static bool isChosen(const std::vector<bool> &choices, size_t i) {
  return !choices.empty() && choices[std::min(i, choices.size() - 1)];
}

/// The axes along which devices have other pieces.
static report::AxisMask maskOf(const Placement &placement) {
  report::AxisMask mask = 0;
  auto add = [&](ArrayRef<int> axes) {
    for (int axis : axes) {
      mask |= report::AxisMask(1) << (axis & 63);
    }
  };
  llvm::for_each(placement.dims, add);
  add(placement.pending);
  return mask;
}

/// Writes the program of one device behind `main`, which it replaces.
static Status localizeMain(func::FuncOp main, const Meshes &meshes,
                           const PartitionOptions &options,
                           PartitionReport &report) {
  OpBuilder builder(main);
  auto local = func::FuncOp::create(builder, main.getLoc(), main.getName(),
                                    main.getFunctionType());
  local->setAttrs(main->getAttrs());
  Localizer localizer(meshes, builder, report);
  if (hasLargeSizes(main->getParentOfType<ModuleOp>())) {
    localizer.emit.indexElement = builder.getI64Type();
  }
  Block *block = builder.createBlock(&local.getBody());
  SmallVector<Type> argumentTypes, resultTypes;
  for (BlockArgument argument : main.getArguments()) {
    auto sharding = main.getArgAttrOfType<sdy::TensorShardingAttr>(
        argument.getArgNumber(), sdy::kShardingName);
    Placement placement = evenly(
        meshes.grid(), localizer.placementOf(sharding, argument.getType()),
        argument.getType());
    Type type = localizer.localType(argument.getType(), placement);
    argumentTypes.push_back(type);
    report.facts.grid.argumentAxes.push_back(maskOf(placement));
    report.parameterShardings.push_back(meshes.serialize(placement));
    localizer.define(argument, block->addArgument(type, argument.getLoc()),
                     std::move(placement));
    local.removeArgAttr(argument.getArgNumber(), sdy::kShardingName);
  }
  builder.setInsertionPointToEnd(block);
  XLA_RETURN_IF_ERROR(localizer.run(main.getBody().front()));
  Operation *terminator = main.getBody().front().getTerminator();
  localizer.emit.loc = terminator->getLoc();
  SmallVector<Value> returned;
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    auto sharding = main.getResultAttrOfType<sdy::TensorShardingAttr>(
        i, sdy::kShardingName);
    Placement placement = localizer.placementOf(sharding, value.getType());
    if (!sharding && isChosen(options.choosesResults, i)) {
      placement = localizer.localOf(value).placement;
      placement.pending.clear();
    }
    placement = evenly(meshes.grid(), placement, value.getType());
    returned.push_back(localizer.at(value, placement));
    resultTypes.push_back(returned.back().getType());
    report.resultShardings.push_back(meshes.serialize(placement));
    local.removeResultAttr(i, sdy::kShardingName);
  }
  func::ReturnOp::create(builder, terminator->getLoc(), returned);
  local.setFunctionType(builder.getFunctionType(argumentTypes, resultTypes));
  return okStatus();
}

/// Callees have become part of main; what custom calls name stays.
static void dropUnused(ModuleOp module) {
  SymbolTable symbols(module);
  SmallVector<Operation *> todo{symbols.lookup("main")};
  llvm::SmallPtrSet<Operation *, 8> used(todo.begin(), todo.end());
  while (!todo.empty()) {
    auto uses = SymbolTable::getSymbolUses(todo.pop_back_val());
    for (SymbolTable::SymbolUse use :
         uses.value_or(SymbolTable::UseRange({}))) {
      Operation *symbol = symbols.lookup(use.getSymbolRef().getRootReference());
      if (symbol && used.insert(symbol).second) {
        todo.push_back(symbol);
      }
    }
  }
  for (Operation &op :
       llvm::make_early_inc_range(module.getBody()->getOperations())) {
    if (isa<sdy::MeshOp, func::FuncOp>(op) && !used.contains(&op)) {
      op.erase();
    }
  }
}

static Value zeroOf(OpBuilder &builder, Location loc, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) {
    return stablehlo::CreateTokenOp::create(builder, loc, type);
  }
  return stablehlo::ConstantOp::create(builder, loc, zerosOf(tensor));
}

/// Leaves a function that has the right type and returns zeros.
static void emptyMain(func::FuncOp main) {
  Block &block = main.getBody().front();
  block.clear();
  OpBuilder builder = OpBuilder::atBlockEnd(&block);
  SmallVector<Value> zeros;
  for (Type type : main.getResultTypes()) {
    zeros.push_back(zeroOf(builder, main.getLoc(), type));
  }
  func::ReturnOp::create(builder, main.getLoc(), zeros);
}

Status localize(ModuleOp module, const PartitionOptions &options,
                PartitionReport &report) {
  StatusOr<Meshes> meshes = Meshes::of(module, options.partitions);
  if (!meshes.ok()) {
    return meshes.status();
  }
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main) {
    return invalidArgument("the program has no function @main");
  }
  report.facts.grid = describeGrid(module, *meshes);
  XLA_RETURN_IF_ERROR(localizeMain(main, *meshes, options, report));
  main.erase();
  if (module->removeDiscardableAttr("xla.only_shardings")) {
    emptyMain(module.lookupSymbol<func::FuncOp>("main"));
  }
  dropUnused(module);
  combineCollectives(module);
  return okStatus();
}

} // namespace xla::partition
