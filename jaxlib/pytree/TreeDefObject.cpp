//===- TreeDefObject.cpp - The Python type PyTreeDef ----------------------===//

#include "jaxlib/pytree/PyTree.h"

#include <structmember.h>

#include <cstddef>
#include <new>

namespace jaxlib::pytree {
namespace {

struct TreeDefObject {
  PyObject_HEAD;
  PyObject *weakReferences;
  TreeDef treeDef;
};

} // namespace

static PyTypeObject *treeDefType;

static TreeDef &treeDefOf(PyObject *self) {
  return reinterpret_cast<TreeDefObject *>(self)->treeDef;
}

PyObject *makeTreeDefObject(TreeDef treeDef) {
  PyObject *self = treeDefType->tp_alloc(treeDefType, 0);
  if (self) {
    new (&treeDefOf(self)) TreeDef(std::move(treeDef));
  }
  return self;
}

const TreeDef *treeDefFromObject(PyObject *object) {
  if (!PyObject_TypeCheck(object, treeDefType)) {
    PyErr_Format(PyExc_TypeError, "expected a PyTreeDef, got a %s: %R",
                 Py_TYPE(object)->tp_name, object);
    return nullptr;
  }
  return &treeDefOf(object);
}

static int traverseTreeDef(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(treeDefOf(self).registry.get());
  for (const Node &node : treeDefOf(self).nodes) {
    Py_VISIT(node.data.get());
    Py_VISIT(node.registration.get());
  }
  return 0;
}

// There is no tp_clear: a structure is immutable, so a cycle through it also
// runs through a mutable object, and is broken there.
static void deallocateTreeDef(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (reinterpret_cast<TreeDefObject *>(self)->weakReferences) {
    PyObject_ClearWeakRefs(self);
  }
  treeDefOf(self).~TreeDef();
  type->tp_free(self);
  Py_DECREF(type);
}

static PyObject *reprOfTreeDef(PyObject *self) {
  return treeDefOf(self).repr();
}

static Py_hash_t hashOfTreeDef(PyObject *self) {
  size_t hash;
  if (!treeDefOf(self).hash(hash)) {
    return -1;
  }
  auto result = static_cast<Py_hash_t>(hash);
  return result == -1 ? -2 : result;
}

static PyObject *compareTreeDefs(PyObject *self, PyObject *other, int op) {
  if ((op != Py_EQ && op != Py_NE) || Py_TYPE(other) != treeDefType) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  int same = treeDefOf(self).equals(treeDefOf(other));
  return same < 0 ? nullptr : PyBool_FromLong(same == (op == Py_EQ));
}

//===----------------------------------------------------------------------===//
// Methods
//===----------------------------------------------------------------------===//

static PyObject *listOf(std::vector<PyRef> &items) {
  PyObject *list = PyList_New(static_cast<Py_ssize_t>(items.size()));
  for (size_t i = 0; list && i < items.size(); ++i) {
    PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), items[i].release());
  }
  return list;
}

static PyObject *unflattenMethod(PyObject *self, PyObject *iterable) {
  PyRef leaves = PyRef::steal(PySequence_Tuple(iterable));
  return leaves ? treeDefOf(self).unflatten(
                      reinterpret_cast<PyTupleObject *>(leaves.get())->ob_item,
                      PyTuple_GET_SIZE(leaves.get()))
                : nullptr;
}

static PyObject *flattenUpToMethod(PyObject *self, PyObject *tree) {
  std::vector<PyRef> leaves;
  return treeDefOf(self).flattenUpTo(tree, leaves) ? listOf(leaves) : nullptr;
}

static PyObject *fromIterableTreeMethod(PyObject *self, PyObject *tree) {
  std::vector<PyRef> leaves;
  if (!treeDefOf(self).flattenIterablesUpTo(tree, leaves)) {
    return nullptr;
  }
  std::vector<PyObject *> borrowed;
  for (const PyRef &leaf : leaves) {
    borrowed.push_back(leaf.get());
  }
  return treeDefOf(self).unflatten(borrowed.data(),
                                   static_cast<Py_ssize_t>(borrowed.size()));
}

static PyObject *walkMethod(PyObject *self, PyObject *args) {
  PyObject *onNode, *onLeaf, *iterable;
  if (!PyArg_ParseTuple(args, "OOO:walk", &onNode, &onLeaf, &iterable)) {
    return nullptr;
  }
  PyRef leaves = PyRef::steal(PySequence_Tuple(iterable));
  return leaves ? treeDefOf(self).walk(
                      onNode, onLeaf == Py_None ? nullptr : onLeaf,
                      reinterpret_cast<PyTupleObject *>(leaves.get())->ob_item,
                      PyTuple_GET_SIZE(leaves.get()))
                : nullptr;
}

