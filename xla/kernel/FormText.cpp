//===- FormText.cpp - The text of a kernel, written and read --------------===//

#include "xla/kernel/Form.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace xla::kernel {

static constexpr llvm::StringLiteral memoryNames[] = {
    "argument", "result", "arena", "constant", "rows", "scratch"};
static constexpr llvm::StringLiteral scopeNames[] = {"thread", "block", "grid"};
static constexpr llvm::StringLiteral markNames[] = {"", "vector", "unroll"};
/// By `Code`; empty where a step is not written by its name alone.
static constexpr llvm::StringLiteral codeNames[] = {
    "parallel",
    "sequential",
    "rows",
    "",
    "loop",
    "when",
    "",
    "",
    "",
    "",
    "",
    "add",
    "subtract",
    "multiply",
    "divide",
    "remainder",
    "signed_divide",
    "signed_remainder",
    "least",
    "most",
    "unsigned_least",
    "index_of",
    "",
    "at_least",
    "at_most",
    "equal",
    "and",
    "constant",
    "zero",
    "neutral",
    "scalar",
    "load",
    "",
    "",
    "greatest",
    "smallest",
    "greatest_of",
    "smallest_of",
    "fold",
    "convert",
    "number_of",
    "part",
    "join",
    "choose",
    "carried",
    "",
    "last",
    "exchange",
};
static constexpr size_t codeCount = std::size(codeNames);
static_assert(codeCount == static_cast<size_t>(Code::Exchange) + 1);

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {

class Printer {
public:
  Printer(const Kernel &kernel, llvm::raw_ostream &out)
      : kernel(kernel), out(out), names(kernel.steps.size(), -1) {}
  void print();

private:
  void printBuffer(size_t number, const Buffer &buffer);
  void printStep(Id id, const Step &step);
  void printBody(Id id, const Step &step);
  void printOperation(mlir::Operation *op);
  void printOperand(Id id);
  void define(Id id) {
    names[id] = next++;
    out << '%' << names[id];
  }
  void printOperands(llvm::ArrayRef<Id> operands) {
    llvm::interleaveComma(operands, out, [&](Id id) { printOperand(id); });
  }

  const Kernel &kernel;
  llvm::raw_ostream &out;
  std::vector<int> names; ///< numbers in the text; indices and truths have none
  int next = 0;
  unsigned depth = 1;
};

} // namespace

void Printer::printOperand(Id id) {
  if (id < noId) {
    out << 'b' << -(id + 2);
    return;
  }
  const Step &step = kernel.steps[id];
  if (step.code == Code::Number) {
    out << step.number;
  } else if (step.code == Code::Truth) {
    out << (step.number ? "true" : "false");
  } else {
    out << '%' << names[id];
  }
}

void Printer::printBuffer(size_t number, const Buffer &buffer) {
  out << "  buffer b" << number << ' ' << name(buffer.type) << '[';
  llvm::interleave(buffer.shape, out, ",");
  out << "] " << memoryNames[buffer.memory];
  if (buffer.memory == Buffer::Scratch) {
    out << ' ' << scopeNames[static_cast<size_t>(buffer.scope)];
  } else {
    out << ' ' << buffer.number;
  }
  out << (buffer.isWritten ? " written\n" : "\n");
}

/// Its attributes, without those of code generation.
void Printer::printOperation(mlir::Operation *op) {
  llvm::SmallVector<mlir::NamedAttribute> attributes;
  llvm::copy_if(op->getAttrs(), std::back_inserter(attributes),
                [](mlir::NamedAttribute attribute) {
                  return !attribute.getName().strref().contains('.');
                });
  if (!attributes.empty()) {
    out << ' ' << mlir::DictionaryAttr::get(op->getContext(), attributes);
  }
}

