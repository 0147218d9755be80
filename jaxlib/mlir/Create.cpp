//===- Create.cpp - Making operations -------------------------------------===//

#include "jaxlib/mlir/Create.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

namespace jaxlib::mlir_python {

//===----------------------------------------------------------------------===//
// Reading the parts
//===----------------------------------------------------------------------===//

/// Calls `each` on the elements of a list, tuple, or other iterable.
template <typename Each>
static void forEach(py::handle sequence, const Each &each) {
  if (sequence.is_none()) {
    return;
  }
  if (PyList_Check(sequence.ptr()) || PyTuple_Check(sequence.ptr())) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence.ptr()); ++i) {
      each(py::handle(PySequence_Fast_GET_ITEM(sequence.ptr(), i)));
    }
    return;
  }
  for (py::handle item : py::reinterpret_borrow<py::object>(sequence)) {
    each(item);
  }
}

static void requireContext(mlir::MLIRContext *found,
                           const mlir::OperationState &state) {
  if (found != state.getContext()) {
    throw py::value_error("the parts of operation '" +
                          state.name.getStringRef().str() +
                          "' belong to different contexts");
  }
}

static void addRelated(llvm::SmallVectorImpl<TreeRef> &related,
                       const TreeRef &tree) {
  // Operands almost always come from one tree.
  if (related.empty() || &related.back().get() != &tree.get()) {
    related.push_back(tree);
  }
}

static void addOperand(py::handle item, mlir::OperationState &state,
                       llvm::SmallVectorImpl<TreeRef> &related) {
  std::optional<PyValue> storage;
  const PyValue *value = asValue(item, storage);
  if (!value) {
    raiseTypeError("the operands to be values", item);
  }
  state.operands.push_back(value->get());
  requireContext(state.operands.back().getContext(), state);
  addRelated(related, value->tree);
}

static void addResultType(py::handle item, mlir::OperationState &state) {
  if (!py::isinstance<PyType>(item)) {
    raiseTypeError("the results to be types", item);
  }
  state.addTypes(item.cast<PyType &>().type);
  requireContext(state.types.back().getContext(), state);
}

static void addAttributes(py::handle attributes, mlir::OperationState &state) {
  if (attributes.is_none()) {
    return;
  }
  if (!PyDict_Check(attributes.ptr())) {
    raiseTypeError("the attributes to be a dict", attributes);
  }
  Py_ssize_t position = 0;
  PyObject *key, *item;
  while (PyDict_Next(attributes.ptr(), &position, &key, &item)) {
    Py_ssize_t size;
    const char *name =
        PyUnicode_Check(key) ? PyUnicode_AsUTF8AndSize(key, &size) : nullptr;
    if (!name) {
      raiseTypeError("the names of attributes to be str", key);
    }
    if (!py::isinstance<PyAttribute>(item)) {
      raiseTypeError("attribute '" + std::string(name) + "' to be an Attribute",
                     item);
    }
    mlir::Attribute attribute =
        py::handle(item).cast<PyAttribute &>().attribute;
    requireContext(attribute.getContext(), state);
    state.addAttribute(llvm::StringRef(name, static_cast<size_t>(size)),
                       attribute);
  }
}

static void addSuccessors(py::handle successors, mlir::OperationState &state,
                          llvm::SmallVectorImpl<TreeRef> &related) {
  forEach(successors, [&](py::handle item) {
    auto &block = item.cast<PyBlock &>();
    state.addSuccessors(block.get());
    addRelated(related, block.tree);
  });
}

//===----------------------------------------------------------------------===//
// Inferring result types
//===----------------------------------------------------------------------===//

/// Whether there are as many operands as the operation's traits ask for: the
/// inference itself takes that for granted.
static bool hasEnoughOperands(mlir::OperationName name, size_t count) {
  using namespace mlir::OpTrait;
  if (name.hasTrait<ZeroOperands>()) {
    return count == 0;
  }
  if (name.hasTrait<OneOperand>()) {
    return count == 1;
  }
  if (name.hasTrait<NOperands<2>::Impl>()) {
    return count == 2;
  }
  if (name.hasTrait<NOperands<3>::Impl>()) {
    return count == 3;
  }
  if (name.hasTrait<NOperands<4>::Impl>()) {
    return count == 4;
  }
  if (name.hasTrait<NOperands<5>::Impl>()) {
    return count == 5;
  }
  if (name.hasTrait<AtLeastNOperands<1>::Impl>()) {
    return count >= 1;
  }
  if (name.hasTrait<AtLeastNOperands<2>::Impl>()) {
    return count >= 2;
  }
  return true;
}

static unsigned numResultsOf(mlir::OperationName name) {
  using namespace mlir::OpTrait;
  if (name.hasTrait<OneResult>()) {
    return 1;
  }
  if (name.hasTrait<NResults<2>::Impl>()) {
    return 2;
  }
  return name.hasTrait<NResults<3>::Impl>() ? 3 : 0;
}