static PyObject *composeMethod(PyObject *self, PyObject *inner) {
  const TreeDef *treeDef = treeDefFromObject(inner);
  return treeDef ? makeTreeDefObject(treeDefOf(self).compose(*treeDef))
                 : nullptr;
}

static PyObject *childrenMethod(PyObject *self, PyObject *) {
  std::vector<PyRef> objects;
  for (TreeDef &child : treeDefOf(self).children()) {
    objects.push_back(PyRef::steal(makeTreeDefObject(std::move(child))));
    if (!objects.back()) {
      return nullptr;
    }
  }
  return listOf(objects);
}

/// The type that a node rebuilds. Borrowed; null for a leaf.
static PyObject *typeOfNode(const Node &node) {
  switch (node.kind) {
  case Kind::Leaf:
    return nullptr;
  case Kind::None:
    return reinterpret_cast<PyObject *>(Py_TYPE(Py_None));
  case Kind::Tuple:
    return reinterpret_cast<PyObject *>(&PyTuple_Type);
  case Kind::List:
    return reinterpret_cast<PyObject *>(&PyList_Type);
  case Kind::Dict:
    return reinterpret_cast<PyObject *>(&PyDict_Type);
  case Kind::NamedTuple:
    return node.data.get();
  case Kind::Custom:
  case Kind::Dataclass:
    return reinterpret_cast<PyObject *>(node.registered()->type);
  }
  Py_UNREACHABLE();
}

/// A pair (type, data) that fillNode turns back into `node`; None for a leaf.
static PyObject *nodeData(const Node &node) {
  PyObject *type = typeOfNode(node);
  if (!type) {
    Py_RETURN_NONE;
  }
  PyRef data = node.kind == Kind::NamedTuple ? PyRef()
               : node.kind == Kind::Dict
                   ? PyRef::steal(PySequence_List(node.data.get()))
                   : node.data;
  return PyTuple_Pack(2, type, data ? data.get() : Py_None);
}

/// Makes `node` what the pair of nodeData says, its arity being known.
static bool fillNode(const Registry &registry, PyObject *pair, Node &node) {
  if (pair == Py_None) {
    if (node.arity != 0) {
      PyErr_SetString(PyExc_ValueError, "a leaf has no children");
    }
    return node.arity == 0;
  }
  PyObject *type, *data;
  if (!PyTuple_Check(pair) ||
      !PyArg_ParseTuple(pair, "O!O", &PyType_Type, &type, &data)) {
    if (!PyErr_Occurred()) {
      PyErr_Format(PyExc_TypeError,
                   "node_data must be None or a pair (type, data), got %R",
                   pair);
    }
    return false;
  }
  auto *typeObject = reinterpret_cast<PyTypeObject *>(type);
  if (typeObject == Py_TYPE(Py_None)) {
    node.kind = Kind::None;
    if (node.arity != 0) {
      PyErr_SetString(PyExc_ValueError, "None has no children");
    }
    return node.arity == 0;
  }
  if (typeObject == &PyTuple_Type || typeObject == &PyList_Type) {
    node.kind = typeObject == &PyTuple_Type ? Kind::Tuple : Kind::List;
    return true;
  }
  if (typeObject == &PyDict_Type) {
    node.kind = Kind::Dict;
    node.data = PyRef::steal(PySequence_List(data));
    if (node.data && PyList_GET_SIZE(node.data.get()) != node.arity) {
      PyErr_Format(PyExc_ValueError,
                   "%zd keys for %zd children: their numbers must agree",
                   PyList_GET_SIZE(node.data.get()), node.arity);
      return false;
    }
    return static_cast<bool>(node.data);
  }
  if (Registration *entry = findRegistration(registry, typeObject)) {
    node.kind = entry->kind;
    node.data = PyRef::borrow(data);
    node.registration = PyRef::borrow(reinterpret_cast<PyObject *>(entry));
    bool fits =
        entry->kind == Kind::Custom ||
        (PyTuple_Check(data) &&
         PyTuple_GET_SIZE(data) == PyTuple_GET_SIZE(entry->metaFields) &&
         node.arity == PyTuple_GET_SIZE(entry->dataFields));
    if (!fits) {
      PyErr_Format(PyExc_ValueError,
                   "%zd children and data %R do not fit the fields of the "
                   "dataclass %R",
                   node.arity, data, type);
    }
    return fits;
  }
  if (!isNamedTupleType(typeObject)) {
    PyErr_Format(PyExc_ValueError,
                 "%R is not registered as a pytree node in this registry",
                 type);
    return false;
  }
  node.kind = Kind::NamedTuple;
  node.data = PyRef::borrow(type);
  return true;
}

static PyObject *nodeDataMethod(PyObject *self, PyObject *) {
  return nodeData(treeDefOf(self).root());
}