void Printer::printBody(Id id, const Step &step) {
  switch (step.code) {
  case Code::Load:
    out << "load b" << step.number << '[';
    printOperands(step.operands);
    out << ']';
    return;
  case Code::Constant: {
    auto value = step.of->getAttrOfType<mlir::DenseElementsAttr>("value");
    out << "constant "
        << value.resizeSplat(
               mlir::RankedTensorType::get({}, value.getElementType()));
    return;
  }
  case Code::Compute:
    out << step.of->getName() << ' ';
    printOperands(step.operands);
    printOperation(step.of);
    break;
  case Code::GreatestOf:
  case Code::SmallestOf:
    out << codeNames[static_cast<size_t>(step.code)] << " b" << step.number
        << '[';
    printOperand(step.operands[0]);
    out << "], " << step.least << " from ";
    printOperand(step.operands[1]);
    out << " to ";
    printOperand(step.operands[2]);
    return;
  case Code::Neutral:
    out << "neutral " << step.of->getName();
    break;
  case Code::Fold:
    out << "fold " << step.of->getName() << ' ';
    printOperands(step.operands);
    out << (step.number ? " in any order" : "");
    break;
  case Code::Scalar:
    out << "scalar " << step.number;
    break;
  default:
    out << codeNames[static_cast<size_t>(step.code)];
    if (!step.operands.empty()) {
      out << ' ';
      printOperands(step.operands);
    }
    if (step.code == Code::OfIndex) {
      out << " below " << step.number;
    } else if (step.code == Code::Exchange) {
      out << " across " << step.number;
    }
    break;
  }
  if (step.isElement()) {
    out << " : " << name(step.type);
  }
}

void Printer::printStep(Id id, const Step &step) {
  if (step.code == Code::Number || step.code == Code::Truth ||
      step.code == Code::RangeEnd) {
    return;
  }
  depth -= step.code == Code::End;
  out.indent(2 * depth);
  switch (step.code) {
  case Code::Parallel:
  case Code::Sequential:
  case Code::OfRows:
    out << codeNames[static_cast<size_t>(step.code)] << ' ';
    define(id);
    out << " to ";
    define(id + 1);
    out << " of " << step.number;
    if (step.least) {
      out << " grain " << step.least;
    }
    out << " {\n";
    break;
  case Code::Loop:
    out << "loop ";
    define(id);
    out << " from ";
    printOperand(step.operands[0]);
    out << " to ";
    printOperand(step.operands[1]);
    if (step.number > step.least) {
      out << " within " << step.least << ".." << step.number;
    }
    if (step.mark != Mark::None) {
      out << ' ' << markNames[static_cast<size_t>(step.mark)];
    }
    out << " {\n";
    break;
  case Code::When:
    out << "when ";
    printOperands(step.operands);
    out << " {\n";
    break;
  case Code::End:
    out << "}\n";
    break;
  case Code::Barrier:
    out << "barrier " << scopeNames[static_cast<size_t>(step.scope)] << '\n';
    break;
  case Code::Call:
    out << "call @" << step.entry << '(';
    printOperands(step.operands);
    out << ")\n";
    break;
  case Code::Prefetch:
    out << "prefetch b" << step.number << '[';
    printOperands(step.operands);
    out << "], " << step.least << '\n';
    break;
  case Code::Next:
    out << "next ";
    printOperands(step.operands);
    out << '\n';
    break;
  case Code::Store:
    out << "store b" << step.number << '[';
    printOperand(step.operands[0]);
    out << "], ";
    printOperand(step.operands[1]);
    out << '\n';
    break;
  default:
    define(id);
    out << " = ";
    printBody(id, step);
    out << '\n';
    break;
  }
  depth += step.opensScope();
}

void Printer::print() {
  out << "kernel @" << kernel.name << " {\n";
  for (auto [i, buffer] : llvm::enumerate(kernel.buffers)) {
    printBuffer(i, buffer);
  }
  for (auto [i, step] : llvm::enumerate(kernel.steps)) {
    printStep(static_cast<Id>(i), step);
  }
  out << "}\n";
}

