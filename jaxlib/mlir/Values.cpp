//===- Values.cpp - Values and their uses ---------------------------------===//

#include "jaxlib/mlir/Ir.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinTypes.h"

namespace jaxlib::mlir_python {

py::object toPython(const TreeRef &tree, mlir::Value value) {
  if (!value) {
    return py::none();
  }
  if (llvm::isa<mlir::OpResult>(value)) {
    return py::cast(PyOpResult(tree, value));
  }
  return py::cast(PyBlockArgument(tree, value));
}

const PyValue *asValue(py::handle object, std::optional<PyValue> &storage) {
  if (py::isinstance<PyValue>(object)) {
    return &object.cast<PyValue &>();
  }
  if (!py::isinstance<PyOperationBase>(object)) {
    return nullptr;
  }
  auto &operation = object.cast<PyOperationBase &>();
  mlir::Operation *op = operation.get();
  if (op->getNumResults() != 1) {
    throw py::value_error("'" + op->getName().getStringRef().str() +
                          "' stands for a value, but has " +
                          std::to_string(op->getNumResults()) + " results");
  }
  storage.emplace(operation.tree, op->getResult(0));
  return &*storage;
}

namespace {

struct OpOperand : InTree {
  OpOperand(TreeRef tree, mlir::OpOperand *use)
      : InTree{std::move(tree)}, owner(use->getOwner()),
        number(use->getOperandNumber()) {}
  mlir::Operation *owner;
  unsigned number;
};

} // namespace

static py::object ownerOf(const PyValue &self) {
  mlir::Value value = self.get();
  if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) {
    return py::cast(PyBlock(self.tree, argument.getOwner()));
  }
  return toPython(self.tree, value.getDefiningOp());
}

static void replaceAllUses(const PyValue &self, const PyValue &with) {
  mlir::Value from = self.get(), to = with.get();
  requireSameContext(from.getContext(), to.getContext());
  Tree::join(self.tree, with.tree);
  from.replaceAllUsesWith(to);
}

static void replaceAllUsesExcept(const PyValue &self, const PyValue &with,
                                 const py::object &exceptions) {
  llvm::SmallPtrSet<mlir::Operation *, 4> kept;
  if (py::isinstance<PyOperationBase>(exceptions)) {
    kept.insert(exceptions.cast<PyOperationBase &>().get());
  } else {
    for (py::handle item : exceptions) {
      kept.insert(item.cast<PyOperationBase &>().get());
    }
  }
  mlir::Value from = self.get(), to = with.get();
  requireSameContext(from.getContext(), to.getContext());
  Tree::join(self.tree, with.tree);
  from.replaceAllUsesExcept(to, kept);
}

