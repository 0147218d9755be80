//===- Form.cpp - What must hold of a kernel ------------------------------===//

#include "xla/kernel/Form.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace xla::kernel {

bool Step::isIndex() const {
  switch (code) {
  case Code::Parallel:
  case Code::Sequential:
  case Code::OfRows:
  case Code::RangeEnd:
  case Code::Loop:
    return true;
  case Code::Choose:
  case Code::Carried:
  case Code::Last:
    return type == ElementType::Invalid;
  default:
    return code >= Code::Number && code <= Code::OfElement;
  }
}

int64_t Kernel::bufferOf(Buffer buffer) {
  auto found = llvm::find(buffers, buffer);
  if (found != buffers.end()) {
    found->isWritten |= buffer.isWritten;
    return found - buffers.begin();
  }
  buffers.push_back(std::move(buffer));
  return static_cast<int64_t>(buffers.size()) - 1;
}

namespace {

/// What operands a step has: 'i' an index, 'c' a condition, 'e' an element, 'v'
/// an index or an element.
const char *operandsOf(const Step &step) {
  switch (step.code) {
  case Code::Loop:
  case Code::Add:
  case Code::Subtract:
  case Code::Multiply:
  case Code::Divide:
  case Code::Remainder:
  case Code::SignedDivide:
  case Code::SignedRemainder:
  case Code::Least:
  case Code::Most:
  case Code::UnsignedLeast:
  case Code::AtLeast:
  case Code::AtMost:
  case Code::Equal:
    return "ii";
  case Code::When:
    return "c";
  case Code::And:
    return "cc";
  case Code::OfElement:
  case Code::Exchange:
  case Code::Convert:
    return "e";
  case Code::Fold:
    return "ee";
  case Code::GreatestOf:
  case Code::SmallestOf:
    return "iii";
  case Code::Carried:
  case Code::Last:
    return "v";
  case Code::Next:
    return "vv";
  case Code::Load:
  case Code::OfIndex:
  case Code::Prefetch:
    return "i";
  case Code::Store:
    return "ie";
  case Code::Part:
    return "ei";
  case Code::Choose:
    return step.isElement() ? "cee" : "cii";
  default:
    return "";
  }
}

bool hasNeutralElement(mlir::Operation *op) {
  return llvm::is_contained(
      {"add", "multiply", "maximum", "minimum", "and", "or", "xor"},
      op->getName().stripDialect());
}

bool isConverted(ElementType type) {
  return isFloat(type) && bitWidth(type) <= 32;
}

class Verifier {
public:
  Verifier(const Kernel &kernel, std::string &why) : kernel(kernel), why(why) {}

  bool run() {
    size_t count = kernel.steps.size();
    isVisible.assign(count, false);
    scopeOf.assign(count, noId);
    hasNext.assign(count, false);
    for (Id id = 0; id < static_cast<Id>(count); ++id) {
      if (!visit(id, kernel.steps[id])) {
        return false;
      }
    }
    return open.empty() || fail("a scope does not close");
  }

private:
  bool fail(const llvm::Twine &what) {
    why = what.str();
    return false;
  }
  bool visit(Id id, const Step &step);
  bool close(Id end);
  bool checkOperands(const Step &step);
  bool checkType(const Step &step);
  bool checkOperation(const Step &step);
  bool checkBuffer(const Step &step);
  bool checkAxis(Id id, const Step &step);
  bool checkBarrier(const Step &step);
  bool checkExchange(const Step &step);
  bool checkCarry(Id id, const Step &step);
  const Step &operandOf(const Step &step, size_t n) const {
    return kernel.steps[step.operands[n]];
  }
  bool isLoop(Id id, Mark mark) const {
    return kernel.steps[id].code == Code::Loop && kernel.steps[id].mark == mark;
  }

  const Kernel &kernel;
  std::string &why;
  std::vector<bool> isVisible;
  std::vector<Id> scopeOf;    ///< the innermost scope around a step
  std::vector<bool> hasNext;  ///< of a carry
  llvm::SmallVector<Id> open; ///< the steps whose scopes are not closed
};

} // namespace

bool Verifier::checkOperands(const Step &step) {
  llvm::StringRef kinds = operandsOf(step);
  bool isExtreme = step.code == Code::Greatest || step.code == Code::Smallest;
  bool isAnyNumber = step.code == Code::Compute || step.code == Code::Join ||
                     step.code == Code::Call || isExtreme;
  if (!isAnyNumber && step.operands.size() != kinds.size()) {
    return fail("a step has " + llvm::Twine(step.operands.size()) +
                " operands and needs " + llvm::Twine(kinds.size()));
  }
  if ((step.code == Code::Join || isExtreme) && step.operands.empty()) {
    return fail(isExtreme ? "there is no extreme of no elements"
                          : "nothing is joined");
  }
  for (auto [i, id] : llvm::enumerate(step.operands)) {
    if (step.code == Code::Call && id < noId) {
      if (-(id + 2) >= static_cast<Id>(kernel.buffers.size())) {
        return fail("there is no such buffer");
      }
      continue;
    }
    if (id < 0 || id >= static_cast<Id>(isVisible.size()) ||
        (!isVisible[id] && step.code != Code::Last)) {
      return fail("an operand is not computed where it is used");
    }
    const Step &operand = kernel.steps[id];
    char kind = step.code == Code::Call ? 'i' : isAnyNumber ? 'e' : kinds[i];
    if (!(kind == 'i'   ? operand.isIndex()
          : kind == 'c' ? operand.isCondition()
          : kind == 'e' ? operand.isElement()
                        : operand.isIndex() || operand.isElement())) {
      return fail("operand " + llvm::Twine(i) + " is not " +
                  (kind == 'i'   ? "an index"
                   : kind == 'c' ? "a condition"
                   : kind == 'e' ? "an element"
                                 : "an index or an element"));
    }
  }
  if (step.divides() && (operandOf(step, 1).code != Code::Number ||
                         operandOf(step, 1).number == 0)) {
    return fail("an index is not divided by a number other than 0");
  }
  return true;
}

