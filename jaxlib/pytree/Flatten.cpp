//===- Flatten.cpp - From a nest of containers to leaves ------------------===//

#include "jaxlib/pytree/PyTree.h"

namespace jaxlib::pytree {

//===----------------------------------------------------------------------===//
// One container
//===----------------------------------------------------------------------===//

/// Replaces the TypeError of a failed sort by a ValueError that explains it.
static void explainUnsortableKeys(PyObject *dict) {
  PyObject *type, *cause, *traceback;
  PyErr_Fetch(&type, &cause, &traceback);
  PyErr_NormalizeException(&type, &cause, &traceback);
  PyRef types = PyRef::steal(PySet_New(nullptr));
  Py_ssize_t position = 0;
  PyObject *key;
  while (types && PyDict_Next(dict, &position, &key, nullptr)) {
    PySet_Add(types.get(), reinterpret_cast<PyObject *>(Py_TYPE(key)));
  }
  PyErr_Format(PyExc_ValueError,
               "Comparator raised exception while sorting pytree dictionary "
               "keys.\n  a dict with keys of the types %R: %S\nThe leaves of a "
               "dict are ordered by its keys. Use keys that compare with <, or "
               "a collections.OrderedDict, which keeps its own order.",
               types ? types.get() : Py_None, cause ? cause : Py_None);
  PyObject *newType, *error, *newTraceback;
  PyErr_Fetch(&newType, &error, &newTraceback);
  PyErr_NormalizeException(&newType, &error, &newTraceback);
  if (error && cause) {
    PyException_SetCause(error, Py_NewRef(cause));
  }
  PyErr_Restore(newType, error, newTraceback);
  Py_XDECREF(type);
  Py_XDECREF(cause);
  Py_XDECREF(traceback);
}

static bool openDict(PyObject *tree, OneLevel &level) {
  level.data = PyRef::steal(PyDict_Keys(tree));
  if (!level.data) {
    return false;
  }
  if (PyList_Sort(level.data.get()) < 0) {
    explainUnsortableKeys(tree);
    return false;
  }
  Py_ssize_t arity = PyList_GET_SIZE(level.data.get());
  level.children = PyRef::steal(PyTuple_New(arity));
  if (!level.children) {
    return false;
  }
  for (Py_ssize_t i = 0; i < arity; ++i) {
    PyObject *key = PyList_GET_ITEM(level.data.get(), i);
    PyObject *value = PyDict_GetItemWithError(tree, key);
    if (!value) {
      if (!PyErr_Occurred()) {
        PyErr_SetObject(PyExc_KeyError, key);
      }
      return false;
    }
    PyTuple_SET_ITEM(level.children.get(), i, Py_NewRef(value));
  }
  level.arity = arity;
  return true;
}

/// Splits the (key, child) pairs that a custom node gave.
static bool splitPairs(const Registration &entry, PyObject *pairs,
                       OneLevel &level) {
  Py_ssize_t arity = PyTuple_GET_SIZE(pairs);
  level.keys = PyRef::steal(PyTuple_New(arity));
  level.children = PyRef::steal(PyTuple_New(arity));
  if (!level.keys || !level.children) {
    return false;
  }
  for (Py_ssize_t i = 0; i < arity; ++i) {
    PyObject *pair = PyTuple_GET_ITEM(pairs, i);
    if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) {
      PyErr_Format(PyExc_ValueError,
                   "The to_iterable_with_keys function of the pytree node %R "
                   "returned %R as child %zd; each child must be a pair (key, "
                   "child).",
                   entry.type, pair, i);
      return false;
    }
    PyTuple_SET_ITEM(level.keys.get(), i, Py_NewRef(PyTuple_GET_ITEM(pair, 0)));
    PyTuple_SET_ITEM(level.children.get(), i,
                     Py_NewRef(PyTuple_GET_ITEM(pair, 1)));
  }
  level.arity = arity;
  return true;
}

