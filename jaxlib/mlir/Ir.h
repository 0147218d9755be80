//===- Ir.h - What Python holds of MLIR -------------------------*- C++ -*-===//
//
// Types, attributes and locations live as long as their context, so a wrapper
// holds the context. Operations can be moved, erased and destroyed, so a
// wrapper of an operation, block, region or value holds a Tree: the owner of
// all operations that may refer to one another. A tree lives as long as any
// wrapper into it; joining operations joins their trees. So no order of
// events in Python leaves a wrapper with a dangling pointer:
//
//  - the module dies first: its tree stays;
//  - an operation moves to another module: the two trees become one;
//  - an operation is erased: it leaves its block, but its memory stays with
//    the tree, and using it raises;
//  - passes run and may destroy anything: wrappers made before raise.
//
// Everything here needs the GIL.
//
//===----------------------------------------------------------------------===//

#ifndef JAXLIB_MLIR_IR_H
#define JAXLIB_MLIR_IR_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace jaxlib::mlir_python {

namespace py = pybind11;

/// A context with its dialects, which take as long to load as a small program
/// takes to trace. What MLIR made for one PyContext serves the next, unless it
/// holds much: all types and attributes stay in it.
struct PyContext {
  PyContext();
  ~PyContext();
  PyContext(const PyContext &) = delete;
  PyContext &operator=(const PyContext &) = delete;

  /// Counts what stays in the context, about.
  void keeps(size_t bytes) { keptBytes += bytes; }

private:
  size_t keptBytes = 0;
  std::unique_ptr<mlir::MLIRContext> owned;

public:
  mlir::MLIRContext &context;

private:
  size_t dialects; ///< loaded at first
};
using ContextRef = std::shared_ptr<PyContext>;

//===----------------------------------------------------------------------===//
// Ownership
//===----------------------------------------------------------------------===//

class Tree;

/// Keeps a tree alive.
class TreeRef {
public:
  TreeRef() = default;
  explicit TreeRef(Tree *tree);
  TreeRef(const TreeRef &other);
  TreeRef(TreeRef &&other) noexcept
      : tree(std::exchange(other.tree, nullptr)) {}
  TreeRef &operator=(TreeRef other) noexcept {
    std::swap(tree, other.tree);
    return *this;
  }
  ~TreeRef();

  /// The tree that this one has been joined into, or itself.
  Tree &get() const;

private:
  friend class Tree;
  Tree *tree = nullptr;
};

/// The owner of operations; see the top of this file.
class Tree {
public:
  /// A new tree that owns `root`, an operation without a parent.
  static TreeRef make(ContextRef context, mlir::Operation *root);

  /// Makes one tree of two.
  static void join(const TreeRef &a, const TreeRef &b);

  const ContextRef &context() const { return contextRef; }

  /// Takes ownership of `op`, which has no parent.
  void own(mlir::Operation *op) { roots.insert(op); }
  /// Gives ownership up: `op` is about to get a parent.
  void release(mlir::Operation *op) { roots.erase(op); }

  /// Takes `op` out of the program for ever, keeping its memory.
  void bury(mlir::Operation *op);
  bool isBuried(mlir::Operation *op) const;

  /// Makes wrappers that exist now raise when used, but for those of owned
  /// operations.
  void invalidateWrappers();
  bool isValid(uint64_t made, mlir::Operation *op) const {
    return made > invalidatedAt || roots.contains(op);
  }
  static uint64_t now();

private:
  friend class TreeRef;
  explicit Tree(ContextRef context) : contextRef(std::move(context)) {}
  ~Tree();

  ContextRef contextRef;
  TreeRef joined; ///< the tree that took all over, if any
  size_t references = 0;
  llvm::DenseSet<mlir::Operation *> roots;
  llvm::DenseSet<mlir::Operation *> buried;
  uint64_t invalidatedAt = 0;
};

//===----------------------------------------------------------------------===//
// Wrappers
//===----------------------------------------------------------------------===//

struct PyType {
  ContextRef context;
  mlir::Type type;
};

struct PyAttribute {
  ContextRef context;
  mlir::Attribute attribute;
};

struct PyLocation {
  ContextRef context;
  mlir::Location location;
};

struct PyNamedAttribute {
  std::string name;
  PyAttribute attribute;
};

/// What all wrappers of something inside a tree have.
struct InTree {
  TreeRef tree;
  uint64_t made = Tree::now();

  const ContextRef &context() const { return tree.get().context(); }
  /// Raises unless `op`, the operation that this is or belongs to, is alive.
  void check(mlir::Operation *op) const;
};

struct PyOperationBase : InTree {
  PyOperationBase() = default;
  PyOperationBase(TreeRef tree, mlir::Operation *op)
      : InTree{std::move(tree)}, op(op) {}
  /// The operation; raises if it is gone.
  mlir::Operation *get() const;

  mlir::Operation *op = nullptr;
};

struct PyOperation : PyOperationBase {
  using PyOperationBase::PyOperationBase;
};