/// Raises unless attributes and operands are what the operation declares: the
/// inference takes that for granted. Asks the verifier about a stand-in whose
/// results alone are wrong.
static void requireInferable(const mlir::OperationState &state,
                             DiagnosticCapture &capture) {
  if (state.name.hasTrait<mlir::OpTrait::SameOperandsAndResultType>() &&
      !state.operands.empty()) {
    return;
  }
  mlir::OperationState standIn(state.location, state.name);
  standIn.addOperands(state.operands);
  standIn.attributes = state.attributes;
  standIn.addTypes(llvm::SmallVector<mlir::Type>(
      numResultsOf(state.name), mlir::NoneType::get(state.getContext())));
  for (size_t i = 0; i < state.regions.size(); ++i) {
    standIn.addRegion();
  }
  mlir::Operation *op = mlir::Operation::create(standIn);
  mlir::LogicalResult verified = state.name.verifyInvariants(op);
  op->destroy();
  std::string message = capture.firstMessage();
  bool isAboutResults = message.find(" op result #") != std::string::npos ||
                        message.find(" op region #") != std::string::npos;
  if (mlir::failed(verified) && !isAboutResults) {
    capture.raise("Failed to infer the result types of '" +
                  state.name.getStringRef().str() + "'");
  }
  capture.forget();
}

static void inferResultTypes(const ContextRef &context,
                             mlir::OperationState &state) {
  mlir::OperationName name = state.name;
  auto *interface = name.getInterface<mlir::InferTypeOpInterface>();
  if (!interface) {
    throw py::value_error("the result types of '" + name.getStringRef().str() +
                          "' cannot be inferred; give them as results=");
  }
  if (!hasEnoughOperands(name, state.operands.size())) {
    throw py::value_error("'" + name.getStringRef().str() + "' does not take " +
                          std::to_string(state.operands.size()) + " operands");
  }
  DiagnosticCapture capture(context);
  requireInferable(state, capture);
  auto attributes = state.attributes.getDictionary(&context->context);
  std::unique_ptr<char[]> storage;
  mlir::OpaqueProperties properties(nullptr);
  if (int size = name.getOpPropertyByteSize()) {
    storage = std::make_unique<char[]>(static_cast<size_t>(size));
    properties = mlir::OpaqueProperties(storage.get());
    name.initOpProperties(properties, mlir::OpaqueProperties(nullptr));
    auto report = [&] { return mlir::emitError(state.location); };
    if (mlir::failed(name.setOpPropertiesFromAttribute(name, properties,
                                                       attributes, report))) {
      name.destroyOpProperties(properties);
      capture.raise("Failed to read the attributes of '" +
                    name.getStringRef().str() + "'");
    }
  }
  llvm::SmallVector<mlir::Type> types;
  mlir::RegionRange regions(state.regions);
  mlir::LogicalResult done = interface->inferReturnTypes(
      &context->context, state.location, state.operands, attributes, properties,
      regions, types);
  if (storage) {
    name.destroyOpProperties(properties);
  }
  if (mlir::failed(done)) {
    capture.raise("Failed to infer the result types of '" +
                  name.getStringRef().str() + "'");
  }
  state.addTypes(types);
}

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

/// What the location, types and attributes of an operation take, where another
/// has not the same.
static constexpr size_t operationBytes = 256;

PyOperation adopt(const ContextRef &context, mlir::Operation *op,
                  const std::optional<PyInsertionPoint> &point,
                  llvm::ArrayRef<TreeRef> related) {
  context->keeps(operationBytes);
  TreeRef tree;
  if (point) {
    tree = point->block.tree;
    try {
      point->insert(op, tree);
    } catch (...) {
      op->destroy();
      throw;
    }
  } else {
    tree = Tree::make(context, op);
  }
  for (const TreeRef &other : related) {
    Tree::join(other, tree);
  }
  return PyOperation(tree, op);
}

static PyOperation finish(const ContextRef &context,
                          mlir::OperationState &state,
                          const std::optional<PyInsertionPoint> &point,
                          llvm::ArrayRef<TreeRef> related) {
  if (point && &point->block.context()->context != &context->context) {
    throw py::value_error(
        "the location and the insertion point belong to different contexts");
  }
  mlir::Operation *op = mlir::Operation::create(state);
  return adopt(context, op, point, related);
}

static void requireRegistered(const PyContext &context,
                              const mlir::OperationState &state) {
  auto &mutableContext = const_cast<mlir::MLIRContext &>(context.context);
  if (!state.name.isRegistered() &&
      !mutableContext.allowsUnregisteredDialects()) {
    throw py::value_error("no registered dialect has an operation '" +
                          state.name.getStringRef().str() +
                          "'; to build it all the same, set "
                          "context.allow_unregistered_dialects = True");
  }
}

