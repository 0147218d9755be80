//===- OperationTable.cpp - What records of a program distinguish ---------===//

#include "xla/codegen/cpu/OperationTable.h"

#include "xla/analysis/DeviceGroups.h"
#include "xla/codegen/cpu/MemoryTraffic.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/report/SourceLine.h"

#include "llvm/Support/raw_ostream.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

OperationTable::OperationTable(mlir::ModuleOp module, mlir::Block &body,
                               const FusionPlan &fusion, const RowGroups &rows)
    : fusion(fusion), rows(rows) {
  auto moved = [&](Operation *op) { return bytesMoved(op, fusion); };
  forEachCost(module, moved, [&](Operation *op, const Costs &cost, double) {
    costs[op] = cost;
  });
  visit(body, -1, 1);
  // Results that are no array of the program are copied or computed last.
  Operations fused;
  bool writes = false;
  Operation *end = body.getTerminator();
  for (Value value : end->getOperands()) {
    if (llvm::isa<mlir::BlockArgument>(value) ||
        fusion.formOf(value) != Form::Buffer) {
      writes = true;
      collectValue(value, fused);
    }
  }
  if (writes) {
    add(end, fused, -1, 1);
  }
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// What is computed in place where `value` is read.
void OperationTable::collectValue(Value value, Operations &fused) {
  llvm::SmallVector<Value> work{value};
  llvm::DenseSet<Operation *> seen(fused.begin(), fused.end());
  while (!work.empty()) {
    Value next = work.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || fusion.formOf(next) != Form::Inline || !isElementOp(op) ||
        llvm::isa<ConstantOp>(op) || !seen.insert(op).second) {
      continue;
    }
    fused.push_back(op);
    llvm::append_range(work, op->getOperands());
  }
}

void OperationTable::collectStep(Operation *step, Operations &fused) {
  llvm::SmallVector<Operation *> roots{step};
  llvm::ArrayRef<Value> region = fusion.regionAt(step);
  if (!region.empty()) {
    roots.clear();
    for (Value output : region) {
      roots.push_back(output.getDefiningOp());
    }
  }
  for (Operation *root : roots) {
    if (root && !llvm::is_contained(fused, root)) {
      fused.push_back(root);
      for (Value operand : root->getOperands()) {
        collectValue(operand, fused);
      }
    }
  }
}