struct PyOpView : PyOperationBase {
  PyOpView() = default;
  explicit PyOpView(const PyOperationBase &base) : PyOperationBase(base) {}
};

struct PyModule : InTree {
  PyModule(TreeRef tree, mlir::ModuleOp op)
      : InTree{std::move(tree)}, module(op) {}
  mlir::ModuleOp module;
};

struct PyRegion : InTree {
  PyRegion(TreeRef tree, mlir::Region *region)
      : InTree{std::move(tree)}, region(region) {}
  mlir::Region *get() const;
  mlir::Region *region;
};

struct PyBlock : InTree {
  PyBlock(TreeRef tree, mlir::Block *block)
      : InTree{std::move(tree)}, block(block) {}
  mlir::Block *get() const;
  mlir::Block *block;
};

struct PyValue : InTree {
  PyValue(TreeRef tree, mlir::Value value)
      : InTree{std::move(tree)}, value(value),
        block(llvm::dyn_cast<mlir::BlockArgument>(value)
                  ? value.getParentBlock()
                  : nullptr) {}
  mlir::Value get() const;
  mlir::Value value;
  mlir::Block *block; ///< of an argument: it may be erased from the block
};

struct PyOpResult : PyValue {
  using PyValue::PyValue;
};
struct PyBlockArgument : PyValue {
  using PyValue::PyValue;
};

/// At the end of a block, or before an operation in it.
struct PyInsertionPoint {
  PyBlock block;
  std::optional<PyOperation> before;

  void insert(mlir::Operation *op, const TreeRef &tree) const;
};

//===----------------------------------------------------------------------===//
// To Python
//===----------------------------------------------------------------------===//

/// Each gives an object of the most derived Python class.
py::object toPython(const ContextRef &context, mlir::Type type);
py::object toPython(const ContextRef &context, mlir::Attribute attribute);
py::object toPython(const ContextRef &context, mlir::Location location);
py::object toPython(const TreeRef &tree, mlir::Value value);
py::object toPython(const TreeRef &tree, mlir::Operation *op);
/// As an OpView of the class that is registered for the operation's name.
py::object toOpView(const TreeRef &tree, mlir::Operation *op);

/// Functions that know the classes of attributes or types of one dialect.
using AttributeCaster = py::object (*)(const ContextRef &, mlir::Attribute);
using TypeCaster = py::object (*)(const ContextRef &, mlir::Type);
void addAttributeCaster(mlir::TypeID id, AttributeCaster caster);
void addTypeCaster(mlir::TypeID id, TypeCaster caster);

//===----------------------------------------------------------------------===//
// From Python
//===----------------------------------------------------------------------===//

/// The given context, or the current one; raises if there is neither.
ContextRef resolveContext(const py::object &given);
PyLocation resolveLocation(const py::object &given);
/// The given insertion point, the current one for None, none for False.
std::optional<PyInsertionPoint> resolveInsertionPoint(const py::object &given);

/// A value, or the result of an operation with one result.
const PyValue *asValue(py::handle object, std::optional<PyValue> &storage);

/// The elements of a sequence, which must belong to `context`.
std::vector<mlir::Type> typesFrom(const ContextRef &context,
                                  py::handle sequence, const char *what);
std::vector<mlir::Attribute> attributesFrom(const ContextRef &context,
                                            py::handle sequence,
                                            const char *what);
std::vector<int64_t> integersFrom(py::handle sequence, const char *what);

/// Raises ValueError if two things that are to be joined belong to different
/// contexts: nothing keeps the one context alive for the other.
void requireSameContext(mlir::MLIRContext *a, mlir::MLIRContext *b);

/// Raises TypeError with the names of what was expected and found.
[[noreturn]] void raiseTypeError(const std::string &what, py::handle found);

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

/// Collects what MLIR reports while it exists.
class DiagnosticCapture {
public:
  explicit DiagnosticCapture(const ContextRef &context);
  ~DiagnosticCapture();
  /// Raises MLIRError with what was collected.
  [[noreturn]] void raise(const std::string &what);
  /// Raises if reading the text or bytecode would end the process.
  void requireReadable(llvm::StringRef source, const std::string &what);
  /// What was reported first, or nothing.
  std::string firstMessage() const;
  void forget() { diagnostics = py::list(); }

private:
  ContextRef context;
  uint64_t handler;
  py::list diagnostics;
};

//===----------------------------------------------------------------------===//
// Parts of the Python module
//===----------------------------------------------------------------------===//

void bindContext(py::module_ &module);
void bindTypes(py::module_ &module);
void bindAttributes(py::module_ &module);
void bindDenseElements(py::module_ &module);
void bindOperations(py::module_ &module);
void bindBlocks(py::module_ &module);
void bindValues(py::module_ &module);
void bindPasses(py::module_ &module);
void bindStablehlo(py::module_ &module);
void bindSdy(py::module_ &module);
void bindArtifacts(py::module_ &module);

} // namespace jaxlib::mlir_python

#endif // JAXLIB_MLIR_IR_H