namespace {
/// An operation in the making: where, for whom, and what is known of it.
struct Draft {
  Draft(const std::string &name, const py::object &loc, const py::object &ip)
      : location(resolveLocation(loc)), point(resolveInsertionPoint(ip)),
        state(location.location, name) {
    requireRegistered(*location.context, state);
  }

  PyLocation location;
  std::optional<PyInsertionPoint> point;
  llvm::SmallVector<TreeRef, 2> related; ///< the trees of its operands
  mlir::OperationState state;
};
} // namespace

PyOperation createOperation(const std::string &name,
                            const OperationParts &parts, const py::object &loc,
                            const py::object &ip) {
  Draft draft(name, loc, ip);
  auto &[location, point, related, state] = draft;
  forEach(parts.operands,
          [&](py::handle item) { addOperand(item, state, related); });
  addAttributes(parts.attributes, state);
  addSuccessors(parts.successors, state, related);
  for (unsigned i = 0; i < parts.numRegions; ++i) {
    state.addRegion();
  }
  if (parts.inferTypes) {
    inferResultTypes(location.context, state);
  } else {
    forEach(parts.results,
            [&](py::handle item) { addResultType(item, state); });
  }
  return finish(location.context, state, point, related);
}

//===----------------------------------------------------------------------===//
// From generated classes
//===----------------------------------------------------------------------===//

/// Flattens groups by a specification: 1 is one element, 0 an optional one,
/// -1 a sequence. Without a specification, elements may still be sequences.
/// Returns the size of each group.
template <typename Add>
static std::vector<int32_t> addGroups(py::handle groups,
                                      const py::object &specification,
                                      const char *what, const Add &add) {
  std::vector<int32_t> sizes;
  std::vector<int64_t> kinds;
  if (!specification.is_none()) {
    kinds = integersFrom(specification, "a segment specification");
  }
  forEach(groups, [&](py::handle item) {
    size_t index = sizes.size();
    if (index >= kinds.size() && !kinds.empty()) {
      throw py::value_error(std::string("more ") + what +
                            " than the operation has");
    }
    bool isSequence =
        kinds.empty() ? PyList_Check(item.ptr()) || PyTuple_Check(item.ptr())
                      : kinds[index] == -1;
    if (item.is_none()) {
      if (!kinds.empty() && kinds[index] == 1) {
        throw py::value_error(std::string("a required one of the ") + what +
                              " is None");
      }
      sizes.push_back(0);
    } else if (isSequence) {
      int32_t size = 0;
      forEach(item, [&](py::handle element) {
        add(element);
        ++size;
      });
      sizes.push_back(size);
    } else {
      add(item);
      sizes.push_back(1);
    }
  });
  return sizes;
}

static unsigned numRegionsFrom(const py::tuple &specification,
                               const py::object &given) {
  auto minimum = specification[0].cast<unsigned>();
  bool isExact = specification[1].cast<bool>();
  unsigned count = given.is_none() ? minimum : given.cast<unsigned>();
  if (count < minimum || (isExact && count != minimum)) {
    throw py::value_error("the operation has " + std::to_string(minimum) +
                          " regions, not " + std::to_string(count));
  }
  return count;
}

PyOperation createFromOds(const std::string &name, const py::tuple &regionSpec,
                          const py::object &operandSpec,
                          const py::object &resultSpec,
                          const py::object &results, const py::object &operands,
                          const py::object &attributes,
                          const py::object &successors,
                          const py::object &regions, const py::object &loc,
                          const py::object &ip) {
  Draft draft(name, loc, ip);
  auto &[location, point, related, state] = draft;
  mlir::Builder builder(&location.context->context);
  std::vector<int32_t> operandSizes =
      addGroups(operands, operandSpec, "operands",
                [&](py::handle item) { addOperand(item, state, related); });
  addAttributes(attributes, state);
  if (!operandSpec.is_none()) {
    state.addAttribute("operandSegmentSizes",
                       builder.getDenseI32ArrayAttr(operandSizes));
  }
  addSuccessors(successors, state, related);
  for (unsigned i = 0, e = numRegionsFrom(regionSpec, regions); i < e; ++i) {
    state.addRegion();
  }
  if (results.is_none()) {
    inferResultTypes(location.context, state);
  } else {
    std::vector<int32_t> resultSizes =
        addGroups(results, resultSpec, "results",
                  [&](py::handle item) { addResultType(item, state); });
    if (!resultSpec.is_none()) {
      state.addAttribute("resultSegmentSizes",
                         builder.getDenseI32ArrayAttr(resultSizes));
    }
  }
  return finish(location.context, state, point, related);
}

} // namespace jaxlib::mlir_python
