//===- ProgramReport.cpp - What a program reports of itself ---------------===//

#include "xla/report/ProgramReport.h"

#include "xla/analysis/DeviceGroups.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/report/Repetition.h"
#include "xla/report/SourceLine.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/JSON.h"

#include <map>

using namespace mlir;

namespace xla::report {

using namespace stablehlo;
namespace json = llvm::json;

/// Names of files may be any bytes; JSON is UTF-8.
static std::string valid(llvm::StringRef text) {
  return json::isUTF8(text) ? text.str() : json::fixUTF8(text);
}

static std::string kindOf(Operation *op) {
  return isa<CustomCallOp>(op)
             ? cast<CustomCallOp>(op).getCallTargetName().str()
             : op->getName().stripDialect().str();
}

/// The names of axes, of which parts of one axis are one.
static json::Array namesOf(const DeviceGrid &grid, AxisMask axes) {
  json::Array names;
  std::string last;
  for (auto [i, axis] : llvm::enumerate(grid.axes)) {
    if ((axes >> i & 1) && axis.name != last) {
      names.push_back(valid(axis.name));
      last = axis.name;
    }
  }
  return names;
}

static json::Array meshOf(const DeviceGrid &grid) {
  json::Array mesh;
  for (size_t i = 0; i < grid.axes.size();) {
    int64_t size = 1;
    const std::string &name = grid.axes[i].name;
    for (; i < grid.axes.size() && grid.axes[i].name == name; ++i) {
      size *= grid.axes[i].size;
    }
    mesh.push_back(json::Object{{"name", valid(name)}, {"size", size}});
  }
  return mesh;
}

namespace {
class Report {
public:
  Report(ModuleOp module, const PartitionFacts &facts)
      : repetition(module, facts.grid) {}

  void add(Operation *op, const Costs &costs, double times);
  void write(json::OStream &out);

private:
  void addCollective(Operation *op, double times);

  Repetition repetition;
  /// By operation and source line, and the axes along which it is repeated.
  llvm::MapVector<std::pair<std::string, AxisMask>, Costs,
                  std::map<std::pair<std::string, AxisMask>, unsigned>>
      work;
  json::Array collectives;
};
} // namespace

/// The bytes that all devices together receive of each other in one run.
static int64_t bytesReceived(Operation *op, const GroupFacts &facts) {
  int64_t bytes = 0;
  for (auto [operand, result] :
       llvm::zip(op->getOperands(), op->getResults())) {
    auto in = static_cast<int64_t>(bytesOf(operand)),
         out = static_cast<int64_t>(bytesOf(result));
    if (isa<AllReduceOp>(op)) {
      // Each sends all but one of its pieces, and all but one of the sums.
      bytes += 2 * (facts.members - facts.groups) * in;
    } else if (isa<ReduceScatterOp>(op)) {
      bytes += facts.pairs * out;
    } else if (isa<AllToAllOp>(op)) {
      bytes += facts.size ? facts.pairs * (in / facts.size) : 0;
    } else {
      bytes += facts.pairs * in;
    }
  }
  return bytes;
}

void Report::addCollective(Operation *op, double times) {
  const GroupFacts &facts = repetition.groupsOf(op);
  const DeviceGrid &grid = repetition.grid();
  int64_t payload = 0;
  for (Value operand : op->getOperands()) {
    payload += static_cast<int64_t>(bytesOf(operand));
  }
  collectives.push_back(json::Object{
      {"kind", valid(kindOf(op))},
      {"name", valid(nameOfCollective(op))},
      {"at", valid(sourceLine(op->getLoc()))},
      {"axes", namesOf(grid, facts.axes)},
      {"group", facts.size},
      {"arrays", static_cast<int64_t>(op->getNumResults())},
      {"payload_bytes", payload},
      {"received_bytes", bytesReceived(op, facts)},
      {"times", times},
      {"is_bound", isa<CustomCallOp>(op)},
  });
}

void Report::add(Operation *op, const Costs &costs, double times) {
  if (isCollective(op)) {
    addCollective(op, times);
  }
  if (costs.flops == 0 && costs.transcendentals == 0 && costs.bytes == 0) {
    return;
  }
  AxisMask all = (AxisMask(1) << repetition.grid().axes.size()) - 1;
  AxisMask repeats = all & ~repetition.variesAlong(op);
  Costs &sum = work[{kindOf(op) + "\n" + sourceLine(op->getLoc()), repeats}];
  sum.flops += times * costs.flops;
  sum.transcendentals += times * costs.transcendentals;
  sum.bytes += times * costs.bytes;
}

void Report::write(json::OStream &out) {
  const DeviceGrid &grid = repetition.grid();
  out.attribute("mesh", meshOf(grid));
  out.attributeArray("work", [&] {
    for (auto &[key, costs] : work) {
      auto [kind, line] = StringRef(key.first).split('\n');
      out.value(json::Object{
          {"operation", valid(kind)},
          {"at", valid(line)},
          {"flops", costs.flops},
          {"transcendentals", costs.transcendentals},
          {"bytes", costs.bytes},
          {"copies", repetition.sizeOf(key.second)},
          {"repeats", namesOf(grid, key.second)},
      });
    }
  });
  out.attribute("collectives", std::move(collectives));
}

static json::Object describe(const Gather &gather) {
  return json::Object{
      {"operation", gather.operation},
      {"at", valid(gather.location)},
      {"operand", gather.operand},
      {"source", valid(gather.source)},
      {"type", gather.type},
      {"current", gather.current},
      {"needed", gather.needed},
      {"mend", gather.mend},
      {"bytes", gather.bytes},
      {"piece_bytes", gather.pieceBytes},
      {"axes", json::Array(gather.axes)},
      {"repeats", json::Array(gather.repeats)},
  };
}

std::string
describeProgram(ModuleOp module, const PartitionFacts &facts, BytesOf bytesOf,
                llvm::function_ref<void(json::OStream &)> writeMemory) {
  Report report(module, facts);
  forEachCost(module, bytesOf,
              [&](Operation *op, const Costs &costs, double times) {
                report.add(op, costs, times);
              });
  std::string text;
  llvm::raw_string_ostream stream(text);
  json::OStream out(stream);
  out.object([&] {
    out.attribute("devices", partitionsOf(module));
    report.write(out);
    out.attributeArray("gathers", [&] {
      for (const Gather &gather : facts.gathers) {
        out.value(describe(gather));
      }
    });
    writeMemory(out);
  });
  return text;
}

} // namespace xla::report
