//===- Registry.cpp - Which types are containers --------------------------===//

#include "jaxlib/pytree/PyTree.h"

#include <structmember.h>

#include <unordered_map>

namespace jaxlib::pytree {

using RegistrationMap = std::unordered_map<PyTypeObject *, PyRef>;

struct Registry {
  PyObject_HEAD;
  PyObject *attributes; ///< the instance's __dict__
  RegistrationMap *registrations;
  bool enabled[static_cast<int>(Kind::NamedTuple) + 1]; ///< by Kind
};

static PyTypeObject *registryType;
static PyTypeObject *registrationType;
static Registry *theDefaultRegistry;

Registry *defaultRegistry() { return theDefaultRegistry; }

Registry *registryFromObject(PyObject *object) {
  if (!PyObject_TypeCheck(object, registryType)) {
    PyErr_Format(PyExc_TypeError, "expected a PyTreeRegistry, got a %s",
                 Py_TYPE(object)->tp_name);
    return nullptr;
  }
  return reinterpret_cast<Registry *>(object);
}

PyObject *objectFromRegistry(const Registry &registry) {
  return reinterpret_cast<PyObject *>(const_cast<Registry *>(&registry));
}

Registration *findRegistration(const Registry &registry, PyTypeObject *type) {
  auto found = registry.registrations->find(type);
  return found == registry.registrations->end()
             ? nullptr
             : reinterpret_cast<Registration *>(found->second.get());
}

bool isNamedTupleType(PyTypeObject *type) {
  if (!PyType_FastSubclass(type, Py_TPFLAGS_TUPLE_SUBCLASS) ||
      type == &PyTuple_Type) {
    return false;
  }
  PyObject *typeObject = reinterpret_cast<PyObject *>(type);
  PyRef fields = PyRef::steal(PyObject_GetAttrString(typeObject, "_fields"));
  if (!fields) {
    PyErr_Clear();
    return false;
  }
  return PyTuple_Check(fields.get());
}

static Kind builtinKind(PyTypeObject *type) {
  if (type == &PyTuple_Type) {
    return Kind::Tuple;
  }
  if (type == &PyList_Type) {
    return Kind::List;
  }
  if (type == &PyDict_Type) {
    return Kind::Dict;
  }
  return type == Py_TYPE(Py_None) ? Kind::None : Kind::Leaf;
}

static bool isEnabled(const Registry &registry, Kind kind) {
  return registry.enabled[static_cast<int>(kind)];
}

static Kind classifyType(const Registry &registry, PyTypeObject *type,
                         Registration *&registration) {
  registration = nullptr;
  Kind kind = builtinKind(type);
  if (kind != Kind::Leaf && isEnabled(registry, kind)) {
    return kind;
  }
  registration = findRegistration(registry, type);
  if (registration) {
    return registration->kind;
  }
  return isEnabled(registry, Kind::NamedTuple) && isNamedTupleType(type)
             ? Kind::NamedTuple
             : Kind::Leaf;
}

Kind classify(const Registry &registry, PyObject *tree,
              Registration *&registration) {
  return classifyType(registry, Py_TYPE(tree), registration);
}

bool isNodeType(const Registry &registry, PyTypeObject *type) {
  Registration *registration;
  return classifyType(registry, type, registration) != Kind::Leaf;
}

//===----------------------------------------------------------------------===//
// The type Registration
//===----------------------------------------------------------------------===//

static int traverseRegistration(PyObject *self, visitproc visit, void *arg) {
  auto *entry = reinterpret_cast<Registration *>(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(entry->type);
  Py_VISIT(entry->toIterable);
  Py_VISIT(entry->fromIterable);
  Py_VISIT(entry->toIterableByKeys);
  Py_VISIT(entry->dataFields);
  Py_VISIT(entry->metaFields);
  Py_VISIT(entry->allFields);
  return 0;
}

// There is no tp_clear: nodes may outlive a collected cycle's start and need
// their functions. Registries and treedefs break every cycle.
static void deallocateRegistration(PyObject *self) {
  auto *entry = reinterpret_cast<Registration *>(self);
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_CLEAR(entry->type);
  Py_CLEAR(entry->toIterable);
  Py_CLEAR(entry->fromIterable);
  Py_CLEAR(entry->toIterableByKeys);
  Py_CLEAR(entry->dataFields);
  Py_CLEAR(entry->metaFields);
  Py_CLEAR(entry->allFields);
  type->tp_free(self);
  Py_DECREF(type);
}

/// Adds an empty registration for `type`, or null and a ValueError.
static Registration *addRegistration(Registry &registry, PyTypeObject *type,
                                     Kind kind) {
  Kind builtin = builtinKind(type);
  if (findRegistration(registry, type) ||
      (builtin != Kind::Leaf && isEnabled(registry, builtin))) {
    PyErr_Format(PyExc_ValueError,
                 "Duplicate custom %sPyTreeDef type registration for %R. A "
                 "type is registered once, and list, tuple, dict and None "
                 "always are.",
                 kind == Kind::Dataclass ? "dataclass " : "", type);
    return nullptr;
  }
  auto *entry = reinterpret_cast<Registration *>(
      registrationType->tp_alloc(registrationType, 0));
  if (!entry) {
    return nullptr;
  }
  entry->kind = kind;
  entry->type = reinterpret_cast<PyTypeObject *>(Py_NewRef(type));
  (*registry.registrations)[type] =
      PyRef::steal(reinterpret_cast<PyObject *>(entry));
  return entry;
}

//===----------------------------------------------------------------------===//
// The type PyTreeRegistry
//===----------------------------------------------------------------------===//

static Registry *registryOf(PyObject *self) {
  return reinterpret_cast<Registry *>(self);
}

static PyObject *newRegistry(PyTypeObject *type, PyObject *args,
                             PyObject *kwargs) {
  static const char *names[] = {"enable_none",       "enable_tuple",
                                "enable_namedtuple", "enable_list",
                                "enable_dict",       nullptr};
  int none = 1, tuple = 1, namedTuple = 1, list = 1, dict = 1;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|ppppp",
                                   const_cast<char **>(names), &none, &tuple,
                                   &namedTuple, &list, &dict)) {
    return nullptr;
  }
  PyObject *self = type->tp_alloc(type, 0);
  if (!self) {
    return nullptr;
  }
  Registry *registry = registryOf(self);
  registry->registrations = new RegistrationMap();
  auto enable = [&](Kind kind, int value) {
    registry->enabled[static_cast<int>(kind)] = value != 0;
  };
  enable(Kind::Leaf, 0);
  enable(Kind::None, none);
  enable(Kind::Tuple, tuple);
  enable(Kind::NamedTuple, namedTuple);
  enable(Kind::List, list);
  enable(Kind::Dict, dict);
  return self;
}