static std::string nameOf(const PyValue &self, bool useLocalScope) {
  mlir::Value value = self.get();
  mlir::Operation *scope = value.getDefiningOp();
  if (!scope) {
    scope = value.getParentBlock()->getParentOp();
  }
  while (scope && scope->getParentOp() && !useLocalScope) {
    scope = scope->getParentOp();
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  mlir::AsmState state(scope, useLocalScope ? flags.useLocalScope() : flags);
  value.printAsOperand(stream, state);
  return text;
}

static std::string print(const PyValue &self) {
  mlir::Value value = self.get();
  std::string text = "Value(";
  llvm::raw_string_ostream stream(text);
  value.print(stream);
  return text + ")";
}

/// Lets `Value[RankedTensorType]` stand in annotations.
static void makeSubscriptable(py::handle type) {
  type.attr("__class_getitem__") = py::reinterpret_steal<py::object>(
      PyClassMethod_New(py::cpp_function([](py::object self, py::object) {
                          return self;
                        }).ptr()));
}

static void bindUses(py::module_ &module) {
  py::class_<OpOperand>(module, "OpOperand")
      .def_property_readonly("owner",
                             [](const OpOperand &self) {
                               self.check(self.owner);
                               return toPython(self.tree, self.owner);
                             })
      .def_readonly("operand_number", &OpOperand::number);
}

void bindValues(py::module_ &module) {
  bindUses(module);
  py::class_<PyValue> value(module, "Value");
  value
      .def(py::init([](const PyValue &other) { return other; }),
           py::arg("value"))
      .def_property_readonly("context",
                             [](const PyValue &self) { return self.context(); })
      .def_property_readonly("type",
                             [](const PyValue &self) {
                               return toPython(self.context(),
                                               self.get().getType());
                             })
      .def(
          "set_type",
          [](const PyValue &self, const PyType &type) {
            requireSameContext(type.type.getContext(),
                               &self.context()->context);
            self.get().setType(type.type);
          },
          py::arg("type"))
      .def_property_readonly("owner", &ownerOf)
      .def_property_readonly("location",
                             [](const PyValue &self) {
                               return toPython(self.context(),
                                               self.get().getLoc());
                             })
      .def_property_readonly("uses",
                             [](const PyValue &self) {
                               py::list list;
                               for (mlir::OpOperand &use :
                                    self.get().getUses()) {
                                 list.append(OpOperand(self.tree, &use));
                               }
                               return py::iter(list);
                             })
      .def("replace_all_uses_with", &replaceAllUses, py::arg("with_"))
      .def("replace_all_uses_except", &replaceAllUsesExcept, py::arg("with_"),
           py::arg("exceptions"))
      .def(
          "get_name",
          [](const PyValue &self, bool useLocalScope, bool) {
            return nameOf(self, useLocalScope);
          },
          py::arg("use_local_scope") = false,
          py::arg("use_name_loc_as_prefix") = false)
      .def("maybe_downcast",
           [](const PyValue &self) { return toPython(self.tree, self.get()); })
      .def("__eq__",
           [](const PyValue &self, py::handle other) {
             return py::isinstance<PyValue>(other) &&
                    self.value == other.cast<PyValue &>().value;
           })
      .def("__hash__",
           [](const PyValue &self) {
             return static_cast<Py_hash_t>(
                 reinterpret_cast<uintptr_t>(self.value.getAsOpaquePointer()) >>
                 4);
           })
      .def("__str__", &print)
      .def("__repr__", &print);
  makeSubscriptable(value);
  py::class_<PyOpResult, PyValue>(module, "OpResult")
      .def(py::init([](const PyValue &other) {
        if (!llvm::isa<mlir::OpResult>(other.get())) {
          throw py::value_error("Cannot cast value to OpResult");
        }
        return PyOpResult(other.tree, other.value);
      }))
      .def_static("isinstance",
                  [](const PyValue &other) {
                    return llvm::isa<mlir::OpResult>(other.get());
                  })
      .def_property_readonly("result_number", [](const PyOpResult &self) {
        return llvm::cast<mlir::OpResult>(self.get()).getResultNumber();
      });
  py::class_<PyBlockArgument, PyValue>(module, "BlockArgument")
      .def(py::init([](const PyValue &other) {
        if (!llvm::isa<mlir::BlockArgument>(other.get())) {
          throw py::value_error("Cannot cast value to BlockArgument");
        }
        return PyBlockArgument(other.tree, other.value);
      }))
      .def_static("isinstance",
                  [](const PyValue &other) {
                    return llvm::isa<mlir::BlockArgument>(other.get());
                  })
      .def(
          "set_location",
          [](const PyBlockArgument &self, const PyLocation &location) {
            requireSameContext(location.location.getContext(),
                               &self.context()->context);
            llvm::cast<mlir::BlockArgument>(self.get())
                .setLoc(location.location);
          },
          py::arg("loc"))
      .def_property_readonly("arg_number", [](const PyBlockArgument &self) {
        return llvm::cast<mlir::BlockArgument>(self.get()).getArgNumber();
      });
}

} // namespace jaxlib::mlir_python
