//===- Operations.cpp - Operations and modules ----------------------------===//

#include "jaxlib/mlir/Create.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

namespace jaxlib::mlir_python {

py::object toPython(const TreeRef &tree, mlir::Operation *op) {
  return py::cast(PyOperation(tree, op));
}

//===----------------------------------------------------------------------===//
// Classes of operations
//===----------------------------------------------------------------------===//

/// Operation name -> Python class; dialects fill it when they are imported.
static py::dict &operationClasses() {
  static auto *dict = new py::dict();
  return *dict;
}

/// Imports the module of a dialect, so that its classes are registered.
static py::object &dialectImporter() {
  static auto *object = new py::object(py::none());
  return *object;
}

py::object toOpView(const TreeRef &tree, mlir::Operation *op) {
  py::object name = py::str(op->getName().getStringRef().str());
  if (!operationClasses().contains(name) && !dialectImporter().is_none()) {
    dialectImporter()(op->getName().getDialectNamespace().str());
  }
  PyOperation operation(tree, op);
  if (!operationClasses().contains(name)) {
    return py::cast(PyOpView(operation));
  }
  py::object type = operationClasses()[name];
  py::object view = type.attr("__new__")(type);
  py::type::of<PyOpView>().attr("__init__")(view, operation);
  return view;
}

//===----------------------------------------------------------------------===//
// Attributes of an operation
//===----------------------------------------------------------------------===//

namespace {

struct AttributeMap {
  PyOperationBase operation;