/// What computes an element has a type, and it is that of its operands where
/// the step hands them on; what computes no element has none.
bool Verifier::checkType(const Step &step) {
  switch (step.code) {
  case Code::Constant:
  case Code::Zero:
  case Code::Neutral:
  case Code::Scalar:
  case Code::Load:
  case Code::Compute:
  case Code::OfIndex:
  case Code::Part:
  case Code::Join:
    if (!step.isElement()) {
      return fail("an element has no type");
    }
    break;
  case Code::Choose:
    if (step.type != operandOf(step, 1).type ||
        step.type != operandOf(step, 2).type) {
      return fail("a choice has another type than what is chosen");
    }
    break;
  case Code::Greatest:
  case Code::Smallest:
    if (isComplex(step.type) || llvm::any_of(step.operands, [&](Id operand) {
          return kernel.steps[operand].type != step.type;
        })) {
      return fail("an extreme has another type than its operands, or no order");
    }
    break;
  case Code::GreatestOf:
  case Code::SmallestOf:
    if (!step.isElement() || isComplex(step.type)) {
      return fail("elements of a row have no order");
    }
    break;
  case Code::Fold:
    if (step.type != operandOf(step, 0).type ||
        step.type != operandOf(step, 1).type) {
      return fail("a fold has another type than its operands");
    }
    break;
  case Code::Convert:
    if (!isConverted(step.type) || !isConverted(operandOf(step, 0).type)) {
      return fail("what is converted is no float of 32 bits or fewer");
    }
    break;
  case Code::Carried:
  case Code::Last:
  case Code::Exchange:
    if (step.type != operandOf(step, 0).type) {
      return fail("a step has another type than its operand");
    }
    break;
  default:
    if (step.isElement()) {
      return fail("what is no element has the type of one");
    }
  }
  if (step.code == Code::OfElement && !isInteger(operandOf(step, 0).type) &&
      operandOf(step, 0).type != ElementType::Pred) {
    return fail("an index is made of an element that is no integer");
  }
  return step.code != Code::Scalar ||
         (step.value && elementTypeOf(step.value.getType()) == step.type) ||
         fail("a scalar has no value of its type");
}

/// The operation of a step is on elements of the operands' types; narrow floats
/// are folded as wide ones.
bool Verifier::checkOperation(const Step &step) {
  bool isFold = step.code == Code::Neutral || step.code == Code::Fold;
  ElementType type = step.of && step.of->getNumResults() == 1
                         ? elementTypeOf(step.of->getResult(0).getType())
                         : ElementType::Invalid;
  if (type != step.type && !(isFold && isFloat(type) && isFloat(step.type))) {
    return fail("a step has no operation of its type");
  }
  if (step.code == Code::Constant) {
    return step.of->hasAttrOfType<mlir::DenseElementsAttr>("value") ||
           fail("a constant has no value");
  }
  if (isFold) {
    return hasNeutralElement(step.of) ||
           fail("an operation has no neutral element");
  }
  if (step.of->getNumOperands() != step.operands.size()) {
    return fail("an operation has another number of operands");
  }
  for (auto [i, operand] : llvm::enumerate(step.of->getOperands())) {
    if (elementTypeOf(operand.getType()) != operandOf(step, i).type) {
      return fail("an operation has operands of other types");
    }
  }
  return true;
}

bool Verifier::checkBuffer(const Step &step) {
  if (step.number < 0 ||
      step.number >= static_cast<int64_t>(kernel.buffers.size())) {
    return fail("there is no such buffer");
  }
  const Buffer &buffer = kernel.buffers[step.number];
  if (step.code == Code::Prefetch) {
    return step.least > 0 || fail("no elements are fetched");
  }
  bool isOfRow = step.code == Code::GreatestOf || step.code == Code::SmallestOf;
  if (isOfRow && step.least <= 0) {
    return fail("there is no extreme of no elements");
  }
  bool isStore = step.code == Code::Store;
  if (isStore && !buffer.isWritten) {
    return fail("a buffer that is only read is written");
  }
  ElementType type = isStore ? operandOf(step, 1).type : step.type;
  return type == buffer.type || fail("a buffer has elements of another type");
}