static int traverseRegistry(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(registryOf(self)->attributes);
  if (registryOf(self)->registrations) {
    for (auto &entry : *registryOf(self)->registrations) {
      Py_VISIT(entry.second.get());
    }
  }
  return 0;
}

static int clearRegistry(PyObject *self) {
  Py_CLEAR(registryOf(self)->attributes);
  if (registryOf(self)->registrations) {
    // Out of the registry first: releasing an entry may run Python code.
    RegistrationMap released;
    released.swap(*registryOf(self)->registrations);
  }
  return 0;
}

static void deallocateRegistry(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clearRegistry(self);
  delete registryOf(self)->registrations;
  type->tp_free(self);
  Py_DECREF(type);
}

static PyObject *registerNode(PyObject *self, PyObject *args,
                              PyObject *kwargs) {
  static const char *names[] = {"type", "to_iterable", "from_iterable",
                                "to_iterable_with_keys", nullptr};
  PyObject *type, *toIterable, *fromIterable, *byKeys = Py_None;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "O!OO|O:register_node", const_cast<char **>(names),
          &PyType_Type, &type, &toIterable, &fromIterable, &byKeys)) {
    return nullptr;
  }
  PyObject *functions[] = {toIterable, fromIterable, byKeys};
  for (int i = 0; i < 3; ++i) {
    if (!PyCallable_Check(functions[i]) && !(i == 2 && byKeys == Py_None)) {
      return PyErr_Format(PyExc_TypeError,
                          "register_node(%R): %s must be callable, got %R",
                          type, names[i + 1], functions[i]);
    }
  }
  Registration *entry = addRegistration(
      *registryOf(self), reinterpret_cast<PyTypeObject *>(type), Kind::Custom);
  if (!entry) {
    return nullptr;
  }
  entry->toIterable = Py_NewRef(toIterable);
  entry->fromIterable = Py_NewRef(fromIterable);
  entry->toIterableByKeys = byKeys == Py_None ? nullptr : Py_NewRef(byKeys);
  Py_RETURN_NONE;
}