void Kernel::print(llvm::raw_ostream &out) const {
  Printer(*this, out).print();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// A recursive descent over lines: each line is one step.
class Parser {
public:
  Parser(llvm::StringRef text, mlir::MLIRContext &context, Kernel &kernel,
         std::string &why)
      : rest(text), context(context), kernel(kernel), why(why) {}
  bool parse();

private:
  bool fail(const llvm::Twine &what) {
    if (why.empty()) {
      why = ("line " + llvm::Twine(line) + ": " + what).str();
    }
    return false;
  }
  void skip() {
    rest = rest.ltrim(" \t");
    if (rest.starts_with("//")) {
      rest = rest.drop_until([](char c) { return c == '\n'; });
    }
  }
  bool takes(llvm::StringRef token) {
    skip();
    return rest.consume_front(token);
  }
  bool expect(llvm::StringRef token) {
    return takes(token) || fail("'" + token + "' is expected");
  }
  llvm::StringRef word() {
    skip();
    llvm::StringRef found = rest.take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
    rest = rest.drop_front(found.size());
    return found;
  }
  bool number(int64_t &value) {
    skip();
    return !rest.consumeInteger(10, value) || fail("a number is expected");
  }
  /// The position of a word in a table of names.
  template <typename Enum>
  bool oneOf(llvm::ArrayRef<llvm::StringLiteral> names, Enum &value) {
    llvm::StringRef found = word();
    const auto *at = llvm::find(names, found);
    value = static_cast<Enum>(at - names.begin());
    return at != names.end() || fail("'" + found + "' is not known");
  }
  bool endLine() {
    skip();
    if (!rest.empty() && !rest.consume_front("\n")) {
      return fail("the line goes on after its end");
    }
    ++line;
    return true;
  }
  void skipLines() {
    for (skip(); rest.consume_front("\n"); skip()) {
      ++line;
    }
  }
  bool elementType(ElementType &type);
  bool buffer();
  bool bufferName(int64_t &number);
  bool define(Id id);
  bool operand(Id &id);
  bool operands(Step &step, llvm::StringRef end);
  bool axis(Code code);
  bool loop();
  bool store();
  bool prefetch();
  bool call();
  bool value();
  bool valueOf(llvm::StringRef name, Step &step);
  mlir::Attribute attribute();
  bool constant(Step &step);
  bool scalar(Step &step);
  bool ofRow(Step &step);
  bool fold(Step &step);
  mlir::Block &operationsOf() {
    if (!kernel.operations) {
      kernel.operations = std::make_shared<mlir::Block>();
    }
    return *kernel.operations;
  }
  bool operation(llvm::StringRef name, Step &step);
  bool create(const mlir::OperationState &state, Step &step);
  bool statement();

  llvm::StringRef rest;
  mlir::MLIRContext &context;
  Kernel &kernel;
  std::string &why;
  unsigned line = 1;
  llvm::StringMap<Id> values;
  llvm::DenseMap<int64_t, mlir::Value> scalars; ///< by number
  llvm::StringMap<int64_t> buffers;
};

} // namespace

bool Parser::elementType(ElementType &type) {
  skip();
  for (int i = 1; i <= static_cast<int>(ElementType::F4E2M1FN); ++i) {
    if (static_cast<ElementType>(i) == ElementType::Token) {
      continue; // has no elements
    }
    llvm::StringRef known = name(static_cast<ElementType>(i));
    llvm::StringRef after = rest;
    if (after.consume_front(known) &&
        (after.empty() || !llvm::isAlnum(after.front()))) {
      type = static_cast<ElementType>(i);
      rest = after;
      return true;
    }
  }
  return fail("an element type is expected");
}

bool Parser::buffer() {
  Buffer buffer;
  llvm::StringRef name = word();
  if (!elementType(buffer.type) || !expect("[")) {
    return false;
  }
  while (!takes("]")) {
    int64_t size = 0;
    if ((!buffer.shape.empty() && !expect(",")) || !number(size)) {
      return false;
    }
    buffer.shape.push_back(size);
  }
  if (!oneOf(memoryNames, buffer.memory) ||
      !(buffer.memory == Buffer::Scratch ? oneOf(scopeNames, buffer.scope)
                                         : number(buffer.number))) {
    return false;
  }
  buffer.isWritten = takes("written");
  buffers[name] = static_cast<int64_t>(kernel.buffers.size());
  kernel.buffers.push_back(std::move(buffer));
  return true;
}

bool Parser::bufferName(int64_t &number) {
  llvm::StringRef name = word();
  auto found = buffers.find(name);
  number = found == buffers.end() ? -1 : found->second;
  return number >= 0 || fail("there is no buffer '" + name + "'");
}

