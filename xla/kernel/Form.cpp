//===- Form.cpp - What must hold of a kernel ------------------------------===//

#include "xla/kernel/Form.h"

#include "llvm/ADT/STLExtras.h"

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

/// What operands a step has: 'i' an index, 'c' a condition, 'e' an element.
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
    return "e";
  case Code::Load:
  case Code::OfIndex:
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

class Verifier {
public:
  Verifier(const Kernel &kernel, std::string &why) : kernel(kernel), why(why) {}

  bool run() {
    isVisible.assign(kernel.steps.size(), false);
    for (Id id = 0; id < static_cast<Id>(kernel.steps.size()); ++id) {
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
  bool checkOperands(const Step &step);
  bool checkBuffer(const Step &step);

  const Kernel &kernel;
  std::string &why;
  std::vector<bool> isVisible;
  llvm::SmallVector<Id> open; ///< the steps whose scopes are not closed
};

} // namespace

bool Verifier::checkOperands(const Step &step) {
  llvm::StringRef kinds = operandsOf(step);
  bool isAnyNumber = step.code == Code::Compute || step.code == Code::Join ||
                     step.code == Code::Call;
  if (!isAnyNumber && step.operands.size() != kinds.size()) {
    return fail("a step has " + llvm::Twine(step.operands.size()) +
                " operands and needs " + llvm::Twine(kinds.size()));
  }
  if (step.code == Code::Compute &&
      (!step.of || step.of->getNumOperands() != step.operands.size())) {
    return fail("an operation has another number of operands");
  }
  for (auto [i, id] : llvm::enumerate(step.operands)) {
    if (step.code == Code::Call && id < noId) {
      continue; // a buffer
    }
    if (id < 0 || id >= static_cast<Id>(isVisible.size()) || !isVisible[id]) {
      return fail("an operand is not computed where it is used");
    }
    const Step &operand = kernel.steps[id];
    char kind = step.code == Code::Call ? 'i' : isAnyNumber ? 'e' : kinds[i];
    if (!(kind == 'i'   ? operand.isIndex()
          : kind == 'c' ? operand.isCondition()
                        : operand.isElement())) {
      return fail("operand " + llvm::Twine(i) + " is not " +
                  (kind == 'i'   ? "an index"
                   : kind == 'c' ? "a condition"
                                 : "an element"));
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
  bool isStore = step.code == Code::Store;
  if (isStore && !buffer.isWritten) {
    return fail("a buffer that is only read is written");
  }
  ElementType type = isStore ? kernel.steps[step.operands[1]].type : step.type;
  return type == buffer.type || fail("a buffer has elements of another type");
}

bool Verifier::visit(Id id, const Step &step) {
  if (step.code == Code::End) {
    if (open.empty()) {
      return fail("there is no scope to close");
    }
    for (Id inner = open.pop_back_val(); inner < id; ++inner) {
      Code code = kernel.steps[inner].code; // numbers have no scope
      isVisible[inner] = code == Code::Number || code == Code::Truth;
    }
    return true;
  }
  if (!checkOperands(step)) {
    return false;
  }
  bool isAxis = step.code <= Code::OfRows;
  bool hasEnd = id + 1 < static_cast<Id>(kernel.steps.size()) &&
                kernel.steps[id + 1].code == Code::RangeEnd;
  bool isEnd = step.code == Code::RangeEnd;
  if (isAxis != hasEnd ||
      (isEnd && (id == 0 || kernel.steps[id - 1].code > Code::OfRows))) {
    return fail("an axis has no end, or an end no axis");
  }
  if ((step.code == Code::Load || step.code == Code::Store) &&
      !checkBuffer(step)) {
    return false;
  }
  if (step.code == Code::Barrier && step.scope != Scope::Thread &&
      llvm::any_of(open, [&](Id outer) {
        return kernel.steps[outer].code == Code::When;
      })) {
    return fail("not all members come to a barrier under a condition");
  }
  if (step.opensScope()) {
    open.push_back(id);
  }
  isVisible[id] = true;
  return true;
}

bool verify(const Kernel &kernel, std::string &why) {
  return Verifier(kernel, why).run();
}

} // namespace xla::kernel