/// A tuple of interned attribute names, or null and a TypeError.
static PyRef internedNames(PyObject *names) {
  PyRef tuple = PyRef::steal(PySequence_Tuple(names));
  if (!tuple) {
    return {};
  }
  PyRef interned = PyRef::steal(PyTuple_New(PyTuple_GET_SIZE(tuple.get())));
  if (!interned) {
    return {};
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple.get()); ++i) {
    PyObject *name = PyTuple_GET_ITEM(tuple.get(), i);
    if (!PyUnicode_CheckExact(name)) {
      PyErr_Format(PyExc_TypeError,
                   "register_dataclass: field names are str, got %R", name);
      return {};
    }
    Py_INCREF(name);
    PyUnicode_InternInPlace(&name);
    PyTuple_SET_ITEM(interned.get(), i, name);
  }
  return interned;
}

static PyObject *registerDataclassNode(PyObject *self, PyObject *args) {
  PyObject *type, *dataFields, *metaFields;
  if (!PyArg_ParseTuple(args, "O!OO:register_dataclass_node", &PyType_Type,
                        &type, &dataFields, &metaFields)) {
    return nullptr;
  }
  PyRef data = internedNames(dataFields);
  PyRef meta = data ? internedNames(metaFields) : PyRef();
  PyRef all =
      meta ? PyRef::steal(PySequence_Concat(data.get(), meta.get())) : PyRef();
  if (!all) {
    return nullptr;
  }
  Registration *entry =
      addRegistration(*registryOf(self), reinterpret_cast<PyTypeObject *>(type),
                      Kind::Dataclass);
  if (!entry) {
    return nullptr;
  }
  entry->dataFields = data.release();
  entry->metaFields = meta.release();
  entry->allFields = all.release();
  Py_RETURN_NONE;
}

static PyObject *noneAsNull(PyObject *predicate) {
  return predicate == Py_None ? nullptr : predicate;
}

static bool parseFlatten(PyObject *args, PyObject *kwargs, const char *format,
                         PyObject *&tree, PyObject *&isLeaf) {
  static const char *names[] = {"tree", "leaf_predicate", nullptr};
  isLeaf = Py_None;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, format, const_cast<char **>(names), &tree, &isLeaf)) {
    return false;
  }
  isLeaf = noneAsNull(isLeaf);
  if (isLeaf && !PyCallable_Check(isLeaf)) {
    PyErr_Format(PyExc_TypeError, "is_leaf must be callable or None, got %R",
                 isLeaf);
    return false;
  }
  return true;
}

static PyObject *flattenMethod(PyObject *self, PyObject *args,
                               PyObject *kwargs) {
  PyObject *tree, *isLeaf;
  std::vector<PyRef> leaves;
  TreeDef treeDef;
  if (!parseFlatten(args, kwargs, "O|O:flatten", tree, isLeaf) ||
      !flatten(*registryOf(self), tree, isLeaf, leaves, treeDef)) {
    return nullptr;
  }
  PyRef list = PyRef::steal(PyList_New(static_cast<Py_ssize_t>(leaves.size())));
  if (!list) {
    return nullptr;
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i),
                    leaves[i].release());
  }
  PyRef object = PyRef::steal(makeTreeDefObject(std::move(treeDef)));
  return object ? PyTuple_Pack(2, list.get(), object.get()) : nullptr;
}