bool Parser::define(Id id) {
  if (!expect("%")) {
    return false;
  }
  llvm::StringRef name = word();
  values[name] = id;
  return !name.empty() || fail("a name is expected");
}

bool Parser::operand(Id &id) {
  if (takes("%")) {
    llvm::StringRef name = word();
    auto found = values.find(name);
    id = found == values.end() ? noId : found->second;
    return id >= 0 || fail("there is no value '%" + name + "'");
  }
  Step step = {Code::Number};
  if (takes("true") || rest.starts_with("false")) {
    step.code = Code::Truth;
    step.number = !takes("false");
  } else if (!number(step.number)) {
    return false;
  }
  id = kernel.add(step);
  return true;
}

bool Parser::operands(Step &step, llvm::StringRef end) {
  while (true) {
    skip();
    if (rest.empty() || rest.starts_with(end)) {
      return true;
    }
    if (!step.operands.empty() && !takes(",")) {
      return true;
    }
    if (!operand(step.operands.emplace_back())) {
      return false;
    }
  }
}

bool Parser::axis(Code code) {
  Step step = {code};
  auto id = static_cast<Id>(kernel.steps.size());
  if (!define(id) || !expect("to") || !define(id + 1) || !expect("of") ||
      !number(step.number) || (takes("grain") && !number(step.least))) {
    return false;
  }
  kernel.add(step);
  kernel.add({Code::RangeEnd});
  return expect("{");
}

bool Parser::loop() {
  Step step = {Code::Loop};
  step.operands.resize(2);
  if (!expect("%")) {
    return false;
  }
  llvm::StringRef name = word();
  if (!expect("from") || !operand(step.operands[0]) || !expect("to") ||
      !operand(step.operands[1]) ||
      (takes("within") &&
       (!number(step.least) || !expect("..") || !number(step.number)))) {
    return false;
  }
  step.mark = takes("vector")   ? Mark::Vector
              : takes("unroll") ? Mark::Unroll
                                : Mark::None;
  values[name] = kernel.add(step);
  return expect("{");
}

bool Parser::store() {
  Step step = {Code::Store};
  step.operands.resize(2);
  if (!bufferName(step.number) || !expect("[") || !operand(step.operands[0]) ||
      !expect("]") || !expect(",") || !operand(step.operands[1])) {
    return false;
  }
  kernel.add(step);
  return true;
}

bool Parser::prefetch() {
  Step step = {Code::Prefetch};
  if (!bufferName(step.number) || !expect("[") ||
      !operand(step.operands.emplace_back()) || !expect("]") || !expect(",") ||
      !number(step.least)) {
    return false;
  }
  kernel.add(step);
  return true;
}

bool Parser::call() {
  Step step = {Code::Call};
  if (!expect("@")) {
    return false;
  }
  step.entry = word();
  if (!expect("(")) {
    return false;
  }
  while (!takes(")")) {
    if (!step.operands.empty() && !expect(",")) {
      return false;
    }
    skip();
    int64_t number = 0;
    if (!rest.empty() && llvm::isAlpha(rest.front())) {
      if (!bufferName(number)) {
        return false;
      }
      step.operands.push_back(static_cast<Id>(-(number + 2)));
    } else if (!operand(step.operands.emplace_back())) {
      return false;
    }
  }
  kernel.add(step);
  return true;
}

/// The scalar type of a tensor's elements.
static mlir::RankedTensorType scalarOf(ElementType type,
                                       mlir::MLIRContext &context) {
  std::string text(name(type));
  if (type == ElementType::Pred) {
    text = "i1";
  } else if (isComplex(type)) {
    text = "complex<" + std::string(name(partOf(type))) + ">";
  } else if (isInteger(type)) {
    text = (isSignedInteger(type) ? "i" : "ui") + text.substr(1);
  } else if (isFloat(type) && bitWidth(type) <= 8) {
    text = "f" + llvm::StringRef(text).drop_front().upper();
  }
  return mlir::RankedTensorType::get({}, mlir::parseType(text, &context));
}