static bool openCustom(const Registration &entry, PyObject *tree, bool wantKeys,
                       OneLevel &level) {
  bool byKeys = wantKeys && entry.toIterableByKeys;
  const char *function = byKeys ? "to_iterable_with_keys" : "to_iterable";
  PyRef result = PyRef::steal(PyObject_CallOneArg(
      byKeys ? entry.toIterableByKeys : entry.toIterable, tree));
  if (!result) {
    return false;
  }
  if (!PyTuple_Check(result.get()) || PyTuple_GET_SIZE(result.get()) != 2) {
    PyErr_Format(PyExc_ValueError,
                 "The %s function of the pytree node %R returned %R; it must "
                 "return a tuple (children, aux_data).",
                 function, entry.type, result.get());
    return false;
  }
  PyObject *iterable = PyTuple_GET_ITEM(result.get(), 0);
  level.data = PyRef::borrow(PyTuple_GET_ITEM(result.get(), 1));
  PyRef children = PyRef::steal(PySequence_Tuple(iterable));
  if (!children) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) &&
        !Py_TYPE(iterable)->tp_iter && !PySequence_Check(iterable)) {
      PyErr_Format(PyExc_ValueError,
                   "The %s function of the pytree node %R returned %R, whose "
                   "first part, the children, is not iterable.",
                   function, entry.type, result.get());
    }
    return false;
  }
  if (byKeys) {
    return splitPairs(entry, children.get(), level);
  }
  level.arity = PyTuple_GET_SIZE(children.get());
  level.children = std::move(children);
  return true;
}

static PyRef getFields(PyObject *tree, PyObject *names) {
  Py_ssize_t count = PyTuple_GET_SIZE(names);
  PyRef values = PyRef::steal(PyTuple_New(count));
  for (Py_ssize_t i = 0; values && i < count; ++i) {
    PyObject *value = PyObject_GetAttr(tree, PyTuple_GET_ITEM(names, i));
    if (!value) {
      return {};
    }
    PyTuple_SET_ITEM(values.get(), i, value);
  }
  return values;
}

bool flattenOneLevel(const Registry &registry, PyObject *tree, bool wantKeys,
                     OneLevel &level) {
  Registration *entry;
  level.kind = classify(registry, tree, entry);
  switch (level.kind) {
  case Kind::Leaf:
  case Kind::None:
    return true;
  case Kind::NamedTuple:
    level.data = PyRef::borrow(reinterpret_cast<PyObject *>(Py_TYPE(tree)));
    [[fallthrough]];
  case Kind::Tuple:
    level.arity = PyTuple_GET_SIZE(tree);
    level.children = PyRef::borrow(tree);
    return true;
  case Kind::List:
    level.arity = PyList_GET_SIZE(tree);
    level.children = PyRef::borrow(tree);
    return true;
  case Kind::Dict:
    return openDict(tree, level);
  case Kind::Custom:
    level.registration = PyRef::borrow(reinterpret_cast<PyObject *>(entry));
    return openCustom(*entry, tree, wantKeys, level);
  case Kind::Dataclass:
    level.registration = PyRef::borrow(reinterpret_cast<PyObject *>(entry));
    level.arity = PyTuple_GET_SIZE(entry->dataFields);
    level.children = getFields(tree, entry->dataFields);
    level.data = level.children ? getFields(tree, entry->metaFields) : PyRef();
    return static_cast<bool>(level.data);
  }
  Py_UNREACHABLE();
}

PyObject *keyOfChild(const OneLevel &level, Py_ssize_t index) {
  switch (level.kind) {
  case Kind::Leaf:
  case Kind::None:
    break;
  case Kind::Tuple:
  case Kind::List:
    return makeSequenceKey(index);
  case Kind::Dict:
    return makeDictKey(PyList_GET_ITEM(level.data.get(), index));
  case Kind::NamedTuple: {
    PyRef names =
        PyRef::steal(PyObject_GetAttrString(level.data.get(), "_fields"));
    PyRef name =
        names ? PyRef::steal(PySequence_GetItem(names.get(), index)) : PyRef();
    return name ? makeGetAttrKey(name.get()) : nullptr;
  }
  case Kind::Custom:
    return level.keys ? Py_NewRef(PyTuple_GET_ITEM(level.keys.get(), index))
                      : makeFlattenedIndexKey(index);
  case Kind::Dataclass: {
    auto *entry = reinterpret_cast<Registration *>(level.registration.get());
    return makeGetAttrKey(PyTuple_GET_ITEM(entry->dataFields, index));
  }
  }
  PyErr_SetString(PyExc_IndexError, "a leaf has no children");
  return nullptr;
}

//===----------------------------------------------------------------------===//
// A whole tree
//===----------------------------------------------------------------------===//

namespace {

/// A container whose children are being visited.
struct Frame {
  OneLevel level;
  Py_ssize_t next = 0;
  Py_ssize_t leavesBefore = 0;
  Py_ssize_t nodesBefore = 0;
};

class Flattener {
public:
  Flattener(const Registry &registry, PyObject *isLeaf,
            std::vector<PyRef> &leaves, std::vector<PyRef> *paths,
            TreeDef &treeDef)
      : registry(registry), isLeaf(isLeaf), leaves(leaves), paths(paths),
        nodes(treeDef.nodes) {
    treeDef.registry = PyRef::borrow(objectFromRegistry(registry));
  }