bool Verifier::checkAxis(Id id, const Step &step) {
  bool isAxis = step.code <= Code::OfRows;
  bool hasEnd = id + 1 < static_cast<Id>(kernel.steps.size()) &&
                kernel.steps[id + 1].code == Code::RangeEnd;
  bool isEnd = step.code == Code::RangeEnd;
  return (isAxis == hasEnd &&
          (!isEnd || (id > 0 && kernel.steps[id - 1].code <= Code::OfRows))) ||
         fail("an axis has no end, or an end no axis");
}

/// Members of a block come to its barrier together: in the same round of loops
/// that they all go through. Members of the grid share loops and axes out.
bool Verifier::checkBarrier(const Step &step) {
  if (step.scope == Scope::Thread) {
    return true;
  }
  for (Id outer : open) {
    Code code = kernel.steps[outer].code;
    if (code == Code::When) {
      return fail("not all members come to a barrier under a condition");
    }
    if (isLoop(outer, Mark::Vector)) {
      return fail("threads come to a barrier in a loop that they share out");
    }
    if (step.scope == Scope::Grid && code != Code::Sequential) {
      return fail("not all members of the grid come to a barrier as often");
    }
  }
  return true;
}

/// As many threads as may exchange elements are in a vector loop together, or
/// none of them is.
bool Verifier::checkExchange(const Step &step) {
  auto isWhole = [&](Id bound) {
    return kernel.steps[bound].code == Code::Number &&
           kernel.steps[bound].number % exchangeLanes == 0;
  };
  if (open.empty() || !isLoop(open.back(), Mark::Vector) ||
      !llvm::all_of(kernel.steps[open.back()].operands, isWhole)) {
    return fail("not all of " + llvm::Twine(exchangeLanes) +
                " threads come to an exchange");
  }
  return (step.number > 0 && step.number < exchangeLanes) ||
         fail("threads that exchange elements are too far apart");
}

bool Verifier::checkCarry(Id id, const Step &step) {
  if (step.code == Code::Carried) {
    auto isBefore = [&](Id other) { // numbers have no position
      Code code = kernel.steps[other].code;
      return code == Code::Carried || code == Code::Number ||
             code == Code::Truth;
    };
    if (open.empty() || kernel.steps[open.back()].code != Code::Loop ||
        !llvm::all_of(llvm::seq(open.back() + 1, id), isBefore)) {
      return fail("a carry does not stand at the beginning of a loop");
    }
    return !isLoop(open.back(), Mark::Vector) ||
           fail("rounds that threads share out hand nothing on");
  }
  Id carry = step.operands[0];
  if (kernel.steps[carry].code != Code::Carried) {
    return fail("operand 0 is no carry");
  }
  if (step.code == Code::Next) {
    if (open.empty() || scopeOf[carry] != open.back()) {
      return fail("a carry gets its next value outside of its loop");
    }
    if (hasNext[carry]) {
      return fail("a carry has two next values");
    }
    hasNext[carry] = true;
    return kernel.steps[carry].type == operandOf(step, 1).type ||
           fail("a carry's next value has another type");
  }
  Id loop = scopeOf[carry];
  if (loop == noId) {
    return fail("a carry's last value comes before the carry");
  }
  Id around = scopeOf[loop];
  return (!llvm::is_contained(open, loop) &&
          (around == noId || llvm::is_contained(open, around))) ||
         fail("a carry's last value is not computed where it is used");
}

bool Verifier::close(Id end) {
  if (open.empty()) {
    return fail("there is no scope to close");
  }
  Id opener = open.pop_back_val();
  for (Id inner = opener; inner < end; ++inner) {
    Code code = kernel.steps[inner].code; // numbers have no scope
    isVisible[inner] = code == Code::Number || code == Code::Truth;
    if (code == Code::Carried && scopeOf[inner] == opener && !hasNext[inner]) {
      return fail("a carry has no next value");
    }
  }
  return true;
}

bool Verifier::visit(Id id, const Step &step) {
  if (step.code == Code::End) {
    return close(id);
  }
  scopeOf[id] = open.empty() ? noId : open.back();
  if (!checkOperands(step) || !checkType(step) || !checkAxis(id, step)) {
    return false;
  }
  bool isFine = true;
  switch (step.code) {
  case Code::Compute:
  case Code::Constant:
  case Code::Neutral:
  case Code::Fold:
    isFine = checkOperation(step);
    break;
  case Code::Prefetch:
  case Code::GreatestOf:
  case Code::SmallestOf:
  case Code::Load:
  case Code::Store:
    isFine = checkBuffer(step);
    break;
  case Code::Barrier:
    isFine = checkBarrier(step);
    break;
  case Code::Carried:
  case Code::Next:
  case Code::Last:
    isFine = checkCarry(id, step);
    break;
  case Code::Exchange:
    isFine = checkExchange(step);
    break;
  default:
    break;
  }
  if (step.opensScope()) {
    open.push_back(id);
  }
  isVisible[id] = true;
  return isFine;
}

bool verify(const Kernel &kernel, std::string &why) {
  return Verifier(kernel, why).run();
}

} // namespace xla::kernel