static PyObject *fromNodeDataMethod(PyObject *, PyObject *args,
                                    PyObject *kwargs) {
  static const char *names[] = {"registry", "node_data", "children", nullptr};
  PyObject *registryObject, *pair, *iterable;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "OOO:from_node_data_and_children",
          const_cast<char **>(names), &registryObject, &pair, &iterable)) {
    return nullptr;
  }
  const Registry *registry = registryFromObject(registryObject);
  PyRef children =
      registry ? PyRef::steal(PySequence_Tuple(iterable)) : PyRef();
  if (!children) {
    return nullptr;
  }
  TreeDef treeDef;
  treeDef.registry = PyRef::borrow(registryObject);
  Py_ssize_t count = PyTuple_GET_SIZE(children.get());
  for (Py_ssize_t i = 0; i < count; ++i) {
    const TreeDef *child =
        treeDefFromObject(PyTuple_GET_ITEM(children.get(), i));
    if (!child) {
      return nullptr;
    }
    treeDef.nodes.insert(treeDef.nodes.end(), child->nodes.begin(),
                         child->nodes.end());
  }
  Node &node = treeDef.nodes.emplace_back();
  node.arity = count;
  if (!fillNode(*registry, pair, node)) {
    return nullptr;
  }
  treeDef.countNodes();
  return makeTreeDefObject(std::move(treeDef));
}

static PyObject *treeDefTuple(PyObject *, PyObject *args) {
  PyObject *registry, *iterable;
  if (!PyArg_ParseTuple(args, "OO:treedef_tuple", &registry, &iterable)) {
    return nullptr;
  }
  PyRef arguments = PyRef::steal(
      Py_BuildValue("(O(OO)O)", registry, &PyTuple_Type, Py_None, iterable));
  return arguments ? fromNodeDataMethod(nullptr, arguments.get(), nullptr)
                   : nullptr;
}

//===----------------------------------------------------------------------===//
// Pickling
//===----------------------------------------------------------------------===//

static PyObject *reduceTreeDef(PyObject *self, PyObject *) {
  const TreeDef &treeDef = treeDefOf(self);
  std::vector<PyRef> entries;
  for (const Node &node : treeDef.nodes) {
    PyRef data = PyRef::steal(nodeData(node));
    entries.push_back(PyRef::steal(
        data ? Py_BuildValue("(nO)", node.arity, data.get()) : nullptr));
    if (!entries.back()) {
      return nullptr;
    }
  }
  PyRef list = PyRef::steal(listOf(entries));
  PyRef restore = PyRef::steal(PyObject_GetAttrString(
      reinterpret_cast<PyObject *>(treeDefType), "_restore"));
  return list && restore ? Py_BuildValue("O(OO)", restore.get(),
                                         treeDef.registry.get(), list.get())
                         : nullptr;
}

static PyObject *restoreMethod(PyObject *, PyObject *args) {
  PyObject *registryObject, *entries;
  if (!PyArg_ParseTuple(args, "OO!:_restore", &registryObject, &PyList_Type,
                        &entries)) {
    return nullptr;
  }
  const Registry *registry = registryFromObject(registryObject);
  if (!registry) {
    return nullptr;
  }
  TreeDef treeDef;
  treeDef.registry = PyRef::borrow(registryObject);
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(entries); ++i) {
    PyObject *entry = PyList_GET_ITEM(entries, i), *pair;
    Node &node = treeDef.nodes.emplace_back();
    if (!PyTuple_Check(entry) ||
        !PyArg_ParseTuple(entry, "nO", &node.arity, &pair) ||
        !fillNode(*registry, pair, node)) {
      if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_TypeError, "a pickled PyTreeDef is malformed");
      }
      return nullptr;
    }
  }
  if (!treeDef.countNodes()) {
    PyErr_SetString(PyExc_ValueError, "a pickled PyTreeDef is malformed");
    return nullptr;
  }
  return makeTreeDefObject(std::move(treeDef));
}

static PyObject *serializeMethod(PyObject *self, PyObject *) {
  return serializeTreeDef(treeDefOf(self));
}

static PyObject *deserializeMethod(PyObject *, PyObject *args,
                                   PyObject *kwargs) {
  static const char *names[] = {"registry", "data", nullptr};
  PyObject *registry, *data;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OS:deserialize_using_proto",
                                   const_cast<char **>(names), &registry,
                                   &data) ||
      !registryFromObject(registry)) {
    return nullptr;
  }
  TreeDef treeDef;
  treeDef.registry = PyRef::borrow(registry);
  return deserializeTreeDef(PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data),
                            treeDef)
             ? makeTreeDefObject(std::move(treeDef))
             : nullptr;
}

