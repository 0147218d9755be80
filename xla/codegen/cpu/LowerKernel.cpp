//===- LowerKernel.cpp - LLVM IR from the kernel form ---------------------===//
//
// A parallel axis is `xla_parallel_for`, a sequential one a loop. A block of
// the grid is one thread, so a barrier of a block waits for nobody.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/LowerKernel.h"

#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/codegen/cpu/lower/elementwise/Elementwise.h"
#include "xla/codegen/cpu/lower/reduce/Extremes.h"
#include "xla/codegen/cpu/lower/reduce/FloatExtremes.h"
#include "xla/codegen/cpu/lower/reduce/Folds.h"

namespace xla::cpu {

using namespace stablehlo;
using kernel::Code;
using kernel::Id;
using kernel::Step;

BufferSlice sliceOf(const kernel::Buffer &buffer) {
  BufferSlice::Kind kind = BufferSlice::Arena;
  switch (buffer.memory) {
  case kernel::Buffer::Argument:
    kind = BufferSlice::Argument;
    break;
  case kernel::Buffer::Result:
    kind = BufferSlice::Result;
    break;
  case kernel::Buffer::Constant:
    kind = BufferSlice::Constant;
    break;
  case kernel::Buffer::Rows:
    kind = BufferSlice::Rows;
    break;
  case kernel::Buffer::Arena:
  case kernel::Buffer::Scratch:
    break;
  }
  return {kind, buffer.number, buffer.constant};
}

/// The `End` of what opens at `opener`.
Id KernelLowering::endOf(Id opener) const {
  int depth = 0;
  for (Id id = opener;; ++id) {
    const Step &step = kernel.steps[id];
    depth += step.opensScope();
    depth -= step.code == Code::End;
    if (depth == 0) {
      return id;
    }
  }
}

void KernelLowering::lowerRange(Id begin, Id end) {
  for (Id id = begin; id < end && !e.failed(); ++id) {
    const Step &step = kernel.steps[id];
    if (step.opensScope()) {
      Id last = endOf(id);
      lowerScope(id, last);
      id = last;
    } else {
      lowerStep(id, step);
    }
  }
}

/// Values that a loop carries, as LLVM has them: two for a complex number.
llvm::SmallVector<Id> KernelLowering::carriesOf(Id loop, Id end) const {
  llvm::SmallVector<Id> carries;
  for (Id id = loop + 1; id < end; ++id) {
    Code code = kernel.steps[id].code;
    if (code == Code::Carried) {
      carries.push_back(id);
    } else if (code != Code::Number && code != Code::Truth) {
      break;
    }
  }
  return carries;
}

void KernelLowering::appendValue(Id id,
                                 llvm::SmallVectorImpl<llvm::Value *> &values) {
  if (!kernel.steps[id].isElement()) {
    values.push_back(e.capture(indices[id]));
    return;
  }
  Element element = elements[id];
  values.push_back(e.capture(element.real));
  if (element.imag) {
    values.push_back(e.capture(element.imag));
  }
}

void KernelLowering::setValue(Id id, llvm::ArrayRef<llvm::Value *> &values) {
  llvm::Value *first = values.front();
  values = values.drop_front();
  if (!kernel.steps[id].isElement()) {
    indices[id] = first;
    return;
  }
  elements[id] = {first, nullptr};
  if (isComplex(kernel.steps[id].type)) {
    elements[id].imag = values.front();
    values = values.drop_front();
  }
}

void KernelLowering::lowerLoop(Id opener, Id end, llvm::Value *first,
                               llvm::Value *last) {
  llvm::SmallVector<Id> carries = carriesOf(opener, end);
  llvm::SmallVector<llvm::Value *> initial;
  for (Id carry : carries) {
    if (auto extreme = findExtreme(carry, end)) {
      llvm::append_range(initial, noneOf(*extreme));
      extremes[carry] = std::move(*extreme);
    } else {
      appendValue(kernel.steps[carry].operands[0], initial);
    }
  }
  auto set = [&](llvm::ArrayRef<llvm::Value *> values) {
    for (Id carry : carries) {
      if (CarriedExtreme *extreme = extremeAt(carry)) {
        size_t count = noneOf(*extreme).size();
        extreme->kept.assign(values.begin(), values.begin() + count);
        values = values.drop_front(count);
      } else {
        setValue(carry, values);
      }
    }
  };
  llvm::SmallVector<llvm::Value *> results =
      e.loop(first, last, initial,
             [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> carried) {
               indices[opener] = i;
               set(carried);
               lowerRange(opener + 1, end);
               llvm::SmallVector<llvm::Value *> next;
               for (Id carry : carries) {
                 if (CarriedExtreme *extreme = extremeAt(carry)) {
                   llvm::append_range(next, extreme->kept);
                 } else {
                   appendValue(nextOf[carry], next);
                 }
               }
               return next;
             });
  set(results);
}

//===----------------------------------------------------------------------===//
// Extremes
//===----------------------------------------------------------------------===//

/// Numbers and their extreme may be carried in another form than as one of
/// them, if nobody looks at it before the last round.
std::optional<KernelLowering::CarriedExtreme>
KernelLowering::findExtreme(Id carry, Id end) const {
  CarriedExtreme extreme;
  int uses = 0;
  for (Id id = carry + 1; id < end; ++id) {
    const Step &step = kernel.steps[id];
    uses += llvm::is_contained(step.operands, carry);
    if (step.code == Code::Next && step.operands[0] == carry) {
      extreme.fold = step.operands[1];
    }
  }
  if (extreme.fold <= carry || uses != 2) {
    return std::nullopt;
  }
  const Step &fold = kernel.steps[extreme.fold];
  const Step &start = kernel.steps[kernel.steps[carry].operands[0]];
  if (fold.code != Code::Fold || !fold.number || fold.operands[0] != carry ||
      isComplex(fold.type) || start.code != Code::Neutral ||
      foldOf(start.of, start.type) != foldOf(fold.of, fold.type)) {
    return std::nullopt;
  }
  extreme.of = foldOf(fold.of, fold.type);
  if (extreme.of != Fold::Maximum && extreme.of != Fold::Minimum) {
    return std::nullopt;
  }
  extreme.numbers = fold.operands[1];
  while (kernel.steps[extreme.numbers].code == Code::Convert) {
    extreme.numbers = kernel.steps[extreme.numbers].operands[0];
  }
  const Step &numbers = kernel.steps[extreme.numbers];
  extreme.type = numbers.type;
  Code ofLine =
      extreme.of == Fold::Maximum ? Code::GreatestOf : Code::SmallestOf;
  if (numbers.code == ofLine) {
    bool isWhole = kernel.steps[numbers.operands[1]].code == Code::Number &&
                   numberAt(numbers, 1) == 0 &&
                   kernel.steps[numbers.operands[2]].code == Code::Number &&
                   numberAt(numbers, 2) == numbers.least;
    extreme.line = isWhole && extreme.numbers > carry ? numbers.least : 0;
  }
  return extreme.line || Extremes::areFor(extreme.of, extreme.type)
             ? std::optional(std::move(extreme))
             : std::nullopt;
}

llvm::SmallVector<llvm::Value *>
KernelLowering::noneOf(const CarriedExtreme &extreme) {
  return extreme.line ? FloatExtremes(e, extreme.of, extreme.type)
                            .noneOfLines(extreme.line)
                      : Extremes(e, extreme.of, extreme.type).none();
}

/// What the rounds have kept, and the numbers of this one.
void KernelLowering::addTo(CarriedExtreme &extreme) {
  extreme.kept =
      extreme.line
          ? FloatExtremes(e, extreme.of, extreme.type)
                .addLine(extreme.kept, addressOf(kernel.steps[extreme.numbers]),
                         extreme.line)
          : Extremes(e, extreme.of, extreme.type)
                .add(extreme.kept, e.capture(elements[extreme.numbers].real));
}

llvm::Value *KernelLowering::wanted(const CarriedExtreme &extreme) {
  return extreme.line
             ? FloatExtremes(e, extreme.of, extreme.type).ofLines(extreme.kept)
             : Extremes(e, extreme.of, extreme.type).wanted(extreme.kept);
}

/// Whether a step is lowered with the extreme that a loop carries.
bool KernelLowering::isOfCarriedExtreme(Id id, const Step &step) {
  for (auto &[carry, extreme] : extremes) {
    if (id == extreme.fold) {
      addTo(extreme);
      return true;
    }
    if (id == carry || (extreme.line && id == extreme.numbers) ||
        (step.code == Code::Next && step.operands[0] == carry)) {
      return true;
    }
    if (step.code == Code::Last && step.operands[0] == carry) {
      elements[id] = {wanted(extreme)};
      return true;
    }
  }
  return false;
}

/// Where operand 0 of a step is in its buffer.
llvm::Value *KernelLowering::addressOf(const Step &step) {
  const kernel::Buffer &buffer = kernel.buffers[step.number];
  return e.builder().CreateInBoundsGEP(memoryType(buffer.type, e.context()),
                                       e.pointerTo(sliceOf(buffer)),
                                       indexAt(step, 0));
}

llvm::Value *KernelLowering::extremeOfRow(const Step &step) {
  FloatExtremes extremes(
      e, step.code == Code::GreatestOf ? Fold::Maximum : Fold::Minimum,
      step.type);
  llvm::Value *row = addressOf(step), *first = indexAt(step, 1),
              *last = indexAt(step, 2);
  return first == e.constant(0) && last == e.constant(step.least)
             ? extremes.ofRow(row, step.least)
             : extremes.ofPiece(row, step.least, first, last);
}

//===----------------------------------------------------------------------===//
// Groups of lines
//===----------------------------------------------------------------------===//

// The number of a line of (16, 28, 56) x 8 elements gives its indices by four
// divisions, which take longer than eight elements. So such lines are walked in
// groups of 56: of a line's number only the offset in its group changes within
// the inner loop, and what the group's number gives is computed once for all.

/// A line of more elements takes longer than divisions.
static constexpr int64_t longLine = 256;
/// A group of fewer lines saves less than its loop costs.
static constexpr int64_t leastGroup = 8;

int64_t KernelLowering::groupOfLines(Id opener, Id end) const {
  // Where an index along the lines begins again: after so many of them.
  llvm::SmallVector<int64_t> periods;
  bool hasLine = false;
  auto number = [&](Id id) { return kernel.steps[id].number; };
  for (Id id = opener + 1; id < end; ++id) {
    const Step &step = kernel.steps[id];
    if (step.code == Code::Carried) {
      return 0;
    }
    if (step.code == Code::Loop) {
      const Step &first = kernel.steps[step.operands[0]];
      const Step &last = kernel.steps[step.operands[1]];
      if (first.code != Code::Number || last.code != Code::Number ||
          last.number - first.number > longLine) {
        return 0;
      }
      hasLine = true;
    }
    if (step.code == Code::Remainder) {
      const Step &of = kernel.steps[step.operands[0]];
      if (step.operands[0] == opener) {
        periods.push_back(number(step.operands[1]));
      } else if (of.code == Code::Divide && of.operands[0] == opener) {
        periods.push_back(number(step.operands[1]) * number(of.operands[1]));
      }
    }
  }
  llvm::sort(periods);
  auto size = llvm::lower_bound(periods, leastGroup);
  return hasLine && size != periods.end() ? *size : 0;
}

void KernelLowering::lowerGroups(Id opener, Id end, int64_t size,
                                 llvm::Value *first, llvm::Value *last) {
  llvm::Value *lines = e.constant(size);
  llvm::Value *firstGroup = e.divide(first, lines);
  llvm::Value *lastGroup = e.divide(e.add(last, e.constant(size - 1)), lines);
  e.loop(firstGroup, lastGroup, [&](llvm::Value *group) {
    llvm::Value *start = e.multiply(group, lines);
    llvm::Value *from = e.most(e.subtract(e.capture(first), start), 0);
    llvm::Value *to = e.least(e.subtract(e.capture(last), start), size);
    e.loop(from, to, [&](llvm::Value *offset) {
      line = {opener, size, group, offset};
      indices[opener] = e.add(e.capture(start), offset);
      lowerRange(opener + 1, end);
      line = {};
    });
  });
}

llvm::Value *KernelLowering::partOfLine(const Step &step) {
  if (line.loop == kernel::noId) {
    return nullptr;
  }
  int64_t by = numberAt(step, 1);
  if (step.code == Code::Divide) {
    if (step.operands[0] != line.loop || by % line.size != 0) {
      return nullptr;
    }
    return e.divide(e.capture(line.group), e.constant(by / line.size));
  }
  // The remainder of the number itself or of a quotient of it.
  int64_t before = 1;
  if (step.operands[0] != line.loop) {
    const Step &of = kernel.steps[step.operands[0]];
    if (of.code != Code::Divide || of.operands[0] != line.loop) {
      return nullptr;
    }
    before = numberAt(of, 1);
  }
  if (line.size % (before * by) != 0) {
    return nullptr;
  }
  llvm::Value *offset = e.capture(line.offset);
  llvm::Value *quotient =
      before == 1 ? offset : e.divide(offset, e.constant(before));
  return before * by == line.size ? quotient
                                  : e.remainder(quotient, e.constant(by));
}

void KernelLowering::lowerScope(Id opener, Id end) {
  const Step &step = kernel.steps[opener];
  auto lowerAxis = [&](llvm::Value *first, llvm::Value *last) {
    indices[opener] = first;
    indices[opener + 1] = last;
    lowerRange(opener + 2, end);
  };
  switch (step.code) {
  case Code::Parallel:
    e.parallel(step.number, step.least,
               [&](llvm::Value *first, llvm::Value *last) {
                 // The runtime cuts there; so LLVM knows of whole lines.
                 bool isCut = step.least % cpuTarget.wholePieces == 0;
                 lowerAxis(isCut && step.least
                               ? e.builder().CreateAnd(
                                     first, -uint64_t(cpuTarget.wholePieces))
                               : first,
                           last);
               });
    return;
  case Code::OfRows:
    e.parallel(step.number, step.least, lowerAxis);
    return;
  case Code::Sequential:
    lowerAxis(e.constant(0), e.constant(step.number));
    return;
  case Code::Loop: {
    llvm::Value *first = indexAt(step, 0), *last = indexAt(step, 1);
    bool mayGroup = groupsLines && line.loop == kernel::noId;
    int64_t size = mayGroup ? groupOfLines(opener, end) : 0;
    if (size != 0) {
      lowerGroups(opener, end, size, first, last);
    } else {
      lowerLoop(opener, end, first, last);
    }
    return;
  }
  default:
    e.when(indexAt(step, 0), [&] { lowerRange(opener + 1, end); });
  }
}

llvm::Value *KernelLowering::indexOf(const Step &step) {
  switch (step.code) {
  case Code::Number:
    return e.constant(step.number);
  case Code::Add:
    return e.add(indexAt(step, 0), indexAt(step, 1));
  case Code::Subtract:
    return e.subtract(indexAt(step, 0), indexAt(step, 1));
  case Code::Multiply:
    return e.multiply(indexAt(step, 0), indexAt(step, 1));
  case Code::Divide:
    if (llvm::Value *part = partOfLine(step)) {
      return part;
    }
    return e.divide(indexAt(step, 0), indexAt(step, 1));
  case Code::Remainder:
    if (llvm::Value *part = partOfLine(step)) {
      return part;
    }
    return e.remainder(indexAt(step, 0), indexAt(step, 1));
  case Code::SignedDivide:
    return e.signedDivide(indexAt(step, 0), numberAt(step, 1));
  case Code::SignedRemainder:
    return e.signedRemainder(indexAt(step, 0), numberAt(step, 1));
  case Code::Least:
    return e.builder().CreateBinaryIntrinsic(
        llvm::Intrinsic::smin, indexAt(step, 0), indexAt(step, 1));
  case Code::Most:
    return e.builder().CreateBinaryIntrinsic(
        llvm::Intrinsic::smax, indexAt(step, 0), indexAt(step, 1));
  case Code::UnsignedLeast:
    return e.builder().CreateBinaryIntrinsic(
        llvm::Intrinsic::umin, indexAt(step, 0), indexAt(step, 1));
  case Code::OfElement: {
    bool isSigned = isSignedInteger(kernel.steps[step.operands[0]].type);
    return e.builder().CreateIntCast(elementAt(step, 0).real,
                                     e.builder().getInt64Ty(), isSigned);
  }
  case Code::Truth:
    return e.builder().getInt1(step.number);
  case Code::AtLeast:
    return e.builder().CreateICmpSGE(indexAt(step, 0), indexAt(step, 1));
  case Code::AtMost:
    return e.builder().CreateICmpSLE(indexAt(step, 0), indexAt(step, 1));
  case Code::Equal:
    return e.builder().CreateICmpEQ(indexAt(step, 0), indexAt(step, 1));
  case Code::And:
    return e.both(indexAt(step, 0), indexAt(step, 1));
  default:
    return e.chooseIndex(indexAt(step, 0), indexAt(step, 1), indexAt(step, 2));
  }
}

Element KernelLowering::elementOf(const Step &step) {
  switch (step.code) {
  case Code::Constant:
    return e.constantElement(llvm::cast<ConstantOp>(step.of));
  case Code::Zero:
    return e.zero(step.type);
  case Code::Neutral: {
    ElementType part = partOf(step.type);
    llvm::Value *real = neutralOf(e, foldOf(step.of, part), part);
    return {real, isComplex(step.type) ? real : nullptr};
  }
  case Code::GreatestOf:
  case Code::SmallestOf:
    return {extremeOfRow(step)};
  case Code::Convert:
    return {narrow(
        e,
        widen(e, elementAt(step, 0).real, kernel.steps[step.operands[0]].type),
        step.type)};
  case Code::Fold: {
    ElementType part = partOf(step.type);
    Fold fold = foldOf(step.of, part);
    auto both = [&](llvm::Value *x, llvm::Value *y) {
      return foldValues(e, fold, part, x, y, step.number != 0);
    };
    Element x = elementAt(step, 0), y = elementAt(step, 1);
    return {both(x.real, y.real), x.imag ? both(x.imag, y.imag) : nullptr};
  }
  case Code::Scalar:
    return e.scalar(step.value);
  case Code::Load:
    return load(step);
  case Code::OfIndex:
    return e.numberElement(indexAt(step, 0), step.number, step.type);
  case Code::Part:
    return e.partOfBits(elementAt(step, 0), kernel.steps[step.operands[0]].type,
                        indexAt(step, 1), step.type);
  case Code::Choose:
    return e.chooseElement(indexAt(step, 0), elementAt(step, 1),
                           elementAt(step, 2));
  default:
    break;
  }
  llvm::SmallVector<Element, 3> x;
  for (size_t n = 0; n < step.operands.size(); ++n) {
    x.push_back(elementAt(step, n));
  }
  if (step.code == Code::Greatest || step.code == Code::Smallest) {
    llvm::SmallVector<llvm::Value *> numbers;
    for (Element element : x) {
      numbers.push_back(element.real);
    }
    return {extremeOf(e, step.code == Code::Greatest, step.type, numbers)};
  }
  return step.code == Code::Compute
             ? e.emitElementwise(step.of, x)
             : e.joinBits(x, kernel.steps[step.operands[0]].type, step.type);
}

SlotArray *KernelLowering::slotsOf(int64_t buffer) {
  if (kernel.buffers[buffer].memory != kernel::Buffer::Scratch) {
    return nullptr;
  }
  if (slots.empty()) { // all of them, in the frame of the thread's function
    for (auto [n, scratch] : llvm::enumerate(kernel.buffers)) {
      if (scratch.memory == kernel::Buffer::Scratch) {
        slots.try_emplace(static_cast<int64_t>(n), e, scratch.type,
                          llvm::product_of(scratch.shape));
      }
    }
  }
  return &slots.find(buffer)->second;
}

Element KernelLowering::load(const Step &step) {
  if (SlotArray *array = slotsOf(step.number)) {
    return array->load(indexAt(step, 0));
  }
  return e.load(step.type, sliceOf(kernel.buffers[step.number]),
                indexAt(step, 0));
}

void KernelLowering::store(const Step &step) {
  if (SlotArray *array = slotsOf(step.number)) {
    array->save(indexAt(step, 0), elementAt(step, 1));
    return;
  }
  const kernel::Buffer &buffer = kernel.buffers[step.number];
  e.store(buffer.type, sliceOf(buffer), indexAt(step, 0), elementAt(step, 1));
}

void KernelLowering::prefetch(const Step &step) {
  llvm::IRBuilder<> &b = e.builder();
  const kernel::Buffer &buffer = kernel.buffers[step.number];
  llvm::Value *first =
      b.CreateGEP(memoryType(buffer.type, e.context()),
                  e.pointerTo(sliceOf(buffer)), indexAt(step, 0));
  int64_t bytes = step.least * byteWidth(buffer.type);
  for (int64_t n = 0; n < bytes; n += cpuTarget.cacheLine) {
    llvm::Value *line = b.CreateConstGEP1_64(b.getInt8Ty(), first, n);
    b.CreateIntrinsic(llvm::Intrinsic::prefetch, {line->getType()},
                      {line, b.getInt32(0), b.getInt32(3), b.getInt32(1)});
  }
}

void KernelLowering::lowerStep(Id id, const Step &step) {
  if (isOfCarriedExtreme(id, step)) {
    return;
  }
  switch (step.code) {
  case Code::Prefetch:
    prefetch(step);
    return;
  case Code::Store:
    store(step);
    return;
  case Code::Next:
    nextOf[step.operands[0]] = step.operands[1];
    return;
  case Code::Carried: // its loop sets it
    return;
  case Code::Last:
    indices[id] = indices[step.operands[0]];
    elements[id] = elements[step.operands[0]];
    return;
  case Code::Exchange:
    elements[id] = exchange(step);
    return;
  default:
    break;
  }
  if (step.isElement()) {
    elements[id] = elementOf(step);
  } else if (step.isIndex() || step.isCondition()) {
    indices[id] = indexOf(step);
  }
}

/// What the CPU has no code for, if a kernel has it.
static llvm::StringRef lackedBy(const kernel::Kernel &kernel) {
  for (const kernel::Buffer &buffer : kernel.buffers) {
    if (buffer.memory == kernel::Buffer::Scratch &&
        buffer.scope != kernel::Scope::Thread) {
      return "scratch memory that threads share";
    }
  }
  for (const Step &step : kernel.steps) {
    if (step.code == Code::Call) {
      return "calls";
    }
    if (step.code == Code::Exchange) {
      return "exchanges between threads";
    }
  }
  return "";
}

void lowerKernel(Emitter &e, const kernel::Kernel &kernel) {
  llvm::StringRef lacked = lackedBy(kernel);
  if (!lacked.empty()) {
    e.status = unimplemented(("the CPU compiler has no code for " + lacked +
                              " of the kernel '" + kernel.name + "'")
                                 .str());
    return;
  }
  KernelLowering(e, kernel).lower();
}

bool isComplete(Emitter &e, const KernelBuilder &builder,
                const kernel::Kernel &kernel, mlir::Operation *op) {
  std::string why = builder.reason();
  if (!builder.failed() && kernel::verify(kernel, why)) {
    return true;
  }
  e.fail(builder.failed() ? builder.failedOperation() : op, why);
  return false;
}

void emitNest(Emitter &e, llvm::ArrayRef<mlir::Value> outputs,
              llvm::ArrayRef<BufferSlice> slices, const LoopPlan &loops) {
  KernelBuilder builder(e.fusion, e.buffers, e.site().groupRows);
  kernel::Kernel kernel = builder.build(outputs, slices, loops);
  if (isComplete(e, builder, kernel, outputs.front().getDefiningOp())) {
    lowerKernel(e, kernel);
  }
}

} // namespace xla::cpu
