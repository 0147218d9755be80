//===- RowGroups.cpp - Steps that go row by row together ------------------===//
//
// One walk over a block. Groups under construction are *open*: a step joins
// those that it reads from, or that read the same rows, if all it reads of
// theirs is of its own row. A group ends where a step that is none of its
// members reads what it writes: up to there all its members may be postponed.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/RowGroups.h"

#include "xla/codegen/cpu/FusionPlan.h"
#include "xla/codegen/cpu/Rows.h"
#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/codegen/cpu/Types.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <algorithm>

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

/// With fewer rows threads would be idle.
static constexpr int64_t fewestRows = 16;
/// What the arrays of a row may take: a quarter of a second-level cache, which
/// two threads may share.
static constexpr int64_t mostRowBytes = cpuTarget.secondCache / 4;
/// What the arrays of a block of rows take, where a row takes less: most of a
/// first-level cache.
static constexpr int64_t blockBytes = cpuTarget.firstCache / 4 * 3;
/// Bounds on what one step compares itself with, and on the code of a group.
static constexpr size_t mostOpen = 8, mostMembers = 32;

bool RowGroup::readsByRow(Value value) const {
  return llvm::all_of(members, [&](const RowMember &member) {
    return llvm::all_of(member.reads, [&](const RowRead &read) {
      return read.value != value || read.sameRow;
    });
  });
}

