//===- PyTree.h - Nested Python containers as leaves + structure -*- C++
//-*-===//
//
// A pytree is a nest of containers. Flattening splits it into its leaves and
// a TreeDef, which describes the nest: one Node per container or leaf, in
// post-order, in one array. No function here recurses over a tree, so depth is
// bounded by memory alone.
//
// Everything needs the GIL. A function that fails has set a Python exception
// and says so by its result (false, -1 or null). Python's garbage collector
// counts references per object, so a TreeDef that outlives a call belongs into
// one PyTreeDef object (makeTreeDefObject), which is what others then hold.
//
//===----------------------------------------------------------------------===//

#ifndef JAXLIB_PYTREE_PYTREE_H
#define JAXLIB_PYTREE_PYTREE_H

#include "jaxlib/pytree/PyRef.h"

#include <cstdint>
#include <vector>

namespace jaxlib::pytree {

enum class Kind : uint8_t {
  Leaf,
  None,
  Tuple,
  List,
  Dict,
  NamedTuple,
  Custom,
  Dataclass,
};

/// How one registered type is taken apart and rebuilt. A Python object, shared
/// by its registry and by the nodes of that type.
struct Registration {
  PyObject_HEAD;
  Kind kind;                  ///< Custom or Dataclass
  PyTypeObject *type;         ///< owned, as all below
  PyObject *toIterable;       ///< Custom: tree -> (children, data)
  PyObject *fromIterable;     ///< Custom: (data, children) -> tree
  PyObject *toIterableByKeys; ///< Custom, may be null: tree -> (pairs, data)
  PyObject *dataFields;       ///< Dataclass: tuple of interned names
  PyObject *metaFields;       ///< Dataclass: tuple of interned names
  PyObject *allFields;        ///< Dataclass: both, in that order
};

/// Which types are containers. A Python object; see Registry.cpp.
struct Registry;

struct Node {
  Kind kind = Kind::Leaf;
  Py_ssize_t arity = 0;
  Py_ssize_t numLeaves = 1;
  Py_ssize_t numNodes = 1;
  /// Dict: the sorted keys, a list that nobody else can change. NamedTuple:
  /// its type. Custom: what its flattening returned. Dataclass: the meta
  /// fields' values. Otherwise null.
  PyRef data;
  PyRef registration; ///< Custom and Dataclass, otherwise null

  const Registration *registered() const {
    return reinterpret_cast<const Registration *>(registration.get());
  }
};

/// The structure of a pytree.
class TreeDef {
public:
  std::vector<Node> nodes; ///< in post-order; the root is last
  PyRef registry;          ///< a Registry, kept for pickling

  const Node &root() const { return nodes.back(); }
  Py_ssize_t numLeaves() const { return root().numLeaves; }
  Py_ssize_t numNodes() const { return static_cast<Py_ssize_t>(nodes.size()); }

  /// Equal structures have equal hashes. False: a key or a node's data raised.
  bool hash(size_t &result) const;

  /// 1, 0, or -1 if comparing keys or data raised.
  int equals(const TreeDef &other) const;

  /// Rebuilds the tree around `count` borrowed leaves; a new reference.
  PyObject *unflatten(PyObject *const *leaves, Py_ssize_t count) const;

  /// Calls `onNode(children, data)` where unflatten would build a container.
  PyObject *walk(PyObject *onNode, PyObject *onLeaf, PyObject *const *leaves,
                 Py_ssize_t count) const;

  /// The subtrees of `tree` that stand where this structure has leaves.
  bool flattenUpTo(PyObject *tree, std::vector<PyRef> &leaves) const;

  /// The same for a nest of any iterables: only the arities must agree.
  bool flattenIterablesUpTo(PyObject *tree, std::vector<PyRef> &leaves) const;

  /// This structure with a copy of `inner` in place of each leaf.
  TreeDef compose(const TreeDef &inner) const;

  std::vector<TreeDef> children() const;

  /// A new reference to the text `PyTreeDef({'a': *, 'b': (*, *)})`.
  PyObject *repr() const;

  /// Computes numLeaves and numNodes of all nodes from their arities. False,
  /// without a Python exception, if the arities do not describe one tree.
  bool countNodes();
};

/// Splits `tree`. `isLeaf` is null or a predicate that stops the descent.
bool flatten(const Registry &registry, PyObject *tree, PyObject *isLeaf,
             std::vector<PyRef> &leaves, TreeDef &treeDef);

/// The same, with the key path (a tuple) of each leaf. `isLeaf` takes
/// (path, tree).
bool flattenWithPath(const Registry &registry, PyObject *tree, PyObject *isLeaf,
                     std::vector<PyRef> &leaves, std::vector<PyRef> &paths,
                     TreeDef &treeDef);

//===----------------------------------------------------------------------===//
// One container
//===----------------------------------------------------------------------===//

/// A container taken apart. `children` holds what is iterated: the container
/// itself for tuples, lists and named tuples, else a tuple; null for a leaf.
struct OneLevel {
  Kind kind = Kind::Leaf;
  Py_ssize_t arity = 0;
  PyRef children;
  PyRef keys; ///< Custom with its own keys: a tuple parallel to `children`
  PyRef data;
  PyRef registration;
};

/// Takes the outermost container of `tree` apart; `wantKeys` asks custom nodes
/// for their keys.
bool flattenOneLevel(const Registry &registry, PyObject *tree, bool wantKeys,
                     OneLevel &level);

/// The key of child `index`: a new reference to a SequenceKey, DictKey,
/// GetAttrKey, FlattenedIndexKey, or the custom node's own.
PyObject *keyOfChild(const OneLevel &level, Py_ssize_t index);

/// Builds the container that `node` describes from its children.
PyObject *makeContainer(const Node &node, PyObject *const *children);

//===----------------------------------------------------------------------===//
// Python objects
//===----------------------------------------------------------------------===//

/// The registry in which types are registered unless one is named. Borrowed.
Registry *defaultRegistry();

/// The C++ side of a PyTreeRegistry object, or null and a TypeError.
Registry *registryFromObject(PyObject *object);
PyObject *objectFromRegistry(const Registry &registry); ///< borrowed

/// Borrowed, null without an exception if `type` is not registered.
Registration *findRegistration(const Registry &registry, PyTypeObject *type);

Kind classify(const Registry &registry, PyObject *tree,
              Registration *&registration);
bool isNamedTupleType(PyTypeObject *type);
bool isNodeType(const Registry &registry, PyTypeObject *type);

/// A new PyTreeDef object that owns `treeDef`.
PyObject *makeTreeDefObject(TreeDef treeDef);

/// The TreeDef inside a PyTreeDef object, or null and a TypeError. Lives as
/// long as `object`, and does not change.
const TreeDef *treeDefFromObject(PyObject *object);

/// New references to key objects.
PyObject *makeSequenceKey(Py_ssize_t index);
PyObject *makeFlattenedIndexKey(Py_ssize_t index);
PyObject *makeDictKey(PyObject *key);
PyObject *makeGetAttrKey(PyObject *name);

/// Make the types and put them into `module`.
bool addRegistryTypes(PyObject *module);
bool addTreeDefType(PyObject *module);
bool addKeyTypes(PyObject *module);

/// The format of PyTreeDef.serialize_using_proto; null if a node has no such
/// form.
PyObject *serializeTreeDef(const TreeDef &treeDef);
bool deserializeTreeDef(const char *data, Py_ssize_t size, TreeDef &treeDef);

} // namespace jaxlib::pytree

#endif // JAXLIB_PYTREE_PYTREE_H