void OperationTable::visit(mlir::Block &block, int32_t parent, double runs) {
  Operations scalars; // that follow each other, begun by the first
  bool isInLoop =
      llvm::isa_and_nonnull<WhileOp>(block.getParentOp()); // its own counters
  auto flush = [&] {
    if (!scalars.empty() && isInLoop) {
      describeInto(facts[parent], scalars, runs / times[parent]);
    } else if (!scalars.empty()) {
      add(scalars.front(), scalars, parent, runs);
    }
    scalars.clear();
  };
  for (Operation &op : block.without_terminator()) {
    if (isElementOp(&op) && fusion.regionAt(&op).empty()) {
      if (fusion.formOf(op.getResult(0)) == Form::Register &&
          !llvm::isa<ConstantOp>(op)) {
        scalars.push_back(&op);
      }
      continue;
    }
    if (rows.isPostponed(&op)) {
      continue;
    }
    flush();
    Operations fused;
    if (const RowGroup *group = rows.groupOf(&op)) {
      for (const RowMember &member : group->members) {
        collectStep(member.step, fused);
      }
    } else {
      collectStep(&op, fused);
    }
    int32_t number = add(&op, fused, parent, runs);
    if (Operation *nest = fusion.epilogueOf(&op).nest) {
      epilogues.push_back({number, nest});
    }
    if (llvm::isa<WhileOp, IfOp, CaseOp>(op)) {
      auto loop = llvm::dyn_cast<WhileOp>(op);
      std::optional<double> trips = loop ? tripCountOf(loop) : std::nullopt;
      for (mlir::Region &region : op.getRegions()) {
        visit(region.front(), number, runs * std::max(1.0, trips.value_or(1)));
      }
      size_t held = facts.size() - number - 1;
      if (loop && trips && *trips > 0 && held == 1) {
        facts.back().onlyTimes = *trips;
      } else if (loop && held > 0) {
        facts[number].loop = loops++;
      }
    }
  }
  flush();
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

static std::string primitiveOf(Operation *op) {
  std::string path = report::locationName(op->getLoc());
  std::string name = llvm::StringRef(path).rsplit('/').second.str();
  if (name.empty()) {
    name = path;
  }
  bool isPlain = !name.empty() && llvm::all_of(name, [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '-';
  });
  return isPlain ? name : op->getName().stripDialect().str();
}

static llvm::StringRef categoryOf(Operation *op, size_t fused) {
  if (isElementOp(op)) {
    bool moves = additionsOf(op) == 0;
    return fused > 1 ? "loop fusion"
           : moves   ? "data formatting"
                     : "non-fusion elementwise";
  }
  if (llvm::isa<DotGeneralOp, ConvolutionOp>(op)) {
    return "convolution"; // what viewers call products too
  }
  if (llvm::isa<ReduceOp, ReduceWindowOp>(op)) {
    return "reduce";
  }
  if (isCollective(op)) {
    return "all-reduce";
  }
  if (llvm::isa<CustomCallOp>(op)) {
    return "custom-call";
  }
  if (llvm::isa<ConcatenateOp, DynamicUpdateSliceOp>(op)) {
    return "data formatting";
  }
  if (llvm::isa<IfOp, CaseOp>(op)) {
    return "conditional";
  }
  return op->getName().stripDialect();
}

static std::string typeOf(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (auto [i, type] : llvm::enumerate(op->getResultTypes())) {
    stream << (i ? ", " : "");
    if (auto ranked = llvm::dyn_cast<mlir::RankedTensorType>(type)) {
      stream << ranked.getElementType() << "[";
      llvm::interleave(ranked.getShape(), stream, ",");
      stream << "]";
    } else {
      stream << type;
    }
  }
  return op->getNumResults() == 1 ? text : "(" + text + ")";
}

void OperationTable::describe(OperationFacts &fact, Operation *step,
                              const Operations &fused) {
  bool isEnd = step->hasTrait<mlir::OpTrait::IsTerminator>();
  Operation *root = fused.empty() ? step : fused.front();
  std::vector<std::string> names;
  for (Operation *op : fused) {
    std::string name = primitiveOf(op);
    if (!llvm::is_contained(names, name)) {
      names.push_back(name);
    }
    report::addSourceLines(op->getLoc(), fact.lines);
  }
  constexpr size_t mostNames = 3;
  std::string joined;
  for (size_t i = 0; i < std::min(names.size(), mostNames); ++i) {
    joined += (i ? "_" : "") + names[i];
  }
  fact.path = report::locationName(root->getLoc());
  fact.category =
      isEnd ? "data formatting" : categoryOf(root, fused.size()).str();
  fact.name =
      (isEnd ? "results" + (joined.empty() ? "" : "_" + joined) : joined) +
      (fused.size() > 1 && !isEnd ? "_fusion" : "") + "." +
      std::to_string(facts.size());
  fact.text = "%" + fact.name + " = " + typeOf(root) + " " +
              (fused.size() > 1 ? "fusion(" : "");
  for (auto [i, name] : llvm::enumerate(names)) {
    fact.text += (i ? ", " : "") + name;
  }
  fact.text += fused.size() > 1 ? ")" : "";
}

/// Adds what `runs` executions of the operations cost to one of `fact`.
void OperationTable::describeInto(OperationFacts &fact, const Operations &ops,
                                  double runs) {
  for (Operation *op : ops) {
    auto found = costs.find(op);
    if (found == costs.end() || !counted.insert(op).second) {
      continue; // counted where it was computed first
    }
    fact.flops += runs * found->second.flops;
    fact.transcendentals += runs * found->second.transcendentals;
    fact.bytes += runs * found->second.bytes;
  }
}

int32_t OperationTable::add(Operation *step, const Operations &fused,
                            int32_t parent, double runs) {
  auto number = static_cast<int32_t>(facts.size());
  OperationFacts fact;
  describe(fact, step, fused);
  fact.parent = parent;
  describeInto(fact, fused, 1);
  facts.push_back(std::move(fact));
  times.push_back(runs);
  isMarked.push_back(false);
  numbers[step] = number;
  return number;
}

std::optional<int64_t> OperationTable::markAt(Operation *op) {
  auto found = numbers.find(op);
  if (found == numbers.end()) {
    return std::nullopt;
  }
  isMarked[found->second] = true;
  if (facts[found->second].onlyTimes > 0) {
    return std::nullopt;
  }
  return found->second;
}

void OperationTable::absorb(int32_t whole, int32_t part) {
  OperationFacts &into = facts[whole], &from = facts[part];
  double each = times[part] / times[whole];
  into.flops += each * from.flops;
  into.transcendentals += each * from.transcendentals;
  into.bytes += each * from.bytes;
  for (std::string &line : from.lines) {
    if (!llvm::is_contained(into.lines, line)) {
      into.lines.push_back(std::move(line));
    }
  }
  from = OperationFacts();
  isMarked[part] = true;
}

std::vector<OperationFacts> OperationTable::take() {
  for (auto [product, nest] : epilogues) {
    auto found = numbers.find(nest);
    if (found != numbers.end() && !isMarked[found->second]) {
      facts[product].text += ", then " + facts[found->second].text;
      absorb(product, found->second);
    }
  }
  // Inner ones first: those around them may be parts themselves.
  for (size_t i = facts.size(); i-- > 0;) {
    if (!isMarked[i] && facts[i].parent >= 0) {
      absorb(facts[i].parent, static_cast<int32_t>(i));
    }
  }
  return std::move(facts);
}

} // namespace xla::cpu