bool RowGroup::mayOverwrite(size_t writer, Value output, Value input) const {
  if (elementTypeOf(output.getType()) != elementTypeOf(input.getType()) ||
      elementCountOf(output) != elementCountOf(input) || !readsByRow(input)) {
    return false;
  }
  for (size_t i = writer; i < members.size(); ++i) {
    for (const RowRead &read : members[i].reads) {
      if (read.value == input && (i > writer || !read.sameIndex)) {
        return false;
      }
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

class RowGroupFinder {
public:
  RowGroupFinder(RowGroups &result, const FusionPlan &fusion)
      : result(result), fusion(fusion) {}

  void findReaders(mlir::Block &body);
  void visitBlock(mlir::Block &block);

private:
  /// How an index relates to that of the step: equal, in the same row, neither.
  enum class Way : uint8_t { Same, Row, Anywhere };
  struct Open {
    RowGroup group; ///< `rows` 0: not yet known
    bool reduces = false;
    llvm::SmallPtrSet<Value, 8>
        touched; ///< by row, and longer than one element
  };

  bool collect(Operation *user, Value operand, Way way, int64_t rows,
               RowMember &member) const;
  bool describe(Operation *op, int64_t rows, RowMember &member) const;
  void addReads(Operation *op, llvm::SmallVectorImpl<Leaf> &leaves) const;
  llvm::SmallVector<Value> valuesRead(Operation *op) const;
  int64_t rowsOf(const RowMember &member) const;
  int64_t wantedRows(const RowMember &member) const;
  void join(Operation *op);
  bool accepts(const Open &open, const RowMember &member, int64_t rows) const;
  bool fits(const Open &a, const Open &b, int64_t rows) const;
  bool reads(const RowMember &member, const Open &open) const;
  void touch(Open &open, const RowMember &member) const;
  void merge(Open &into, Open &from);
  void closeReaders(llvm::ArrayRef<Value> values);
  void closeSharers(llvm::ArrayRef<Value> values);
  void close(size_t number);
  void closeAll();
  bool finish(Open &open);
  void assignScratch(const RowGroup &group);

  RowGroups &result;
  const FusionPlan &fusion;
  std::vector<std::unique_ptr<Open>> opened; // oldest first
  llvm::DenseMap<Value, Open *> writers;
  llvm::DenseMap<Value, llvm::SmallPtrSet<Operation *, 2>> readers;
  llvm::SmallPtrSet<Operation *, 8> epilogues; ///< they run with products
};

/// Adds what an element of `operand`, used by `user`, reads from memory. False
/// where it goes across lines of memory, for which there are tiles.
bool RowGroupFinder::collect(Operation *user, Value operand, Way way,
                             int64_t rows, RowMember &member) const {
  struct Visit {
    Operation *user;
    Value value;
    Way way;
  };
  llvm::SmallVector<Visit> work = {{user, operand, way}};
  llvm::DenseMap<Value, int> seen; // a bit for each way
  while (!work.empty()) {
    auto [user, value, way] = work.pop_back_val();
    bool isRow = way != Way::Anywhere && isElementOp(user);
    bool elementwise = isRow && isElementwise(user) &&
                       shapeOf(value) == shapeOf(user->getResult(0));
    if (isRow && !elementwise) {
      bool keeps =
          !isElementwise(user) && rows > 0 && keepsRows(user, value, rows);
      way = keeps ? Way::Row : Way::Anywhere;
    }
    int bit = 1 << static_cast<int>(way);
    if (seen[value] & bit) {
      continue;
    }
    seen[value] |= bit;
    Form form = fusion.formOf(value);
    if (form == Form::Buffer) {
      member.reads.push_back({value, way == Way::Same, way != Way::Anywhere});
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (form == Form::Register || !op) {
      continue;
    }
    if (auto transpose = llvm::dyn_cast<TransposeOp>(op)) {
      llvm::ArrayRef<int64_t> permutation = transpose.getPermutation();
      if (permutation.back() + 1 != static_cast<int64_t>(permutation.size())) {
        return false;
      }
    }
    member.cost += costOf(op);
    for (Value next : op->getOperands()) {
      if (isTensor(next)) {
        work.push_back({op, next, way});
      }
    }
  }
  return true;
}

/// The step at `op` as a member of a group of `rows`; false if it cannot be
/// one.
bool RowGroupFinder::describe(Operation *op, int64_t rows,
                              RowMember &member) const {
  member = RowMember();
  member.step = op;
  if (auto reduce = llvm::dyn_cast<ReduceOp>(op)) {
    llvm::append_range(member.outputs, op->getResults());
    for (Value input : reduce.getInputs()) {
      if (!collect(op, input, Way::Row, rows, member)) {
        return false;
      }
    }
    return true;
  }
  llvm::append_range(member.outputs, fusion.regionAt(op));
  for (Value output : member.outputs) {
    Operation *source = output.getDefiningOp();
    if (llvm::isa<TransposeOp>(source)) {
      return false;
    }
    member.cost += costOf(source);
    for (Value operand : source->getOperands()) {
      if (isTensor(operand) &&
          !collect(source, operand, Way::Same, rows, member)) {
        return false;
      }
    }
  }
  return true;
}

/// What `op` alone reads from memory.
void RowGroupFinder::addReads(Operation *op,
                              llvm::SmallVectorImpl<Leaf> &leaves) const {
  llvm::SmallVector<Operation *> sources = {op};
  if (isElementOp(op)) {
    sources.clear();
    for (Value output : fusion.regionAt(op)) {
      sources.push_back(output.getDefiningOp());
    }
    if (fusion.formOf(op->getResult(0)) == Form::Register) {
      sources.push_back(op);
    }
  }
  for (Operation *source : sources) {
    for (Value operand : source->getOperands()) {
      if (isTensor(operand)) {
        fusion.collectLeaves(operand, false, leaves);
      }
    }
  }
}

/// What `op`, and operations in its regions, read from memory.
llvm::SmallVector<Value> RowGroupFinder::valuesRead(Operation *op) const {
  llvm::SmallVector<Leaf> leaves;
  op->walk([&](Operation *inner) { addReads(inner, leaves); });
  llvm::SmallVector<Value> values;
  for (const Leaf &leaf : leaves) {
    values.push_back(leaf.value);
  }
  return values;
}

void RowGroupFinder::findReaders(mlir::Block &body) {
  for (Operation &op : body) {
    if (Operation *nest = fusion.epilogueOf(&op).nest) {
      epilogues.insert(nest);
    }
    llvm::SmallVector<Leaf> leaves;
    addReads(&op, leaves);
    for (const Leaf &leaf : leaves) {
      readers[leaf.value].insert(&op);
    }
    for (mlir::Region &region : op.getRegions()) {
      for (mlir::Block &inner : region) {
        findReaders(inner);
      }
    }
  }
}

/// How many rows a reduction of trailing dimensions has; of other steps 0, and
/// -1 of what never is a member.
int64_t RowGroupFinder::rowsOf(const RowMember &member) const {
  Operation *op = member.step;
  auto isEmpty = [](Value value) { return elementCountOf(value) == 0; };
  if (member.outputs.empty() || llvm::any_of(member.outputs, isEmpty)) {
    return -1;
  }
  auto reduce = llvm::dyn_cast<ReduceOp>(op);
  if (!reduce) {
    return isElementOp(op) ? 0 : -1;
  }
  auto inMemory = [&](Value value) {
    return isTensor(value) && fusion.formOf(value) == Form::Buffer;
  };
  if (!llvm::all_of(op->getResults(), inMemory) ||
      llvm::any_of(reduce.getInputs(), isEmpty)) {
    return -1;
  }
  int64_t rows = elementCountOf(op->getResult(0));
  auto kept = static_cast<int64_t>(shapeOf(op->getResult(0)).size());
  bool trailing = llvm::all_of(reduce.getDimensions(),
                               [&](int64_t d) { return d >= kept; });
  return trailing && rows >= fewestRows ? rows : -1;
}

bool RowGroupFinder::reads(const RowMember &member, const Open &open) const {
  return llvm::any_of(member.reads, [&](const RowRead &read) {
    return writers.lookup(read.value) == &open;
  });
}

/// The rows of the groups that a loop nest could join, of those first that it
/// reads from; 0 if any will do.
int64_t RowGroupFinder::wantedRows(const RowMember &member) const {
  int64_t wanted = 0;
  for (const auto &open : llvm::reverse(opened)) {
    int64_t rows = open->group.rows;
    if (rows == 0 || splitOf(shapeOf(member.outputs.front()), rows) < 0) {
      continue;
    }
    if (reads(member, *open)) {
      return rows;
    }
    bool shares = llvm::any_of(member.reads, [&](const RowRead &read) {
      return read.sameIndex && open->touched.contains(read.value);
    });
    wanted = wanted == 0 && shares ? rows : wanted;
  }
  return wanted;
}

/// Whether `member` may come last in the group.
bool RowGroupFinder::accepts(const Open &open, const RowMember &member,
                             int64_t rows) const {
  if (open.group.rows != 0 && open.group.rows != rows) {
    return false;
  }
  for (const RowMember &other : open.group.members) {
    if (open.group.rows == 0 && rows > 0 &&
        splitOf(shapeOf(other.outputs.front()), rows) < 0) {
      return false;
    }
  }
  return llvm::all_of(member.reads, [&](const RowRead &read) {
    return writers.lookup(read.value) != &open ||
           (rows > 0 ? read.sameRow : read.sameIndex);
  });
}

/// Whether `a`, `b` and one more member may be one group.
bool RowGroupFinder::fits(const Open &a, const Open &b, int64_t rows) const {
  if (a.group.members.size() + b.group.members.size() >= mostMembers) {
    return false;
  }
  int64_t bytes = 0;
  for (Value value : a.touched) {
    bytes += byteSizeOf(value);
  }
  for (Value value : b.touched) {
    bytes += a.touched.contains(value) ? 0 : byteSizeOf(value);
  }
  return rows == 0 || bytes / rows <= mostRowBytes;
}

void RowGroupFinder::touch(Open &open, const RowMember &member) const {
  auto add = [&](Value value) {
    if (elementCountOf(value) > open.group.rows) {
      open.touched.insert(value);
    }
  };
  llvm::for_each(member.outputs, add);
  for (const RowRead &read : member.reads) {
    if (read.sameRow) {
      add(read.value);
    }
  }
}

void RowGroupFinder::merge(Open &into, Open &from) {
  into.reduces |= from.reduces;
  into.touched.insert(from.touched.begin(), from.touched.end());
  for (RowMember &member : from.group.members) {
    for (Value output : member.outputs) {
      writers[output] = &into;
    }
    into.group.members.push_back(std::move(member));
  }
}

void RowGroupFinder::join(Operation *op) {
  auto own = std::make_unique<Open>();
  RowMember member;
  bool possible = describe(op, 0, member);
  int64_t rows = possible ? rowsOf(member) : -1;
  if (rows < 0) {
    closeReaders(valuesRead(op));
    return;
  }
  own->reduces = rows > 0;
  rows = rows > 0 ? rows : wantedRows(member);
  describe(op, rows, member);
  own->group.rows = rows;
  touch(*own, member);
  std::vector<std::unique_ptr<Open>> others;
  for (size_t i = 0; i < opened.size();) {
    Open &open = *opened[i];
    bool isReader = reads(member, open);
    bool shares = rows > 0 && llvm::any_of(own->touched, [&](Value value) {
                    return open.touched.contains(value);
                  });
    if ((isReader || shares) && accepts(open, member, rows) &&
        fits(*own, open, rows)) {
      merge(*own, open);
      others.push_back(std::move(opened[i]));
      opened.erase(opened.begin() + i);
    } else if (isReader) {
      close(i);
    } else {
      ++i;
    }
  }
  for (Value output : member.outputs) {
    writers[output] = own.get();
  }
  own->group.members.push_back(std::move(member));
  llvm::sort(own->group.members, [](const RowMember &a, const RowMember &b) {
    return a.step->isBeforeInBlock(b.step);
  });
  opened.push_back(std::move(own));
  if (opened.size() > mostOpen) {
    close(0);
  }
}

void RowGroupFinder::closeReaders(llvm::ArrayRef<Value> values) {
  for (Value value : values) {
    if (Open *open = writers.lookup(value)) {
      auto found = llvm::find_if(
          opened, [&](const auto &other) { return other.get() == open; });
      close(found - opened.begin());
    }
  }
}

/// What another step may overwrite is read before that.
void RowGroupFinder::closeSharers(llvm::ArrayRef<Value> values) {
  auto reads = [&](const RowMember &member) {
    return llvm::any_of(member.reads, [&](const RowRead &read) {
      return llvm::is_contained(values, read.value);
    });
  };
  for (size_t i = opened.size(); i-- > 0;) {
    if (llvm::any_of(opened[i]->group.members, reads)) {
      close(i);
    }
  }
}

void RowGroupFinder::close(size_t number) {
  std::unique_ptr<Open> open = std::move(opened[number]);
  opened.erase(opened.begin() + number);
  for (const RowMember &member : open->group.members) {
    for (Value output : member.outputs) {
      writers.erase(output);
    }
  }
  if (finish(*open)) {
    auto group = std::make_unique<RowGroup>(std::move(open->group));
    for (const RowMember &member : group->members) {
      result.groupByStep[member.step] = group.get();
    }
    assignScratch(*group);
    result.groups.push_back(std::move(group));
  }
}

void RowGroupFinder::closeAll() {
  while (!opened.empty()) {
    close(0);
  }
}

/// Says again, now that the rows are known, what each member reads, and whether
/// the group is one and worth it: some member finds in the cache what it would
/// have waited for. One that computes much per element would not have: memory
/// is read ahead while it computes.
bool RowGroupFinder::finish(Open &open) {
  constexpr int much = 16;
  RowGroup &group = open.group;
  if (!open.reduces || group.members.size() < 2) {
    return false;
  }
  llvm::SmallPtrSet<Value, 8> written, touched;
  bool saves = false;
  for (RowMember &member : group.members) {
    describe(member.step, group.rows, member);
    Open single;
    single.group.rows = group.rows;
    touch(single, member);
    saves |= llvm::any_of(single.touched, [&](Value value) {
      return written.contains(value) ||
             (touched.contains(value) && member.cost < much);
    });
    touched.insert(single.touched.begin(), single.touched.end());
    written.insert(member.outputs.begin(), member.outputs.end());
    auto reduce = llvm::dyn_cast<ReduceOp>(member.step);
    Value longest =
        reduce ? reduce.getInputs().front() : member.outputs.front();
    auto length = static_cast<double>(elementCountOf(longest) / group.rows);
    group.costPerRow += 2 * length * static_cast<double>(member.outputs.size());
  }
  for (const RowMember &member : group.members) {
    for (const RowRead &read : member.reads) {
      if (written.contains(read.value) && !read.sameRow) {
        return false;
      }
    }
  }
  int64_t bytes = 0;
  for (Value value : touched) {
    bytes += byteSizeOf(value);
  }
  group.rowsPerBlock =
      std::clamp<int64_t>(blockBytes * group.rows / std::max<int64_t>(bytes, 1),
                          1, group.rows / fewestRows);
  // Steps over one element per row fill whole vectors.
  constexpr int64_t vector = cpuTarget.widestVector / 4;
  if (group.rowsPerBlock > vector) {
    group.rowsPerBlock -= group.rowsPerBlock % vector;
  }
  return saves;
}

/// Values that the group alone reads need no more memory than a block of rows.
void RowGroupFinder::assignScratch(const RowGroup &group) {
  int64_t total = 0;
  // A loop around the group counts as a reader of what is read in it.
  Operation *around = group.insertionPoint()->getParentOp();
  bool isInLoop = !llvm::isa<mlir::func::FuncOp>(around);
  for (const RowMember &member : group.members) {
    for (Value output : member.outputs) {
      bool isInner = llvm::all_of(readers[output], [&](Operation *reader) {
        return !isInLoop && result.groupOf(reader) == &group;
      });
      int64_t bytes = byteSizeOf(output) / group.rows * group.rowsPerBlock;
      if (isInner && total + bytes <= cpuTarget.stack) {
        result.scratch[output] = total;
        total += (bytes + 63) & ~int64_t(63);
      }
    }
  }
}

void RowGroupFinder::visitBlock(mlir::Block &block) {
  for (Operation &op : block) {
    if (llvm::isa<WhileOp, IfOp, CaseOp>(op)) {
      closeAll();
      for (mlir::Region &region : op.getRegions()) {
        for (mlir::Block &inner : region) {
          visitBlock(inner);
        }
      }
    } else if (llvm::isa<ReduceOp>(op) ||
               (isElementOp(&op) && !fusion.regionAt(&op).empty() &&
                !epilogues.contains(&op))) {
      join(&op);
    } else {
      llvm::SmallVector<Value> values = valuesRead(&op);
      closeReaders(values);
      if (!isElementOp(&op) && !llvm::isa<DotGeneralOp, ConvolutionOp>(op)) {
        closeSharers(values);
      }
    }
  }
  closeAll();
}

RowGroups::RowGroups(mlir::Block &body, const FusionPlan &fusion) {
  RowGroupFinder finder(*this, fusion);
  finder.findReaders(body);
  finder.visitBlock(body);
}

} // namespace xla::cpu