static PyObject *flattenWithPathMethod(PyObject *self, PyObject *args,
                                       PyObject *kwargs) {
  PyObject *tree, *isLeaf;
  std::vector<PyRef> leaves, paths;
  TreeDef treeDef;
  if (!parseFlatten(args, kwargs, "O|O:flatten_with_path", tree, isLeaf) ||
      !flattenWithPath(*registryOf(self), tree, isLeaf, leaves, paths,
                       treeDef)) {
    return nullptr;
  }
  PyRef list = PyRef::steal(PyList_New(static_cast<Py_ssize_t>(leaves.size())));
  if (!list) {
    return nullptr;
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    PyObject *pair = PyTuple_Pack(2, paths[i].get(), leaves[i].get());
    if (!pair) {
      return nullptr;
    }
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), pair);
  }
  PyRef object = PyRef::steal(makeTreeDefObject(std::move(treeDef)));
  return object ? PyTuple_Pack(2, list.get(), object.get()) : nullptr;
}

/// What node_data shows for one level: dict keys as a tuple, a named tuple's
/// type, a custom node's data.
static PyRef levelData(const OneLevel &level) {
  if (level.kind == Kind::Dict) {
    return PyRef::steal(PyList_AsTuple(level.data.get()));
  }
  return level.data ? level.data : PyRef::borrow(Py_None);
}

static PyObject *flattenOneLevelMethod(PyObject *self, PyObject *tree) {
  OneLevel level;
  if (!flattenOneLevel(*registryOf(self), tree, /*wantKeys=*/false, level)) {
    return nullptr;
  }
  if (level.kind == Kind::Leaf) {
    Py_RETURN_NONE;
  }
  bool asList = level.kind == Kind::List || level.kind == Kind::NamedTuple;
  PyRef children = !level.children ? PyRef::steal(PyTuple_New(0))
                   : asList
                       ? PyRef::steal(PySequence_List(level.children.get()))
                       : PyRef::steal(PySequence_Tuple(level.children.get()));
  PyRef data = levelData(level);
  return children && data ? PyTuple_Pack(2, children.get(), data.get())
                          : nullptr;
}

static PyObject *flattenOneLevelWithKeysMethod(PyObject *self, PyObject *tree) {
  OneLevel level;
  if (!flattenOneLevel(*registryOf(self), tree, /*wantKeys=*/true, level)) {
    return nullptr;
  }
  if (level.kind == Kind::Leaf) {
    Py_RETURN_NONE;
  }
  PyRef pairs = PyRef::steal(PyList_New(0));
  for (Py_ssize_t i = 0; pairs && i < level.arity; ++i) {
    PyRef key = PyRef::steal(keyOfChild(level, i));
    PyRef child = PyRef::steal(PySequence_GetItem(level.children.get(), i));
    PyRef pair = key && child
                     ? PyRef::steal(PyTuple_Pack(2, key.get(), child.get()))
                     : PyRef();
    if (!pair || PyList_Append(pairs.get(), pair.get()) < 0) {
      return nullptr;
    }
  }
  bool asList = level.kind == Kind::NamedTuple || level.kind == Kind::Custom ||
                level.kind == Kind::Dataclass;
  if (pairs && !asList) {
    pairs = PyRef::steal(PyList_AsTuple(pairs.get()));
  }
  PyRef data = levelData(level);
  return pairs && data ? PyTuple_Pack(2, pairs.get(), data.get()) : nullptr;
}

static PyObject *isNodeMethod(PyObject *self, PyObject *type) {
  return PyBool_FromLong(
      PyType_Check(type) &&
      isNodeType(*registryOf(self), reinterpret_cast<PyTypeObject *>(type)));
}

static PyObject *reduceRegistry(PyObject *self, PyObject *) {
  PyObject *name =
      registryOf(self)->attributes
          ? PyDict_GetItemString(registryOf(self)->attributes, "__name__")
          : nullptr;
  if (!name) {
    PyErr_SetString(PyExc_TypeError,
                    "a PyTreeRegistry is pickled by name, and this one has "
                    "none: make it a global of a module and set its __module__ "
                    "and __name__");
    return nullptr;
  }
  return Py_NewRef(name);
}

/// A method with keywords has one parameter more than the table's type says.
static PyCFunction asMethod(PyCFunctionWithKeywords function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(function));
}

