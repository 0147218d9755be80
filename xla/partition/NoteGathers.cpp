//===- NoteGathers.cpp - Operands that operations need gathered -----------===//

#include "xla/dialect/sdy/Values.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/partition/Localizer.h"
#include "xla/report/SourceLine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace xla::partition {

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// The axis of the first of some meshes in which axis `number` of the grid
/// has.
static std::string nameOf(const Meshes &meshes, ArrayRef<sdy::MeshAttr> known,
                          int number) {
  for (sdy::MeshAttr mesh : known) {
    for (sdy::MeshAxisAttr axis : mesh.getAxes()) {
      if (llvm::is_contained(meshes.axesOf(mesh, axis.getName()), number)) {
        return axis.getName().str();
      }
    }
  }
  return "axis " + std::to_string(number);
}

report::DeviceGrid describeGrid(ModuleOp module, const Meshes &meshes) {
  // The widest is tried first.
  SmallVector<sdy::MeshAttr> all;
  for (auto op : module.getOps<sdy::MeshOp>()) {
    sdy::MeshAttr mesh = op.getMesh();
    bool isWidest =
        all.empty() || mesh.getAxes().size() > all.front().getAxes().size();
    all.insert(isWidest ? all.begin() : all.end(), mesh);
  }
  report::DeviceGrid grid;
  const Grid &known = meshes.grid();
  for (auto [number, size] : llvm::enumerate(known.sizes)) {
    grid.axes.push_back({nameOf(meshes, all, int(number)), size});
  }
  if (known.refinedMeshCount() == 1) {
    const RefinedMesh &refined = known.refinedMeshes.front();
    grid.devices.assign(refined.devices.begin(), refined.devices.end());
  }
  return grid;
}

/// Of axes that follow each other, parts of one axis are that axis if they are
/// all of it.
static std::vector<std::string> namesOf(const report::DeviceGrid &grid,
                                        ArrayRef<int> axes) {
  std::vector<std::string> names;
  for (size_t i = 0; i < axes.size();) {
    const std::string &name = grid.axes[axes[i]].name;
    size_t parts = llvm::count_if(
        grid.axes, [&](const auto &axis) { return axis.name == name; });
    size_t found = 0;
    for (; i < axes.size() && grid.axes[axes[i]].name == name; ++i) {
      ++found;
    }
    names.push_back(found == parts ? name : "part of " + name);
  }
  return names;
}

static std::string quoted(const std::string &name) { return "'" + name + "'"; }

/// As users of JAX write it.
static std::string specOf(const report::DeviceGrid &grid,
                          const Placement &placement) {
  std::string text;
  for (const GridAxes &axes : placement.dims) {
    std::vector<std::string> names = namesOf(grid, axes);
    text += text.empty() ? "" : ", ";
    if (names.empty()) {
      text += "None";
    } else if (names.size() == 1) {
      text += quoted(names.front());
    } else {
      text += "(" + llvm::join(llvm::map_range(names, quoted), ", ") + ")";
    }
  }
  return "P(" + text + ")";
}

static std::string typeText(RankedTensorType type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << type.getElementType() << "[";
  llvm::interleave(type.getShape(), stream, ",");
  stream << "]";
  return text;
}

static int64_t bytesOf(const Grid &grid, RankedTensorType type,
                       const Placement &placement) {
  int64_t bits = 0;
  Type element = type.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element)) {
    bits = 2 * complex.getElementType().getIntOrFloatBitWidth();
  } else if (element.isIntOrFloat()) {
    bits = element.getIntOrFloatBitWidth();
  }
  int64_t bytes = ceilDiv(bits, 8);
  for (int64_t size : localShape(grid, type.getShape(), placement)) {
    bytes *= size;
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

/// Before what partitioning itself moved.
static Value originOf(Value value) {
  for (auto move = value.getDefiningOp<sdy::ReshardOp>();
       move && !move->hasAttr(sdy::kRequestedName);
       move = value.getDefiningOp<sdy::ReshardOp>()) {
    value = move.getInput();
  }
  return value;
}

static std::string nameOf(Operation *op) {
  auto call = dyn_cast<stablehlo::CustomCallOp>(op);
  return (call ? call.getCallTargetName() : op->getName().stripDialect()).str();
}

static std::string describeSource(Value value) {
  std::string location = report::sourceLine(value.getLoc());
  return isa<BlockArgument>(value)
             ? "argument " + location
             : nameOf(value.getDefiningOp()) + " at " + location;
}

/// Where the axes could cut the operand so that devices share the work; none
/// where no dimension passes them on.
static std::optional<Placement>
mendOf(const Grid &grid, RankedTensorType type, const TensorMapping &mapping,
       const Division &division, const Placement &needed, ArrayRef<int> axes) {
  for (auto [dim, factors] : llvm::enumerate(mapping)) {
    GridAxes cut = needed.dims[dim];
    llvm::append_range(cut, axes);
    bool passes =
        factors.size() == 1 &&
        division.rule.factors[factors[0]].kind == FactorKind::PassThrough &&
        type.getDimSize(dim) % grid.countOf(cut) == 0;
    if (passes) {
      Placement mended = needed;
      mended.dims[dim] = cut;
      return mended;
    }
  }
  return std::nullopt;
}

void Localizer::noteGather(Operation *op, unsigned operand,
                           const Division *division) {
  constexpr size_t kMaxGathers = 1000;
  Value origin = originOf(op->getOperand(operand));
  auto type = dyn_cast<RankedTensorType>(origin.getType());
  auto known = locals.find(origin);
  if (!type || known == locals.end() ||
      isa_and_nonnull<stablehlo::ConstantOp, stablehlo::IotaOp>(
          origin.getDefiningOp()) ||
      report.facts.gathers.size() == kMaxGathers) {
    return;
  }
  const Placement &current = known->second.front().placement;
  Placement needed =
      division ? division->operands[operand] : Placement::whole(type.getRank());
  // One device calls out for all.
  bool callsOut = isa<stablehlo::CustomCallOp>(op) &&
                  cast<stablehlo::CustomCallOp>(op).getHasSideEffect();
  GridAxes gone, worksAlong, repeats;
  if (division) {
    for (const GridAxes &axes : division->axes) {
      llvm::append_range(worksAlong, axes);
    }
  }
  for (const GridAxes &axes : current.dims) {
    for (int axis : axes) {
      if (!needed.uses(axis)) {
        gone.push_back(axis);
        if (!callsOut && !llvm::is_contained(worksAlong, axis)) {
          repeats.push_back(axis);
        }
      }
    }
  }
  if (gone.empty()) {
    return;
  }
  const report::DeviceGrid &names = report.facts.grid;
  report::Gather gather;
  gather.operation = nameOf(op);
  gather.location = report::sourceLine(op->getLoc());
  gather.operand = operand;
  gather.source = describeSource(origin);
  gather.type = typeText(type);
  gather.current = specOf(names, current);
  gather.needed = specOf(names, needed);
  gather.bytes = bytesOf(emit.grid, type, needed);
  gather.pieceBytes = bytesOf(emit.grid, type, current);
  llvm::sort(gone);
  gather.axes = namesOf(names, gone);
  gather.repeats = namesOf(names, repeats);
  if (division && !repeats.empty()) {
    auto mended = mendOf(emit.grid, type, division->rule.operands[operand],
                         *division, needed, repeats);
    gather.mend = mended ? specOf(names, *mended) : "";
  }
  report.facts.gathers.push_back(std::move(gather));
}

void Localizer::noteGathers(Operation *op, const Division *division) {
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    noteGather(op, i, division);
  }
}

} // namespace xla::partition