/// One of MLIR's, which ends within the line; null if there is none.
mlir::Attribute Parser::attribute() {
  skip();
  size_t read = 0;
  mlir::Attribute parsed = mlir::parseAttribute(
      rest.take_until([](char c) { return c == '\n'; }), &context, {}, &read);
  rest = rest.drop_front(parsed ? read : 0);
  return parsed;
}

/// An operation on scalars of the operands' types, that belongs to the kernel.
bool Parser::operation(llvm::StringRef name, Step &step) {
  if (!mlir::RegisteredOperationName::lookup(name, &context)) {
    return fail("there is no operation '" + name + "'");
  }
  if (!operands(step, "{")) {
    return false;
  }
  mlir::NamedAttrList attributes;
  if (rest.starts_with("{")) {
    auto dictionary = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(attribute());
    if (!dictionary) {
      return fail("attributes are expected");
    }
    attributes.append(dictionary.begin(), dictionary.end());
  }
  if (!expect(":") || !elementType(step.type)) {
    return false;
  }
  mlir::Location location = mlir::UnknownLoc::get(&context);
  mlir::OperationState state(location, name);
  for (Id id : step.operands) {
    if (!kernel.steps[id].isElement()) {
      return fail("an operand is no element");
    }
    state.addOperands(operationsOf().addArgument(
        scalarOf(kernel.steps[id].type, context), location));
  }
  state.addAttributes(attributes);
  state.addTypes(scalarOf(step.type, context));
  return create(state, step);
}

/// Makes the operation of a step, if there can be such a one.
bool Parser::create(const mlir::OperationState &state, Step &step) {
  step.of = mlir::Operation::create(state);
  operationsOf().push_back(step.of);
  std::string found;
  mlir::ScopedDiagnosticHandler faults(&context, [&](mlir::Diagnostic &fault) {
    found = fault.str();
    return mlir::success();
  });
  return mlir::succeeded(mlir::verify(step.of)) || fail(found);
}

bool Parser::constant(Step &step) {
  auto value = llvm::dyn_cast_or_null<mlir::DenseElementsAttr>(attribute());
  if (!value || value.getType().getRank() != 0) {
    return fail("a scalar is expected");
  }
  mlir::OperationState state(mlir::UnknownLoc::get(&context),
                             "stablehlo.constant");
  state.addAttribute("value", value);
  state.addTypes(value.getType());
  step.type = elementTypeOf(value.getElementType());
  step.of = mlir::Operation::create(state);
  operationsOf().push_back(step.of);
  return true;
}

/// A scalar of the program, for which an argument of the kernel's operations
/// stands.
bool Parser::scalar(Step &step) {
  if (!number(step.number) || !expect(":") || !elementType(step.type)) {
    return false;
  }
  mlir::Value &value = scalars[step.number];
  if (!value) {
    value = operationsOf().addArgument(scalarOf(step.type, context),
                                       mlir::UnknownLoc::get(&context));
  }
  step.value = value;
  return true;
}

/// An extreme of elements of a row in memory.
bool Parser::ofRow(Step &step) {
  step.operands.resize(3);
  if (!bufferName(step.number) || !expect("[") || !operand(step.operands[0]) ||
      !expect("]") || !expect(",") || !number(step.least) || !expect("from") ||
      !operand(step.operands[1]) || !expect("to") ||
      !operand(step.operands[2])) {
    return false;
  }
  step.type = kernel.buffers[step.number].type;
  return true;
}

/// A fold, or its neutral element. For the operation, one on arguments of the
/// kernel's operations stands.
bool Parser::fold(Step &step) {
  llvm::StringRef name = word();
  if (!mlir::RegisteredOperationName::lookup(name, &context)) {
    return fail("there is no operation '" + name + "'");
  }
  if (step.code == Code::Fold) {
    if (!operands(step, ":")) {
      return false;
    }
    step.number = takes("in any order");
  }
  if (!expect(":") || !elementType(step.type)) {
    return false;
  }
  mlir::Location location = mlir::UnknownLoc::get(&context);
  mlir::OperationState state(location, name);
  mlir::RankedTensorType type = scalarOf(step.type, context);
  state.addOperands({operationsOf().addArgument(type, location),
                     operationsOf().addArgument(type, location)});
  state.addTypes(type);
  return create(state, step);
}