//===----------------------------------------------------------------------===//
// The type
//===----------------------------------------------------------------------===//

static PyObject *numLeaves(PyObject *self, void *) {
  return PyLong_FromSsize_t(treeDefOf(self).numLeaves());
}

static PyObject *numNodes(PyObject *self, void *) {
  return PyLong_FromSsize_t(treeDefOf(self).numNodes());
}

static PyGetSetDef treeDefProperties[] = {
    {"num_leaves", numLeaves, nullptr, "The number of leaves.", nullptr},
    {"num_nodes", numNodes, nullptr,
     "The number of containers and leaves together.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

/// A method with keywords has one parameter more than the table's type says.
static PyCFunction asMethod(PyCFunctionWithKeywords function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(function));
}

static PyMethodDef treeDefMethods[] = {
    {"unflatten", unflattenMethod, METH_O,
     "unflatten($self, leaves, /)\n--\n\nThe tree with these leaves."},
    {"flatten_up_to", flattenUpToMethod, METH_O,
     "flatten_up_to($self, tree, /)\n--\n\n"
     "The subtrees of `tree` that stand where this structure has leaves."},
    {"compose", composeMethod, METH_O,
     "compose($self, inner, /)\n--\n\n"
     "This structure with `inner` in place of each leaf."},
    {"walk", walkMethod, METH_VARARGS,
     "walk($self, f_node, f_leaf, leaves, /)\n--\n\n"
     "Folds the tree: ``f_node(children, node_data)`` at containers, and\n"
     "``f_leaf(leaf)`` at leaves unless it is None, from the bottom up."},
    {"from_iterable_tree", fromIterableTreeMethod, METH_O,
     "from_iterable_tree($self, tree, /)\n--\n\n"
     "This structure with the leaves of a nest of iterables."},
    {"children", childrenMethod, METH_NOARGS,
     "children($self, /)\n--\n\nThe list of the root's children."},
    {"node_data", nodeDataMethod, METH_NOARGS,
     "node_data($self, /)\n--\n\n"
     "The root's type and data as a pair, or None for a leaf."},
    {"from_node_data_and_children", asMethod(fromNodeDataMethod),
     METH_VARARGS | METH_KEYWORDS | METH_STATIC,
     "from_node_data_and_children(registry, node_data, children)\n--\n\n"
     "The structure whose root is `node_data` above `children`."},
    {"serialize_using_proto", serializeMethod, METH_NOARGS,
     "serialize_using_proto($self, /)\n--\n\n"
     "The structure as a protocol buffer; built-in containers only."},
    {"deserialize_using_proto", asMethod(deserializeMethod),
     METH_VARARGS | METH_KEYWORDS | METH_STATIC,
     "deserialize_using_proto(registry, data)\n--\n\n"
     "The structure that `serialize_using_proto` wrote."},
    {"_restore", restoreMethod, METH_VARARGS | METH_STATIC,
     "_restore(registry, nodes, /)\n--\n\nUndoes pickling."},
    {"__reduce__", reduceTreeDef, METH_NOARGS, "Pickles the structure."},
    {nullptr, nullptr, 0, nullptr},
};

static PyMethodDef moduleFunctions[] = {
    {"treedef_tuple", treeDefTuple, METH_VARARGS,
     "treedef_tuple(registry, treedefs, /)\n--\n\n"
     "The structure of a tuple with these children."},
    {nullptr, nullptr, 0, nullptr},
};

bool addTreeDefType(PyObject *module) {
  static PyMemberDef members[] = {
      {"__weaklistoffset__", T_PYSSIZET,
       offsetof(TreeDefObject, weakReferences), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr},
  };
  PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void *>(deallocateTreeDef)},
      {Py_tp_traverse, reinterpret_cast<void *>(traverseTreeDef)},
      {Py_tp_repr, reinterpret_cast<void *>(reprOfTreeDef)},
      {Py_tp_hash, reinterpret_cast<void *>(hashOfTreeDef)},
      {Py_tp_richcompare, reinterpret_cast<void *>(compareTreeDefs)},
      {Py_tp_methods, treeDefMethods},
      {Py_tp_getset, treeDefProperties},
      {Py_tp_members, members},
      {Py_tp_doc,
       const_cast<char *>("The structure of a pytree: what is left when its "
                          "leaves are taken out.")},
      {0, nullptr},
  };
  PyType_Spec spec = {"jaxlib._native.pytree.PyTreeDef", sizeof(TreeDefObject),
                      0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                          Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      slots};
  treeDefType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return treeDefType &&
         PyObject_SetAttrString(module, "PyTreeDef",
                                reinterpret_cast<PyObject *>(treeDefType)) ==
             0 &&
         PyModule_AddFunctions(module, moduleFunctions) == 0;
}

} // namespace jaxlib::pytree