  bool run(PyObject *tree) {
    if (!visit(tree)) {
      return false;
    }
    while (!frames.empty()) {
      if (frames.back().next == frames.back().level.arity) {
        close();
      } else if (!visitNextChild()) {
        return false;
      }
    }
    return true;
  }

private:
  bool visitNextChild() {
    Frame &frame = frames.back();
    const OneLevel &level = frame.level;
    Py_ssize_t index = frame.next++;
    if (paths) {
      path.resize(frames.size() - 1);
      path.push_back(PyRef::steal(keyOfChild(level, index)));
      if (!path.back()) {
        return false;
      }
    }
    if (level.kind != Kind::List) {
      // Tuples do not change: the frame keeps the child alive.
      return visit(PyTuple_GET_ITEM(level.children.get(), index));
    }
    if (index >= PyList_GET_SIZE(level.children.get())) {
      PyErr_SetString(PyExc_RuntimeError,
                      "a list became shorter while it was being flattened");
      return false;
    }
    PyRef child = PyRef::borrow(PyList_GET_ITEM(level.children.get(), index));
    return visit(child.get());
  }

  bool visit(PyObject *tree) {
    bool stop = false;
    if (isLeaf && !askIsLeaf(tree, stop)) {
      return false;
    }
    Registration *entry;
    if (stop || classify(registry, tree, entry) == Kind::Leaf) {
      return addLeaf(tree);
    }
    Frame &frame = frames.emplace_back();
    frame.leavesBefore = static_cast<Py_ssize_t>(leaves.size());
    frame.nodesBefore = static_cast<Py_ssize_t>(nodes.size());
    // May run Python code, but none that reaches this flattener.
    return flattenOneLevel(registry, tree, paths != nullptr, frame.level);
  }

  bool addLeaf(PyObject *leaf) {
    if (paths) {
      path.resize(frames.size());
      PyRef keys = PyRef::steal(pathTuple());
      if (!keys) {
        return false;
      }
      paths->push_back(std::move(keys));
    }
    leaves.push_back(PyRef::borrow(leaf));
    nodes.emplace_back();
    return true;
  }

  /// Ends the innermost container: its node follows those of its children.
  void close() {
    Frame &frame = frames.back();
    Node &node = nodes.emplace_back();
    node.kind = frame.level.kind;
    node.arity = frame.level.arity;
    node.numLeaves =
        static_cast<Py_ssize_t>(leaves.size()) - frame.leavesBefore;
    node.numNodes = static_cast<Py_ssize_t>(nodes.size()) - frame.nodesBefore;
    node.data = std::move(frame.level.data);
    node.registration = std::move(frame.level.registration);
    frames.pop_back();
  }

  PyObject *pathTuple() const {
    PyObject *tuple = PyTuple_New(static_cast<Py_ssize_t>(path.size()));
    for (size_t i = 0; tuple && i < path.size(); ++i) {
      PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i),
                       Py_NewRef(path[i].get()));
    }
    return tuple;
  }

  bool askIsLeaf(PyObject *tree, bool &answer) {
    PyRef result;
    if (paths) {
      path.resize(frames.size());
      PyRef keys = PyRef::steal(pathTuple());
      if (!keys) {
        return false;
      }
      result = PyRef::steal(
          PyObject_CallFunctionObjArgs(isLeaf, keys.get(), tree, nullptr));
    } else {
      result = PyRef::steal(PyObject_CallOneArg(isLeaf, tree));
    }
    if (!result) {
      return false;
    }
    answer = result.get() == Py_True;
    if (answer || result.get() == Py_False || result.get() == Py_None) {
      return true;
    }
    PyErr_Format(PyExc_ValueError,
                 "is_leaf predicate returned a non-boolean value %R; expected "
                 "a boolean",
                 result.get());
    return false;
  }

  const Registry &registry;
  PyObject *isLeaf;
  std::vector<PyRef> &leaves;
  std::vector<PyRef> *paths;
  std::vector<Node> &nodes;
  std::vector<Frame> frames;
  std::vector<PyRef> path; ///< one key per frame, of the child being visited
};

} // namespace

bool flatten(const Registry &registry, PyObject *tree, PyObject *isLeaf,
             std::vector<PyRef> &leaves, TreeDef &treeDef) {
  return Flattener(registry, isLeaf, leaves, nullptr, treeDef).run(tree);
}

bool flattenWithPath(const Registry &registry, PyObject *tree, PyObject *isLeaf,
                     std::vector<PyRef> &leaves, std::vector<PyRef> &paths,
                     TreeDef &treeDef) {
  return Flattener(registry, isLeaf, leaves, &paths, treeDef).run(tree);
}

} // namespace jaxlib::pytree