bool Parser::valueOf(llvm::StringRef name, Step &step) {
  const auto *known = llvm::find(codeNames, name);
  if (name.contains('.')) {
    step.code = Code::Compute;
    return operation(name, step);
  }
  if (name.empty() || known == std::end(codeNames)) {
    return fail("'" + name + "' is not known");
  }
  step.code = static_cast<Code>(known - std::begin(codeNames));
  switch (step.code) {
  case Code::Constant:
    return constant(step);
  case Code::Load:
    if (!bufferName(step.number) || !expect("[") ||
        !operand(step.operands.emplace_back()) || !expect("]")) {
      return false;
    }
    step.type = kernel.buffers[step.number].type;
    return true;
  case Code::Scalar:
    return scalar(step);
  case Code::GreatestOf:
  case Code::SmallestOf:
    return ofRow(step);
  case Code::Neutral:
  case Code::Fold:
    return fold(step);
  case Code::Zero:
    return expect(":") && elementType(step.type);
  case Code::Parallel:
  case Code::Sequential:
  case Code::OfRows:
  case Code::Loop:
  case Code::When:
    return fail("'" + name + "' gives no value");
  default:
    break;
  }
  return operands(step, ":") &&
         (step.code != Code::OfIndex ||
          (expect("below") && number(step.number))) &&
         (step.code != Code::Exchange ||
          (expect("across") && number(step.number))) &&
         (!takes(":") || elementType(step.type));
}

bool Parser::value() {
  if (!expect("%")) {
    return false;
  }
  llvm::StringRef name = word();
  Step step = {Code::Zero};
  if (!expect("=") || !valueOf(word(), step)) {
    return false;
  }
  values[name] = kernel.add(std::move(step));
  return true;
}

bool Parser::statement() {
  skip();
  if (rest.starts_with("%")) {
    return value();
  }
  llvm::StringRef name = word();
  if (name == "parallel" || name == "sequential" || name == "rows") {
    return axis(name == "parallel"     ? Code::Parallel
                : name == "sequential" ? Code::Sequential
                                       : Code::OfRows);
  }
  if (name == "loop") {
    return loop();
  }
  if (name == "store") {
    return store();
  }
  if (name == "prefetch") {
    return prefetch();
  }
  if (name == "call") {
    return call();
  }
  if (name == "next") {
    Step step = {Code::Next};
    bool isRead = operands(step, "}");
    kernel.add(step);
    return isRead;
  }
  if (name == "when") {
    Step step = {Code::When};
    if (!operand(step.operands.emplace_back())) {
      return false;
    }
    kernel.add(step);
    return expect("{");
  }
  if (name == "barrier") {
    Step step = {Code::Barrier};
    if (!oneOf(scopeNames, step.scope)) {
      return false;
    }
    kernel.add(step);
    return true;
  }
  return fail("'" + name + "' is not known");
}

bool Parser::parse() {
  skipLines();
  if (!expect("kernel") || !expect("@")) {
    return false;
  }
  kernel.name = word().str();
  if (!expect("{") || !endLine()) {
    return false;
  }
  for (int depth = 1; depth > 0;) {
    skipLines();
    if (rest.empty()) {
      return fail("the kernel does not end");
    }
    if (takes("}")) {
      if (--depth > 0) {
        kernel.add({Code::End});
      }
    } else if (takes("buffer ")) {
      if (!buffer()) {
        return false;
      }
    } else {
      size_t before = kernel.steps.size();
      if (!statement()) {
        return false;
      }
      depth += kernel.steps.size() > before &&
               (kernel.steps.back().opensScope() ||
                kernel.steps.back().code == Code::RangeEnd);
    }
    if (!endLine()) {
      return false;
    }
  }
  skipLines();
  return rest.empty() || fail("something follows the kernel");
}

bool parseKernel(llvm::StringRef text, mlir::MLIRContext &context,
                 Kernel &kernel, std::string &why) {
  why.clear();
  return Parser(text, context, kernel, why).parse() && verify(kernel, why);
}

} // namespace xla::kernel
