//===- Blocks.cpp - Regions, blocks, symbol tables ------------------------===//

#include "jaxlib/mlir/Ir.h"

#include "mlir/IR/SymbolTable.h"

namespace jaxlib::mlir_python {

namespace {

struct BlockList : PyRegion {
  using PyRegion::PyRegion;
};
struct OperationList : PyBlock {
  using PyBlock::PyBlock;
};

} // namespace

static int64_t checkedIndex(int64_t index, size_t size, const char *what) {
  index += index < 0 ? static_cast<int64_t>(size) : 0;
  if (index < 0 || index >= static_cast<int64_t>(size)) {
    throw py::index_error(std::string("attempt to access out-of-bounds ") +
                          what);
  }
  return index;
}

/// Adds arguments of these types, at these or at the current location.
static void addArguments(mlir::Block *block, const ContextRef &context,
                         const std::vector<mlir::Type> &types,
                         const py::object &locations) {
  std::vector<mlir::Location> found;
  if (locations.is_none()) {
    mlir::Location location = mlir::UnknownLoc::get(&context->context);
    try {
      PyLocation current = resolveLocation(py::none());
      if (current.context == context) {
        location = current.location;
      }
    } catch (const std::runtime_error &) {
      // No location is current: unknown.
    }
    found.assign(types.size(), location);
  } else {
    for (py::handle item : locations) {
      found.push_back(item.cast<PyLocation &>().location);
    }
  }
  if (found.size() != types.size()) {
    throw py::value_error("Expected " + std::to_string(types.size()) +
                          " locations, got: " + std::to_string(found.size()));
  }
  for (mlir::Location location : found) {
    requireSameContext(location.getContext(), &context->context);
  }
  block->addArguments(types, found);
}

/// Types given one by one, or as one sequence.
static std::vector<mlir::Type> argumentTypes(const ContextRef &context,
                                             const py::args &args) {
  if (args.size() == 1 && !py::isinstance<PyType>(args[0])) {
    return typesFrom(context, args[0], "block arguments");
  }
  return typesFrom(context, args, "block arguments");
}

static PyBlock insertBlock(const InTree &where, mlir::Region *region,
                           mlir::Region::iterator position,
                           const std::vector<mlir::Type> &types,
                           const py::object &locations) {
  auto block = std::make_unique<mlir::Block>();
  addArguments(block.get(), where.context(), types, locations);
  mlir::Block *made = block.release();
  region->getBlocks().insert(position, made);
  return PyBlock(where.tree, made);
}

static void bindRegion(py::module_ &module) {
  py::class_<PyRegion>(module, "Region")
      .def_property_readonly(
          "blocks",
          [](const PyRegion &self) { return BlockList(self.tree, self.get()); })
      .def_property_readonly("owner",
                             [](const PyRegion &self) {
                               return toOpView(self.tree,
                                               self.get()->getParentOp());
                             })
      .def("__iter__",
           [](const PyRegion &self) {
             py::list list;
             for (mlir::Block &block : *self.get()) {
               list.append(PyBlock(self.tree, &block));
             }
             return py::iter(list);
           })
      .def("__eq__",
           [](const PyRegion &self, py::handle other) {
             return py::isinstance<PyRegion>(other) &&
                    self.region == other.cast<PyRegion &>().region;
           })
      .def("__hash__", [](const PyRegion &self) {
        return static_cast<Py_hash_t>(
            reinterpret_cast<uintptr_t>(self.region) >> 4);
      });
  py::class_<BlockList>(module, "BlockList")
      .def("__len__",
           [](const BlockList &self) { return self.get()->getBlocks().size(); })
      .def("__getitem__",
           [](const BlockList &self, int64_t index) {
             auto &blocks = self.get()->getBlocks();
             index = checkedIndex(index, blocks.size(), "block");
             return PyBlock(self.tree, &*std::next(blocks.begin(), index));
           })
      .def("__iter__",
           [](const BlockList &self) {
             py::list list;
             for (mlir::Block &block : *self.get()) {
               list.append(PyBlock(self.tree, &block));
             }
             return py::iter(list);
           })
      .def(
          "append",
          [](const BlockList &self, const py::args &args,
             const py::object &locations) {
            mlir::Region *region = self.get();
            return insertBlock(self, region, region->end(),
                               argumentTypes(self.context(), args), locations);
          },
          py::kw_only(), py::arg("arg_locs") = py::none());
}

//===----------------------------------------------------------------------===//
// Block
//===----------------------------------------------------------------------===//

static py::list argumentsOf(const PyBlock &self) {
  py::list list;
  for (mlir::BlockArgument argument : self.get()->getArguments()) {
    list.append(PyBlockArgument(self.tree, argument));
  }
  return list;
}

static void appendOperation(const PyBlock &self,
                            const PyOperationBase &operation) {
  mlir::Block *block = self.get();
  mlir::Operation *op = operation.get();
  if (block->getParentOp() && op->isAncestor(block->getParentOp())) {
    throw py::value_error("cannot move an operation into itself");
  }
  if (op->getContext() != &self.context()->context) {
    throw py::value_error("the operation belongs to another context");
  }
  Tree::join(operation.tree, self.tree);
  self.tree.get().release(op);
  if (op->getBlock()) {
    op->remove();
  }
  block->push_back(op);
}

static void appendTo(const PyBlock &self, const PyRegion &region) {
  mlir::Block *block = self.get();
  mlir::Region *target = region.get();
  for (mlir::Region *outer = target; outer; outer = outer->getParentRegion()) {
    mlir::Operation *parent = outer->getParentOp();
    if (parent && parent->getBlock() == block) {
      throw py::value_error("cannot move a block into itself");
    }
  }
  Tree::join(self.tree, region.tree);
  block->getParent()->getBlocks().remove(block);
  target->push_back(block);
}

static void eraseArgument(const PyBlock &self, int64_t index) {
  mlir::Block *block = self.get();
  index = checkedIndex(index, block->getNumArguments(), "block argument");
  if (!block->getArgument(index).use_empty()) {
    throw py::value_error("the block argument is used; replace its uses before "
                          "erasing it");
  }
  block->eraseArgument(index);
}

static void bindBlock(py::module_ &module) {
  py::class_<PyBlock>(module, "Block")
      .def_static(
          "create_at_start",
          [](const PyRegion &parent, const py::object &types,
             const py::object &locations) {
            mlir::Region *region = parent.get();
            return insertBlock(
                parent, region, region->begin(),
                typesFrom(parent.context(), types, "block arguments"),
                locations);
          },
          py::arg("parent"), py::arg("arg_types") = py::list(),
          py::arg("arg_locs") = py::none())
      .def(
          "create_before",
          [](const PyBlock &self, const py::args &args,
             const py::object &locations) {
            mlir::Block *block = self.get();
            return insertBlock(self, block->getParent(), block->getIterator(),
                               argumentTypes(self.context(), args), locations);
          },
          py::kw_only(), py::arg("arg_locs") = py::none())
      .def(
          "create_after",
          [](const PyBlock &self, const py::args &args,
             const py::object &locations) {
            mlir::Block *block = self.get();
            return insertBlock(self, block->getParent(),
                               std::next(block->getIterator()),
                               argumentTypes(self.context(), args), locations);
          },
          py::kw_only(), py::arg("arg_locs") = py::none())
      .def_property_readonly("arguments", &argumentsOf)
      .def(
          "add_argument",
          [](const PyBlock &self, const PyType &type,
             const PyLocation &location) {
            requireSameContext(type.type.getContext(),
                               &self.context()->context);
            requireSameContext(location.location.getContext(),
                               &self.context()->context);
            return PyBlockArgument(
                self.tree,
                self.get()->addArgument(type.type, location.location));
          },
          py::arg("type"), py::arg("loc"))
      .def("erase_argument", &eraseArgument, py::arg("index"))
      .def_property_readonly("operations",
                             [](const PyBlock &self) {
                               return OperationList(self.tree, self.get());
                             })
      .def_property_readonly("owner",
                             [](const PyBlock &self) {
                               return toOpView(self.tree,
                                               self.get()->getParentOp());
                             })
      .def_property_readonly("region",
                             [](const PyBlock &self) {
                               return PyRegion(self.tree,
                                               self.get()->getParent());
                             })
      .def_property_readonly("successors",
                             [](const PyBlock &self) {
                               py::list list;
                               for (mlir::Block *block :
                                    self.get()->getSuccessors()) {
                                 list.append(PyBlock(self.tree, block));
                               }
                               return list;
                             })
      .def("append", &appendOperation, py::arg("operation"))
      .def("append_to", &appendTo, py::arg("region"))
      .def("__iter__",
           [](py::object self) { return py::iter(self.attr("operations")); })
      .def("__eq__",
           [](const PyBlock &self, py::handle other) {
             return py::isinstance<PyBlock>(other) &&
                    self.block == other.cast<PyBlock &>().block;
           })
      .def("__hash__",
           [](const PyBlock &self) {
             return static_cast<Py_hash_t>(
                 reinterpret_cast<uintptr_t>(self.block) >> 4);
           })
      .def("__str__", [](const PyBlock &self) {
        std::string text;
        llvm::raw_string_ostream stream(text);
        self.get()->print(stream);
        return text;
      });
  py::class_<OperationList>(module, "OperationList")
      .def("__len__",
           [](const OperationList &self) {
             return self.get()->getOperations().size();
           })
      .def("__getitem__",
           [](const OperationList &self, int64_t index) {
             auto &operations = self.get()->getOperations();
             index = checkedIndex(index, operations.size(), "operation");
             return toOpView(self.tree, &*std::next(operations.begin(), index));
           })
      .def("__iter__", [](const OperationList &self) {
        py::list list;
        for (mlir::Operation &op : *self.get()) {
          list.append(toOpView(self.tree, &op));
        }
        return py::iter(list);
      });
}

//===----------------------------------------------------------------------===//
// SymbolTable
//===----------------------------------------------------------------------===//

namespace {

/// Reads the symbols anew each time: programs change under it.
struct PySymbolTable {
  PyOperation operation;