static PyMethodDef registryMethods[] = {
    {"flatten", asMethod(flattenMethod), METH_VARARGS | METH_KEYWORDS,
     "flatten($self, tree, leaf_predicate=None)\n--\n\n"
     "The list of leaves of `tree` and its PyTreeDef."},
    {"flatten_with_path", asMethod(flattenWithPathMethod),
     METH_VARARGS | METH_KEYWORDS,
     "flatten_with_path($self, tree, leaf_predicate=None)\n--\n\n"
     "The list of pairs (key path, leaf) of `tree` and its PyTreeDef."},
    {"flatten_one_level", flattenOneLevelMethod, METH_O,
     "flatten_one_level($self, tree, /)\n--\n\n"
     "The children and the node data of the outermost container, or None."},
    {"flatten_one_level_with_keys", flattenOneLevelWithKeysMethod, METH_O,
     "flatten_one_level_with_keys($self, tree, /)\n--\n\n"
     "The pairs (key, child) and the node data of the outermost container."},
    {"is_node", isNodeMethod, METH_O,
     "is_node($self, type, /)\n--\n\nWhether objects of `type` are "
     "containers."},
    {"register_node", asMethod(registerNode), METH_VARARGS | METH_KEYWORDS,
     "register_node($self, type, to_iterable, from_iterable, "
     "to_iterable_with_keys=None)\n--\n\n"
     "Makes objects of `type` containers."},
    {"register_dataclass_node", registerDataclassNode, METH_VARARGS,
     "register_dataclass_node($self, type, data_fields, meta_fields, /)\n"
     "--\n\nMakes objects of `type` containers of their data fields."},
    {"__reduce__", reduceRegistry, METH_NOARGS, "Pickles by name."},
    {nullptr, nullptr, 0, nullptr},
};

bool addRegistryTypes(PyObject *module) {
  PyType_Slot registrationSlots[] = {
      {Py_tp_dealloc, reinterpret_cast<void *>(deallocateRegistration)},
      {Py_tp_traverse, reinterpret_cast<void *>(traverseRegistration)},
      {0, nullptr},
  };
  PyType_Spec registrationSpec = {"jaxlib._native.pytree._Registration",
                                  sizeof(Registration), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                                      Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                  registrationSlots};
  static PyMemberDef members[] = {
      {"__dictoffset__", T_PYSSIZET, offsetof(Registry, attributes), READONLY,
       nullptr},
      {nullptr, 0, 0, 0, nullptr},
  };
  static PyGetSetDef dict[] = {
      {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr,
       nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr},
  };
  PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void *>(newRegistry)},
      {Py_tp_dealloc, reinterpret_cast<void *>(deallocateRegistry)},
      {Py_tp_traverse, reinterpret_cast<void *>(traverseRegistry)},
      {Py_tp_clear, reinterpret_cast<void *>(clearRegistry)},
      {Py_tp_methods, registryMethods},
      {Py_tp_members, members},
      {Py_tp_getset, dict},
      {Py_tp_doc,
       const_cast<char *>("PyTreeRegistry(enable_none=True, enable_tuple=True, "
                          "enable_namedtuple=True, enable_list=True, "
                          "enable_dict=True)\n--\n\n"
                          "Which types are containers of a pytree.")},
      {0, nullptr},
  };
  PyType_Spec spec = {"jaxlib._native.pytree.PyTreeRegistry", sizeof(Registry),
                      0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
  registrationType =
      reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&registrationSpec));
  registryType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  if (!registrationType || !registryType ||
      PyObject_SetAttrString(module, "PyTreeRegistry",
                             reinterpret_cast<PyObject *>(registryType)) < 0) {
    return false;
  }
  PyObject *registry =
      PyObject_CallNoArgs(reinterpret_cast<PyObject *>(registryType));
  theDefaultRegistry = registry ? registryOf(registry) : nullptr;
  PyRef name = PyRef::steal(PyUnicode_FromString("default_registry"));
  return registry && name &&
         PyObject_SetAttrString(registry, "__name__", name.get()) == 0 &&
         PyObject_SetAttrString(module, "default_registry", registry) == 0;
}

} // namespace jaxlib::pytree
