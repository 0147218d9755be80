//===- Tree.cpp - Who owns the operations that Python holds ---------------===//

#include "jaxlib/mlir/Ir.h"

namespace jaxlib::mlir_python {

TreeRef::TreeRef(Tree *tree) : tree(tree) {
  if (tree) {
    ++tree->references;
  }
}

TreeRef::TreeRef(const TreeRef &other) : TreeRef(other.tree) {}

TreeRef::~TreeRef() {
  if (tree && --tree->references == 0) {
    delete tree;
  }
}

Tree &TreeRef::get() const {
  Tree *root = tree;
  while (root->joined.tree) {
    root = root->joined.tree;
  }
  return *root;
}

TreeRef Tree::make(ContextRef context, mlir::Operation *root) {
  TreeRef tree(new Tree(std::move(context)));
  tree.tree->own(root);
  return tree;
}

Tree::~Tree() {
  // Operations of one tree may refer to one another in any order.
  for (mlir::Operation *op : roots) {
    op->dropAllReferences();
    op->dropAllUses();
  }
  for (mlir::Operation *op : buried) {
    op->dropAllReferences();
    op->dropAllUses();
  }
  for (mlir::Operation *op : roots) {
    op->destroy();
  }
  for (mlir::Operation *op : buried) {
    op->destroy();
  }
}

void Tree::join(const TreeRef &a, const TreeRef &b) {
  if (a.tree == b.tree) {
    return;
  }
  Tree &from = a.get(), &into = b.get();
  if (&from == &into) {
    return;
  }
  into.roots.insert(from.roots.begin(), from.roots.end());
  into.buried.insert(from.buried.begin(), from.buried.end());
  into.invalidatedAt = std::max(into.invalidatedAt, from.invalidatedAt);
  from.roots.clear();
  from.buried.clear();
  from.joined = TreeRef(&into);
}

static uint64_t clockNow = 1;

uint64_t Tree::now() { return clockNow; }

void Tree::invalidateWrappers() { invalidatedAt = clockNow++; }

void Tree::bury(mlir::Operation *op) {
  op->dropAllReferences();
  roots.erase(op);
  op->remove();
  buried.insert(op);
}

bool Tree::isBuried(mlir::Operation *op) const {
  if (buried.empty()) {
    return false;
  }
  while (mlir::Operation *parent = op->getParentOp()) {
    op = parent;
  }
  return buried.contains(op);
}

void InTree::check(mlir::Operation *op) const {
  const Tree &owner = tree.get();
  if (!owner.isValid(made, op)) {
    throw std::runtime_error(
        "this object was taken from a module on which passes have run since, "
        "and may no longer exist; take it from the module again");
  }
  if (op && owner.isBuried(op)) {
    throw std::runtime_error("the operation has been erased");
  }
}

mlir::Operation *PyOperationBase::get() const {
  if (!op) {
    throw std::runtime_error("an OpView whose __init__ has not run");
  }
  check(op);
  return op;
}

mlir::Region *PyRegion::get() const {
  // Validity first: the region's own memory may be gone.
  if (!tree.get().isValid(made, nullptr)) {
    check(nullptr);
  }
  check(region->getParentOp());
  return region;
}

mlir::Block *PyBlock::get() const {
  if (!tree.get().isValid(made, nullptr)) {
    check(nullptr);
  }
  check(block->getParentOp());
  return block;
}

mlir::Value PyValue::get() const {
  if (!tree.get().isValid(made, nullptr)) {
    check(nullptr);
  }
  if (!block) {
    check(value.getDefiningOp());
    return value;
  }
  if (block->getParentOp()) {
    check(block->getParentOp());
  }
  for (mlir::BlockArgument argument : block->getArguments()) {
    if (argument == value) {
      return value;
    }
  }
  throw std::runtime_error("the block argument has been erased");
}

void PyInsertionPoint::insert(mlir::Operation *op, const TreeRef &tree) const {
  mlir::Block *target = block.get();
  mlir::Block::iterator where = target->end();
  if (before) {
    mlir::Operation *reference = before->get();
    if (reference->getBlock() != target) {
      throw std::runtime_error(
          "the operation at the insertion point has left its block");
    }
    where = mlir::Block::iterator(reference);
  }
  if (op->getBlock()) {
    throw py::value_error(
        "Attempt to insert operation that has already been inserted");
  }
  if (!before && !target->empty() &&
      target->back().hasTrait<mlir::OpTrait::IsTerminator>()) {
    throw py::index_error(
        "Cannot insert operation at the end of a block that already has a "
        "terminator. Did you mean to use "
        "'InsertionPoint.at_block_terminator(block)' versus "
        "'InsertionPoint(block)'?");
  }
  if (op->getContext() != &block.context()->context) {
    throw py::value_error("the operation belongs to another context");
  }
  mlir::Operation *parent = target->getParentOp();
  if (op->getNumRegions() > 0 && parent && op->isAncestor(parent)) {
    throw py::value_error("cannot insert an operation into itself");
  }
  Tree::join(tree, block.tree);
  block.tree.get().release(op);
  target->getOperations().insert(where, op);
}

} // namespace jaxlib::mlir_python