  mlir::Attribute find(const std::string &name) const {
    return operation.get()->getAttr(name);
  }
  py::object wrap(mlir::Attribute attribute) const {
    return toPython(operation.context(), attribute);
  }
};

struct ResultList {
  PyOperationBase operation;
  std::vector<mlir::Value> values;
};
struct OperandList {
  PyOperationBase operation;
  size_t first;
  std::vector<mlir::Value> values;
};

} // namespace

static void bindAttributeMap(py::module_ &module) {
  py::class_<AttributeMap>(module, "OpAttributeMap")
      .def("__contains__",
           [](const AttributeMap &self, const std::string &name) {
             return static_cast<bool>(self.find(name));
           })
      .def("__len__",
           [](const AttributeMap &self) {
             return self.operation.get()->getAttrDictionary().size();
           })
      .def("__getitem__",
           [](const AttributeMap &self, const std::string &name) {
             mlir::Attribute found = self.find(name);
             if (!found) {
               throw py::key_error(
                   "attempt to access a non-existent attribute '" + name + "'");
             }
             return self.wrap(found);
           })
      .def("__getitem__",
           [](const AttributeMap &self, int64_t index) {
             auto entries =
                 self.operation.get()->getAttrDictionary().getValue();
             int64_t size = entries.size();
             index += index < 0 ? size : 0;
             if (index < 0 || index >= size) {
               throw py::index_error("attempt to access out-of-bounds "
                                     "attribute");
             }
             return PyNamedAttribute{
                 entries[index].getName().str(),
                 {self.operation.context(), entries[index].getValue()}};
           })
      .def("__setitem__",
           [](const AttributeMap &self, const std::string &name,
              const PyAttribute &attribute) {
             requireSameContext(attribute.attribute.getContext(),
                                &self.operation.context()->context);
             self.operation.get()->setAttr(name, attribute.attribute);
           })
      .def("__delitem__",
           [](const AttributeMap &self, const std::string &name) {
             if (!self.operation.get()->removeAttr(name)) {
               throw py::key_error("attempt to delete a non-existent "
                                   "attribute '" +
                                   name + "'");
             }
           })
      .def(
          "get",
          [](const AttributeMap &self, const std::string &name,
             const py::object &otherwise) {
            mlir::Attribute found = self.find(name);
            return found ? self.wrap(found) : otherwise;
          },
          py::arg("key"), py::arg("default") = py::none())
      .def("keys",
           [](const AttributeMap &self) {
             py::list list;
             for (auto entry : self.operation.get()->getAttrDictionary()) {
               list.append(entry.getName().str());
             }
             return list;
           })
      .def("values",
           [](const AttributeMap &self) {
             py::list list;
             for (auto entry : self.operation.get()->getAttrDictionary()) {
               list.append(self.wrap(entry.getValue()));
             }
             return list;
           })
      .def("items",
           [](const AttributeMap &self) {
             py::list list;
             for (auto entry : self.operation.get()->getAttrDictionary()) {
               list.append(py::make_tuple(entry.getName().str(),
                                          self.wrap(entry.getValue())));
             }
             return list;
           })
      .def("__iter__",
           [](py::object self) { return py::iter(self.attr("keys")()); });
}

//===----------------------------------------------------------------------===//
// Lists of results and operands
//===----------------------------------------------------------------------===//

static void bindResultList(py::module_ &module) {
  py::class_<ResultList>(module, "OpResultList")
      .def("__len__", [](const ResultList &self) { return self.values.size(); })
      .def("__getitem__",
           [](const ResultList &self, int64_t index) {
             int64_t size = self.values.size();
             index += index < 0 ? size : 0;
             if (index < 0 || index >= size) {
               throw py::index_error("result index out of range");
             }
             self.operation.get();
             return PyOpResult(self.operation.tree, self.values[index]);
           })
      .def("__getitem__",
           [](const ResultList &self, const py::slice &slice) {
             py::ssize_t start, stop, step, count;
             slice.compute(self.values.size(), &start, &stop, &step, &count);
             ResultList part{self.operation, {}};
             for (; count > 0; --count, start += step) {
               part.values.push_back(self.values[start]);
             }
             return part;
           })
      .def("__iter__",
           [](const ResultList &self) {
             self.operation.get();
             py::list list;
             for (mlir::Value value : self.values) {
               list.append(PyOpResult(self.operation.tree, value));
             }
             return py::iter(list);
           })
      .def("__add__",
           [](py::object self, const py::object &other) {
             return py::list(self) + py::list(other);
           })
      .def_property_readonly(
          "types",
          [](const ResultList &self) {
            self.operation.get();
            py::list list;
            for (mlir::Value value : self.values) {
              list.append(toPython(self.operation.context(), value.getType()));
            }
            return list;
          })
      .def_property_readonly("owner", [](const ResultList &self) {
        return toOpView(self.operation.tree, self.operation.get());
      });
}

static void bindOperandList(py::module_ &module) {
  py::class_<OperandList>(module, "OpOperandList")
      .def("__len__",
           [](const OperandList &self) { return self.values.size(); })
      .def("__getitem__",
           [](const OperandList &self, int64_t index) {
             int64_t size = self.values.size();
             index += index < 0 ? size : 0;
             if (index < 0 || index >= size) {
               throw py::index_error("operand index out of range");
             }
             self.operation.get();
             return toPython(self.operation.tree, self.values[index]);
           })
      .def("__getitem__",
           [](const OperandList &self, const py::slice &slice) {
             py::ssize_t start, stop, step, count;
             slice.compute(self.values.size(), &start, &stop, &step, &count);
             OperandList part{self.operation, self.first + start, {}};
             for (; count > 0; --count, start += step) {
               part.values.push_back(self.values[start]);
             }
             return part;
           })
      .def("__setitem__",
           [](OperandList &self, int64_t index, const PyValue &value) {
             int64_t size = self.values.size();
             index += index < 0 ? size : 0;
             mlir::Operation *op = self.operation.get();
             if (index < 0 || index >= size ||
                 self.first + index >= op->getNumOperands()) {
               throw py::index_error("operand index out of range");
             }
             mlir::Value with = value.get();
             requireSameContext(with.getContext(), op->getContext());
             Tree::join(self.operation.tree, value.tree);
             op->setOperand(self.first + index, with);
             self.values[index] = with;
           })
      .def("__iter__",
           [](const OperandList &self) {
             self.operation.get();
             py::list list;
             for (mlir::Value value : self.values) {
               list.append(toPython(self.operation.tree, value));
             }
             return py::iter(list);
           })
      .def("__add__", [](py::object self, const py::object &other) {
        return py::list(self) + py::list(other);
      });
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

namespace {

struct PrintOptions {
  py::object largeElementsLimit = py::none();
  bool enableDebugInfo = false;
  bool prettyDebugInfo = false;
  bool genericForm = false;
  bool useLocalScope = false;
  bool useNameLocAsPrefix = false;
  bool assumeVerified = false;
  bool skipRegions = false;
};

} // namespace

static std::string printToString(mlir::Operation *op,
                                 const PrintOptions &options) {
  mlir::OpPrintingFlags flags;
  if (!options.largeElementsLimit.is_none()) {
    flags.elideLargeElementsAttrs(options.largeElementsLimit.cast<int64_t>());
    flags.elideLargeResourceString(options.largeElementsLimit.cast<int64_t>());
  }
  if (options.enableDebugInfo) {
    flags.enableDebugInfo(true, options.prettyDebugInfo);
  }
  if (options.genericForm) {
    flags.printGenericOpForm();
  }
  if (options.useLocalScope) {
    flags.useLocalScope();
  }
  if (options.useNameLocAsPrefix) {
    flags.printNameLocAsPrefix();
  }
  if (options.skipRegions) {
    flags.skipRegions();
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream, flags);
  return text;
}

static py::bytes bytecodeOf(const PyOperationBase &operation,
                            const py::object &version) {
  mlir::BytecodeWriterConfig config;
  if (!version.is_none()) {
    config.setDesiredBytecodeVersion(version.cast<int64_t>());
  }
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  DiagnosticCapture capture(operation.context());
  if (mlir::failed(
          mlir::writeBytecodeToFile(operation.get(), stream, config))) {
    capture.raise("Unable to write bytecode");
  }
  return py::bytes(bytes);
}

static py::object getAsm(const PyOperationBase &self, bool binary,
                         const py::object &largeElementsLimit,
                         const py::object &, bool enableDebugInfo,
                         bool prettyDebugInfo, bool genericForm,
                         bool useLocalScope, bool useNameLocAsPrefix,
                         bool assumeVerified, bool skipRegions) {
  std::string text = printToString(
      self.get(),
      {largeElementsLimit, enableDebugInfo, prettyDebugInfo, genericForm,
       useLocalScope, useNameLocAsPrefix, assumeVerified, skipRegions});
  return binary ? py::object(py::bytes(text)) : py::object(py::str(text));
}

/// Writes to a file object, a path, or sys.stdout for None.
static void writeTo(const py::object &file, const py::object &data) {
  if (file.is_none()) {
    py::module_::import("sys").attr("stdout").attr("write")(data);
    return;
  }
  if (py::hasattr(file, "write")) {
    file.attr("write")(data);
    return;
  }
  const char *mode = py::isinstance<py::bytes>(data) ? "wb" : "w";
  py::object opened = py::module_::import("io").attr("open")(file, mode);
  opened.attr("write")(data);
  opened.attr("close")();
}

static void printToFile(const py::object &self, const py::object &file,
                        bool binary, const py::kwargs &options) {
  writeTo(file, self.attr("get_asm")(binary, **options));
}

static bool verify(const PyOperationBase &self) {
  DiagnosticCapture capture(self.context());
  if (mlir::failed(mlir::verify(self.get()))) {
    capture.raise("Verification failed");
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Moving and erasing
//===----------------------------------------------------------------------===//

static void eraseOperation(const PyOperationBase &self) {
  mlir::Operation *op = self.get();
  if (!op->getBlock()) {
    throw py::value_error("the operation is in no block, so there is nothing "
                          "to erase it from");
  }
  if (!op->use_empty()) {
    throw py::value_error("'" + op->getName().getStringRef().str() +
                          "' has results that are used; replace their uses "
                          "before erasing it");
  }
  // Operations inside may be used inside only: that ends with them.
  self.tree.get().bury(op);
}

static py::object detach(const PyOperationBase &self) {
  mlir::Operation *op = self.get();
  if (!op->getBlock()) {
    throw py::value_error("Detached operation has no parent.");
  }
  op->remove();
  self.tree.get().own(op);
  return toOpView(self.tree, op);
}

static void requireMovable(mlir::Operation *op, mlir::Operation *other) {
  if (!other->getBlock()) {
    throw py::value_error("cannot move beside an operation in no block");
  }
  if (op->isAncestor(other)) {
    throw py::value_error("cannot move an operation into itself");
  }
  if (op->getContext() != other->getContext()) {
    throw py::value_error("the operations belong to different contexts");
  }
}

static void moveBeside(const PyOperationBase &self,
                       const PyOperationBase &other, bool isAfter) {
  mlir::Operation *op = self.get(), *reference = other.get();
  requireMovable(op, reference);
  Tree::join(self.tree, other.tree);
  self.tree.get().release(op);
  if (op->getBlock()) {
    op->remove();
  }
  mlir::Block::iterator where(reference);
  reference->getBlock()->getOperations().insert(
      isAfter ? std::next(where) : where, op);
}

static py::object clone(const PyOperationBase &self, const py::object &ip) {
  std::optional<PyInsertionPoint> point = resolveInsertionPoint(ip);
  mlir::Operation *copy = self.get()->clone();
  PyOperation made = adopt(self.context(), copy, point, {self.tree});
  return toOpView(made.tree, copy);
}

//===----------------------------------------------------------------------===//
// Walking
//===----------------------------------------------------------------------===//

enum class WalkOrder { PreOrder, PostOrder };
enum class WalkResult { Advance, Interrupt, Skip };

/// Visits a snapshot of the operations: the callback may change the program.
static void walk(const PyOperationBase &self, const py::object &callback,
                 WalkOrder order) {
  std::vector<PyOperation> operations;
  self.get();
  auto collect = [&](mlir::Operation *op) {
    operations.emplace_back(self.tree, op);
  };
  if (order == WalkOrder::PreOrder) {
    self.op->walk<mlir::WalkOrder::PreOrder>(collect);
  } else {
    self.op->walk<mlir::WalkOrder::PostOrder>(collect);
  }
  mlir::Operation *skipped = nullptr;
  for (const PyOperation &operation : operations) {
    if (!self.tree.get().isValid(operation.made, nullptr)) {
      throw std::runtime_error("passes have run while the program was walked");
    }
    if (self.tree.get().isBuried(operation.op) ||
        (skipped && skipped->isProperAncestor(operation.op))) {
      continue;
    }
    py::object answer = callback(operation);
    auto result =
        answer.is_none() ? WalkResult::Advance : answer.cast<WalkResult>();
    if (result == WalkResult::Interrupt) {
      return;
    }
    if (result == WalkResult::Skip) {
      skipped = operation.op;
    }
  }
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

static OperandList operandsOf(const PyOperationBase &self) {
  mlir::Operation *op = self.get();
  return {self, 0, {op->operand_begin(), op->operand_end()}};
}

static PyOpResult singleResult(const PyOperationBase &self) {
  mlir::Operation *op = self.get();
  if (op->getNumResults() != 1) {
    throw py::value_error("Cannot call .result on operation " +
                          op->getName().getStringRef().str() + " which has " +
                          std::to_string(op->getNumResults()) +
                          " results (it is only valid for operations with a "
                          "single result)");
  }
  return PyOpResult(self.tree, op->getResult(0));
}

static py::list regionsOf(const PyOperationBase &self) {
  py::list list;
  for (mlir::Region &region : self.get()->getRegions()) {
    list.append(PyRegion(self.tree, &region));
  }
  return list;
}

static py::list successorsOf(const PyOperationBase &self) {
  py::list list;
  for (mlir::Block *block : self.get()->getSuccessors()) {
    list.append(PyBlock(self.tree, block));
  }
  return list;
}

static void bindQueries(py::class_<PyOperationBase> &base) {
  base.def("__eq__",
           [](const PyOperationBase &self, py::handle other) {
             return py::isinstance<PyOperationBase>(other) &&
                    self.op == other.cast<PyOperationBase &>().op;
           })
      .def("__hash__",
           [](const PyOperationBase &self) {
             return static_cast<Py_hash_t>(
                 reinterpret_cast<uintptr_t>(self.op) >> 4);
           })
      .def_property_readonly(
          "context", [](const PyOperationBase &self) { return self.context(); })
      .def_property_readonly(
          "name",
          [](const PyOperationBase &self) {
            return self.get()->getName().getStringRef().str();
          })
      .def_property_readonly("attached",
                             [](const PyOperationBase &self) {
                               return self.get()->getBlock() != nullptr;
                             })
      .def_property_readonly("attributes",
                             [](const PyOperationBase &self) {
                               self.get();
                               return AttributeMap{self};
                             })
      .def_property(
          "location",
          [](const PyOperationBase &self) {
            return toPython(self.context(), self.get()->getLoc());
          },
          [](const PyOperationBase &self, const PyLocation &location) {
            requireSameContext(location.location.getContext(),
                               &self.context()->context);
            self.get()->setLoc(location.location);
          })
      .def_property_readonly("operands", &operandsOf)
      .def_property_readonly(
          "results",
          [](const PyOperationBase &self) {
            mlir::Operation *op = self.get();
            return ResultList{self, {op->result_begin(), op->result_end()}};
          })
      .def_property_readonly("result", &singleResult)
      .def_property_readonly("regions", &regionsOf)
      .def_property_readonly("successors", &successorsOf)
      .def_property_readonly("block",
                             [](const PyOperationBase &self) -> py::object {
                               mlir::Block *block = self.get()->getBlock();
                               return block
                                          ? py::cast(PyBlock(self.tree, block))
                                          : py::none();
                             })
      .def_property_readonly(
          "parent",
          [](const PyOperationBase &self) -> py::object {
            mlir::Operation *parent = self.get()->getParentOp();
            return parent ? toOpView(self.tree, parent) : py::none();
          })
      .def("is_before_in_block",
           [](const PyOperationBase &self, const PyOperationBase &other) {
             if (!self.get()->getBlock() ||
                 self.get()->getBlock() != other.get()->getBlock()) {
               throw py::value_error("the operations are in different blocks");
             }
             return self.op->isBeforeInBlock(other.op);
           });
}

static void bindActions(py::class_<PyOperationBase> &base) {
  base.def("verify", &verify)
      .def("get_asm", &getAsm, py::arg("binary") = false,
           py::arg("large_elements_limit") = py::none(),
           py::arg("large_resource_limit") = py::none(),
           py::arg("enable_debug_info") = false,
           py::arg("pretty_debug_info") = false,
           py::arg("print_generic_op_form") = false,
           py::arg("use_local_scope") = false,
           py::arg("use_name_loc_as_prefix") = false,
           py::arg("assume_verified") = false, py::arg("skip_regions") = false)
      .def("print", &printToFile, py::arg("file") = py::none(),
           py::arg("binary") = false)
      .def("__str__",
           [](const PyOperationBase &self) {
             return printToString(self.get(), {});
           })
      .def(
          "write_bytecode",
          [](const PyOperationBase &self, const py::object &file,
             const py::object &version) {
            writeTo(file, bytecodeOf(self, version));
          },
          py::arg("file"), py::arg("desired_version") = py::none())
      .def("erase", &eraseOperation)
      .def("detach_from_parent", &detach)
      .def("move_after",
           [](const PyOperationBase &self, const PyOperationBase &other) {
             moveBeside(self, other, /*isAfter=*/true);
           })
      .def("move_before",
           [](const PyOperationBase &self, const PyOperationBase &other) {
             moveBeside(self, other, /*isAfter=*/false);
           })
      .def("clone", &clone, py::arg("ip") = py::none())
      .def("walk", &walk, py::arg("callback"),
           py::arg("walk_order") = WalkOrder::PostOrder)
      .def(
          "replace_uses_of_with",
          [](const PyOperationBase &self, const PyValue &from,
             const PyValue &to) {
            mlir::Value with = to.get();
            requireSameContext(with.getContext(), &self.context()->context);
            Tree::join(self.tree, to.tree);
            self.get()->replaceUsesOfWith(from.get(), with);
          },
          py::arg("of"), py::arg("with_"));
}

static PyOperation create(const std::string &name, const py::object &results,
                          const py::object &operands,
                          const py::object &attributes,
                          const py::object &successors, unsigned regions,
                          const py::object &loc, const py::object &ip,
                          bool inferType) {
  return createOperation(
      name, {results, operands, attributes, successors, regions, inferType},
      loc, ip);
}

/// The short way: values in, values out. One value for one result, else a
/// list.
static py::object build(const std::string &name, const py::object &operands,
                        const py::object &results, const py::object &attributes,
                        const py::object &loc) {
  PyOperation operation = createOperation(
      name, {results, operands, attributes, py::none(), 0, results.is_none()},
      loc, py::none());
  mlir::Operation *op = operation.op;
  if (op->getNumResults() == 1) {
    return py::cast(PyOpResult(operation.tree, op->getResult(0)));
  }
  py::list list;
  for (mlir::Value value : op->getResults()) {
    list.append(PyOpResult(operation.tree, value));
  }
  return list;
}

/// The operation that the text or bytecode holds.
template <typename Op>
static mlir::OwningOpRef<Op> parseSource(const std::string &source,
                                         const std::string &name,
                                         const ContextRef &context) {
  DiagnosticCapture capture(context);
  std::string problem = "Unable to parse ";
  problem += std::is_same_v<Op, mlir::ModuleOp> ? "module" : "operation";
  problem += " assembly";
  capture.requireReadable(source, problem);
  // Bytecode says how it wants to be aligned.
  std::unique_ptr<llvm::WritableMemoryBuffer> buffer =
      llvm::WritableMemoryBuffer::getNewUninitMemBuffer(source.size(), name,
                                                        llvm::Align(4096));
  if (!buffer) {
    throw std::bad_alloc();
  }
  llvm::copy(source, buffer->getBufferStart());
  context->keeps(4 * source.size()); // bytecode says much in little
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  mlir::OwningOpRef<Op> parsed =
      mlir::parseSourceFile<Op>(sources, mlir::ParserConfig(&context->context));
  if (!parsed) {
    capture.raise(problem);
  }
  return parsed;
}

static py::object parseOperation(const std::string &source,
                                 const std::string &sourceName,
                                 const py::object &given) {
  ContextRef context = resolveContext(given);
  mlir::Operation *op =
      parseSource<mlir::Operation *>(source, sourceName, context).release();
  return toOpView(Tree::make(context, op), op);
}

static void bindModule(py::module_ &module) {
  auto parse = [](const std::string &text, const py::object &given) {
    ContextRef context = resolveContext(given);
    mlir::ModuleOp op =
        parseSource<mlir::ModuleOp>(text, "-", context).release();
    return PyModule(Tree::make(context, op), op);
  };
  auto get = [](const PyModule &self) {
    mlir::ModuleOp op = self.module;
    self.check(op.getOperation());
    return op;
  };
  py::class_<PyModule>(module, "Module")
      .def_static(
          "create",
          [](const py::object &loc) {
            PyLocation location = resolveLocation(loc);
            mlir::ModuleOp op = mlir::ModuleOp::create(location.location);
            return PyModule(Tree::make(location.context, op), op);
          },
          py::arg("loc") = py::none())
      .def_static("parse", parse, py::arg("asm"),
                  py::arg("context") = py::none())
      .def_static(
          "parseFile",
          [parse](const std::string &path, const py::object &given) {
            py::object file =
                py::module_::import("io").attr("open")(path, "rb");
            auto text = file.attr("read")().cast<std::string>();
            file.attr("close")();
            return parse(text, given);
          },
          py::arg("path"), py::arg("context") = py::none())
      .def_property_readonly(
          "context", [](const PyModule &self) { return self.context(); })
      .def_property_readonly("operation",
                             [get](const PyModule &self) {
                               return PyOperation(self.tree,
                                                  get(self).getOperation());
                             })
      .def_property_readonly("body",
                             [get](const PyModule &self) {
                               return PyBlock(self.tree, get(self).getBody());
                             })
      .def("__eq__",
           [](const PyModule &self, py::handle other) {
             return py::isinstance<PyModule>(other) &&
                    self.module == other.cast<PyModule &>().module;
           })
      .def("__hash__",
           [](const PyModule &self) {
             mlir::ModuleOp op = self.module;
             return static_cast<Py_hash_t>(
                 reinterpret_cast<uintptr_t>(op.getOperation()) >> 4);
           })
      .def("__str__", [get](const PyModule &self) {
        return printToString(get(self).getOperation(), {});
      });
}

static void bindOpView(py::module_ &module, py::class_<PyOperationBase> &base) {
  py::class_<PyOpView, PyOperationBase> view(module, "OpView",
                                             py::dynamic_attr());
  view.def(py::init([](const PyOperationBase &operation) {
             operation.get();
             return PyOpView(operation);
           }),
           py::arg("operation"))
      .def(py::init([](const std::string &name, const py::tuple &regionSpec,
                       const py::object &operandSpec,
                       const py::object &resultSpec, const py::object &results,
                       const py::object &operands, const py::object &attributes,
                       const py::object &successors, const py::object &regions,
                       const py::object &loc, const py::object &ip) {
             return PyOpView(createFromOds(
                 name, regionSpec, operandSpec, resultSpec, results, operands,
                 attributes, successors, regions, loc, ip));
           }),
           py::arg("name"), py::arg("opRegionSpec"),
           py::arg("operandSegmentSpecObj") = py::none(),
           py::arg("resultSegmentSpecObj") = py::none(),
           py::arg("results") = py::none(), py::arg("operands") = py::none(),
           py::arg("attributes") = py::none(),
           py::arg("successors") = py::none(), py::arg("regions") = py::none(),
           py::arg("loc") = py::none(), py::arg("ip") = py::none())
      .def_property_readonly("operation",
                             [](const PyOpView &self) {
                               return PyOperation(self.tree, self.get());
                             })
      .def_property_readonly("opview", [](py::object self) { return self; });
  view.attr("_ODS_REGIONS") = py::make_tuple(0, true);
  view.attr("_ODS_OPERAND_SEGMENTS") = py::none();
  view.attr("_ODS_RESULT_SEGMENTS") = py::none();
}

void bindOperations(py::module_ &module) {
  bindAttributeMap(module);
  bindResultList(module);
  bindOperandList(module);
  py::enum_<WalkOrder>(module, "WalkOrder")
      .value("PRE_ORDER", WalkOrder::PreOrder)
      .value("POST_ORDER", WalkOrder::PostOrder);
  py::enum_<WalkResult>(module, "WalkResult")
      .value("ADVANCE", WalkResult::Advance)
      .value("INTERRUPT", WalkResult::Interrupt)
      .value("SKIP", WalkResult::Skip);
  py::class_<PyOperationBase> base(module, "_OperationBase");
  bindQueries(base);
  bindActions(base);
  py::class_<PyOperation, PyOperationBase>(module, "Operation")
      .def_static(
          "create", &create, py::arg("name"), py::arg("results") = py::none(),
          py::arg("operands") = py::none(), py::arg("attributes") = py::none(),
          py::arg("successors") = py::none(), py::arg("regions") = 0,
          py::arg("loc") = py::none(), py::arg("ip") = py::none(),
          py::arg("infer_type") = false)
      .def_static("parse", &parseOperation, py::arg("source"), py::kw_only(),
                  py::arg("source_name") = "", py::arg("context") = py::none())
      .def_property_readonly("operation", [](py::object self) { return self; })
      .def_property_readonly("opview", [](const PyOperation &self) {
        return toOpView(self.tree, self.get());
      });
  bindOpView(module, base);
  bindModule(module);
  module.def("build", &build, py::arg("name"), py::arg("operands"),
             py::arg("results") = py::none(),
             py::arg("attributes") = py::none(), py::arg("loc") = py::none());
  module.def("_register_operation",
             [](const py::str &name, const py::object &type) {
               operationClasses()[name] = type;
             });
  module.def("_set_dialect_importer",
             [](const py::object &importer) { dialectImporter() = importer; });
}

} // namespace jaxlib::mlir_python