  mlir::SymbolTable get() const { return mlir::SymbolTable(operation.get()); }
};

} // namespace

static mlir::Operation *requireSymbol(const PyOperationBase &operation) {
  mlir::Operation *op = operation.get();
  if (!op->getAttrOfType<mlir::StringAttr>(
          mlir::SymbolTable::getSymbolAttrName())) {
    throw py::value_error("Expected operation to have a symbol name.");
  }
  return op;
}

static py::object insertSymbol(PySymbolTable &self,
                               const PyOperationBase &operation) {
  mlir::Operation *op = requireSymbol(operation);
  mlir::Operation *table = self.operation.get();
  if (op->getParentOp() && op->getParentOp() != table) {
    throw py::value_error("the symbol is inside another operation");
  }
  if (op->isAncestor(table)) {
    throw py::value_error("cannot move an operation into itself");
  }
  requireSameContext(op->getContext(), table->getContext());
  mlir::SymbolTable symbols = self.get();
  Tree::join(operation.tree, self.operation.tree);
  self.operation.tree.get().release(op);
  mlir::StringAttr name = symbols.insert(op);
  return toPython(self.operation.context(), mlir::Attribute(name));
}

static void eraseSymbol(PySymbolTable &self, mlir::Operation *op) {
  if (op->getParentOp() != self.operation.get()) {
    throw py::value_error("the operation is not in this symbol table");
  }
  self.operation.tree.get().bury(op);
}

static void setVisibility(const PyOperationBase &operation,
                          const std::string &visibility) {
  if (visibility != "public" && visibility != "private" &&
      visibility != "nested") {
    throw py::value_error(
        "Expected visibility to be 'public', 'private' or 'nested'");
  }
  mlir::Operation *op = requireSymbol(operation);
  op->setAttr(mlir::SymbolTable::getVisibilityAttrName(),
              mlir::StringAttr::get(op->getContext(), visibility));
}

static void bindSymbolTable(py::module_ &module) {
  py::class_<PySymbolTable>(module, "SymbolTable")
      .def(py::init([](const PyOperationBase &operation) {
             mlir::Operation *op = operation.get();
             if (!op->hasTrait<mlir::OpTrait::SymbolTable>()) {
               throw py::type_error("Operation is not a Symbol Table.");
             }
             return PySymbolTable{PyOperation(operation.tree, op)};
           }),
           py::arg("operation"))
      .def("__contains__",
           [](PySymbolTable &self, const std::string &name) {
             return self.get().lookup(name) != nullptr;
           })
      .def("__getitem__",
           [](PySymbolTable &self, const std::string &name) {
             mlir::Operation *found = self.get().lookup(name);
             if (!found) {
               throw py::key_error("Symbol '" + name +
                                   "' not in the symbol table.");
             }
             return toOpView(self.operation.tree, found);
           })
      .def("__delitem__",
           [](PySymbolTable &self, const std::string &name) {
             mlir::Operation *found = self.get().lookup(name);
             if (!found) {
               throw py::key_error("Symbol '" + name +
                                   "' not in the symbol table.");
             }
             eraseSymbol(self, found);
           })
      .def(
          "erase",
          [](PySymbolTable &self, const PyOperationBase &operation) {
            eraseSymbol(self, requireSymbol(operation));
          },
          py::arg("operation"))
      .def("insert", &insertSymbol, py::arg("operation"))
      .def_static("get_symbol_name",
                  [](const PyOperationBase &symbol) {
                    return toPython(
                        symbol.context(),
                        requireSymbol(symbol)->getAttr(
                            mlir::SymbolTable::getSymbolAttrName()));
                  })
      .def_static("set_symbol_name",
                  [](const PyOperationBase &symbol, const std::string &name) {
                    mlir::SymbolTable::setSymbolName(requireSymbol(symbol),
                                                     name);
                  })
      .def_static("get_visibility",
                  [](const PyOperationBase &symbol) -> py::object {
                    mlir::Attribute found = requireSymbol(symbol)->getAttr(
                        mlir::SymbolTable::getVisibilityAttrName());
                    if (!found) {
                      found = mlir::StringAttr::get(&symbol.context()->context,
                                                    "public");
                    }
                    return toPython(symbol.context(), found);
                  })
      .def_static("set_visibility", &setVisibility)
      .def_static(
          "replace_all_symbol_uses",
          [](const std::string &from, const std::string &to,
             const PyOperationBase &inside) {
            mlir::Operation *op = inside.get();
            auto name = [&](const std::string &text) {
              return mlir::StringAttr::get(op->getContext(), text);
            };
            if (mlir::failed(mlir::SymbolTable::replaceAllSymbolUses(
                    name(from), name(to), op))) {
              throw py::value_error("Symbol rename failed");
            }
          },
          py::arg("old_symbol"), py::arg("new_symbol"), py::arg("from_op"));
}

void bindBlocks(py::module_ &module) {
  bindRegion(module);
  bindBlock(module);
  bindSymbolTable(module);
}

} // namespace jaxlib::mlir_python
