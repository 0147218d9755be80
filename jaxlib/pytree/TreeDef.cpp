//===- TreeDef.cpp - What one can do with a structure ---------------------===//

#include "jaxlib/pytree/PyTree.h"

#include <string>

namespace jaxlib::pytree {

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

/// Hashes `object` into `hash`; what cannot be hashed counts as nothing, for a
/// node's data need only be comparable.
static bool mixObject(PyObject *object, size_t &hash) {
  Py_hash_t value = PyObject_Hash(object);
  if (value == -1) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError) &&
        !PyErr_ExceptionMatches(PyExc_ValueError)) {
      return false;
    }
    PyErr_Clear();
    return true;
  }
  hash = (hash ^ static_cast<size_t>(value)) * 0x9e3779b97f4a7c15;
  return true;
}

bool TreeDef::hash(size_t &result) const {
  size_t hash = nodes.size();
  for (const Node &node : nodes) {
    hash = (hash ^ (static_cast<size_t>(node.kind) + 8 * node.arity)) *
           0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
    if (node.registration) {
      hash ^= reinterpret_cast<size_t>(node.registered()->type) >> 4;
    }
    if (node.kind == Kind::Dict) {
      for (Py_ssize_t i = 0; i < node.arity; ++i) {
        if (!mixObject(PyList_GET_ITEM(node.data.get(), i), hash)) {
          return false;
        }
      }
    } else if (node.data && !mixObject(node.data.get(), hash)) {
      return false;
    }
  }
  result = hash;
  return true;
}

static int sameData(const Node &a, const Node &b) {
  if (a.data.get() == b.data.get()) {
    return 1;
  }
  if (!a.data || !b.data) {
    return 0;
  }
  return PyObject_RichCompareBool(a.data.get(), b.data.get(), Py_EQ);
}

int TreeDef::equals(const TreeDef &other) const {
  if (this == &other) {
    return 1;
  }
  if (nodes.size() != other.nodes.size()) {
    return 0;
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Node &a = nodes[i], &b = other.nodes[i];
    if (a.kind != b.kind || a.arity != b.arity) {
      return 0;
    }
    if (a.registration && a.registered()->type != b.registered()->type) {
      return 0;
    }
  }
  // Python code runs only once all else agrees.
  for (size_t i = 0; i < nodes.size(); ++i) {
    int same = sameData(nodes[i], other.nodes[i]);
    if (same != 1) {
      return same;
    }
  }
  return 1;
}

//===----------------------------------------------------------------------===//
// Building trees
//===----------------------------------------------------------------------===//

static PyObject *tupleOf(PyObject *const *items, Py_ssize_t count) {
  PyObject *tuple = PyTuple_New(count);
  for (Py_ssize_t i = 0; tuple && i < count; ++i) {
    PyTuple_SET_ITEM(tuple, i, Py_NewRef(items[i]));
  }
  return tuple;
}

static PyObject *makeDict(const Node &node, PyObject *const *children) {
  PyRef dict = PyRef::steal(PyDict_New());
  for (Py_ssize_t i = 0; dict && i < node.arity; ++i) {
    if (PyDict_SetItem(dict.get(), PyList_GET_ITEM(node.data.get(), i),
                       children[i]) < 0) {
      return nullptr;
    }
  }
  return dict.release();
}

static PyObject *makeDataclass(const Node &node, PyObject *const *children) {
  const Registration *entry = node.registered();
  std::vector<PyObject *> values(children, children + node.arity);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(node.data.get()); ++i) {
    values.push_back(PyTuple_GET_ITEM(node.data.get(), i));
  }
  return PyObject_Vectorcall(reinterpret_cast<PyObject *>(entry->type),
                             values.data(), 0, entry->allFields);
}

PyObject *makeContainer(const Node &node, PyObject *const *children) {
  switch (node.kind) {
  case Kind::Leaf:
    return Py_NewRef(children[0]);
  case Kind::None:
    Py_RETURN_NONE;
  case Kind::Tuple:
    return tupleOf(children, node.arity);
  case Kind::List: {
    PyObject *list = PyList_New(node.arity);
    for (Py_ssize_t i = 0; list && i < node.arity; ++i) {
      PyList_SET_ITEM(list, i, Py_NewRef(children[i]));
    }
    return list;
  }
  case Kind::Dict:
    return makeDict(node, children);
  case Kind::NamedTuple:
    return PyObject_Vectorcall(node.data.get(), children, node.arity, nullptr);
  case Kind::Custom: {
    PyRef tuple = PyRef::steal(tupleOf(children, node.arity));
    return tuple ? PyObject_CallFunctionObjArgs(node.registered()->fromIterable,
                                                node.data.get(), tuple.get(),
                                                nullptr)
                 : nullptr;
  }
  case Kind::Dataclass:
    return makeDataclass(node, children);
  }
  Py_UNREACHABLE();
}

/// A stack of objects that nodes in post-order take their children from.
namespace {
class BuildStack {
public:
  explicit BuildStack(size_t capacity) { objects.reserve(capacity); }
  ~BuildStack() {
    for (PyObject *object : objects) {
      Py_DECREF(object);
    }
  }
  BuildStack(const BuildStack &) = delete;
  BuildStack &operator=(const BuildStack &) = delete;

  void push(PyObject *owned) { objects.push_back(owned); }
  PyObject *const *top(Py_ssize_t count) const {
    return objects.data() + (objects.size() - count);
  }
  void drop(Py_ssize_t count) {
    for (; count > 0; --count) {
      PyObject *object = objects.back();
      objects.pop_back();
      Py_DECREF(object);
    }
  }
  PyObject *takeRoot() {
    PyObject *root = objects.back();
    objects.pop_back();
    return root;
  }

private:
  std::vector<PyObject *> objects;
};
} // namespace

static bool checkLeafCount(const TreeDef &treeDef, Py_ssize_t count) {
  if (count == treeDef.numLeaves()) {
    return true;
  }
  PyErr_Format(
      PyExc_ValueError, "Too %s leaves for PyTreeDef; expected %zd, got %zd",
      count < treeDef.numLeaves() ? "few" : "many", treeDef.numLeaves(), count);
  return false;
}

PyObject *TreeDef::unflatten(PyObject *const *leaves, Py_ssize_t count) const {
  if (!checkLeafCount(*this, count)) {
    return nullptr;
  }
  BuildStack stack(nodes.size());
  for (const Node &node : nodes) {
    if (node.kind == Kind::Leaf) {
      stack.push(Py_NewRef(*leaves++));
      continue;
    }
    PyObject *made = makeContainer(node, stack.top(node.arity));
    if (!made) {
      return nullptr;
    }
    stack.drop(node.arity);
    stack.push(made);
  }
  return stack.takeRoot();
}

PyObject *TreeDef::walk(PyObject *onNode, PyObject *onLeaf,
                        PyObject *const *leaves, Py_ssize_t count) const {
  if (!checkLeafCount(*this, count)) {
    return nullptr;
  }
  BuildStack stack(nodes.size());
  for (const Node &node : nodes) {
    PyObject *made;
    if (node.kind == Kind::Leaf) {
      PyObject *leaf = *leaves++;
      made = onLeaf ? PyObject_CallOneArg(onLeaf, leaf) : Py_NewRef(leaf);
    } else {
      PyRef tuple = PyRef::steal(tupleOf(stack.top(node.arity), node.arity));
      PyRef data = node.kind == Kind::Dict
                       ? PyRef::steal(PySequence_List(node.data.get()))
                       : node.data;
      made = tuple ? PyObject_CallFunctionObjArgs(onNode, tuple.get(),
                                                  data ? data.get() : Py_None,
                                                  nullptr)
                   : nullptr;
    }
    if (!made) {
      return nullptr;
    }
    stack.drop(node.kind == Kind::Leaf ? 0 : node.arity);
    stack.push(made);
  }
  return stack.takeRoot();
}

//===----------------------------------------------------------------------===//
// Prefixes
//===----------------------------------------------------------------------===//

static const char *describe(Kind kind) {
  switch (kind) {
  case Kind::Leaf:
    return "a leaf";
  case Kind::None:
    return "None";
  case Kind::Tuple:
    return "tuple";
  case Kind::List:
    return "list";
  case Kind::Dict:
    return "dict";
  case Kind::NamedTuple:
    return "named tuple";
  case Kind::Custom:
    return "custom node";
  case Kind::Dataclass:
    return "custom dataclass node";
  }
  Py_UNREACHABLE();
}

static bool mismatch(const Node &node, PyObject *tree) {
  if (node.kind == Kind::None) {
    PyErr_Format(PyExc_ValueError,
                 "Expected None, got %R.\nNone is a container without "
                 "children, not a prefix of other trees. To make it a leaf, "
                 "pass is_leaf=lambda x: x is None.",
                 tree);
    return false;
  }
  PyObject *type =
      node.kind == Kind::NamedTuple
          ? node.data.get()
          : reinterpret_cast<PyObject *>(
                node.registration ? node.registered()->type : nullptr);
  if (type) {
    PyErr_Format(PyExc_ValueError,
                 "Expected a %s of type %R, got a value of type %R: %R.",
                 describe(node.kind), type, Py_TYPE(tree), tree);
  } else {
    PyErr_Format(PyExc_ValueError, "Expected %s, got %R.", describe(node.kind),
                 tree);
  }
  return false;
}

/// Checks that `level`, the outermost container of `tree`, is what `node`
/// describes.
static bool checkLevel(const Node &node, const OneLevel &level,
                       PyObject *tree) {
  bool sameType =
      node.kind == level.kind &&
      (!node.registration ||
       node.registered()->type ==
           reinterpret_cast<const Registration *>(level.registration.get())
               ->type) &&
      (node.kind != Kind::NamedTuple || node.data.get() == level.data.get());
  if (!sameType) {
    return mismatch(node, tree);
  }
  if (level.data) {
    int same =
        PyObject_RichCompareBool(node.data.get(), level.data.get(), Py_EQ);
    if (same < 0) {
      return false;
    }
    if (!same && node.kind == Kind::Dict) {
      PyErr_Format(PyExc_ValueError,
                   "Dict key mismatch; expected keys: %R; present keys: %R.",
                   node.data.get(), level.data.get());
      return false;
    }
    if (!same) {
      PyErr_Format(
          PyExc_ValueError, "Mismatch of %s data: %R != %R; value: %R.",
          describe(node.kind), node.data.get(), level.data.get(), tree);
      return false;
    }
  }
  if (node.arity != level.arity) {
    PyErr_Format(PyExc_ValueError,
                 "Arity mismatch: a %s of %zd where one of %zd is expected: "
                 "%R.",
                 describe(node.kind), level.arity, node.arity, tree);
    return false;
  }
  return true;
}

/// Visits nodes from the root backwards, each with its part of `tree`;
/// `open(node, part, children)` appends the node's children in order.
template <typename Open>
static bool descend(const TreeDef &treeDef, PyObject *tree,
                    std::vector<PyRef> &leaves, Open open) {
  leaves.assign(treeDef.numLeaves(), PyRef());
  size_t leaf = leaves.size();
  std::vector<PyRef> pending;
  pending.push_back(PyRef::borrow(tree));
  for (auto node = treeDef.nodes.rbegin(); node != treeDef.nodes.rend();
       ++node) {
    PyRef part = std::move(pending.back());
    pending.pop_back();
    if (node->kind == Kind::Leaf) {
      leaves[--leaf] = std::move(part);
    } else if (!open(*node, part.get(), pending)) {
      return false;
    }
  }
  return true;
}

bool TreeDef::flattenUpTo(PyObject *tree, std::vector<PyRef> &leaves) const {
  const Registry *known = registryFromObject(registry.get());
  if (!known) {
    return false;
  }
  return descend(
      *this, tree, leaves,
      [&](const Node &node, PyObject *part, std::vector<PyRef> &pending) {
        OneLevel level;
        Registration *entry;
        // Ask for the type first: opening the wrong container may fail.
        if (classify(*known, part, entry) != node.kind) {
          return mismatch(node, part);
        }
        if (!flattenOneLevel(*known, part, /*wantKeys=*/false, level) ||
            !checkLevel(node, level, part)) {
          return false;
        }
        for (Py_ssize_t i = 0; i < level.arity; ++i) {
          PyObject *child = PySequence_GetItem(level.children.get(), i);
          if (!child) {
            return false;
          }
          pending.push_back(PyRef::steal(child));
        }
        return true;
      });
}

bool TreeDef::flattenIterablesUpTo(PyObject *tree,
                                   std::vector<PyRef> &leaves) const {
  return descend(
      *this, tree, leaves,
      [](const Node &node, PyObject *part, std::vector<PyRef> &pending) {
        PyRef children = PyRef::steal(PySequence_Tuple(part));
        if (!children) {
          return false;
        }
        if (PyTuple_GET_SIZE(children.get()) != node.arity) {
          PyErr_Format(PyExc_ValueError,
                       "Arity mismatch between trees: %zd children where the "
                       "PyTreeDef has %zd",
                       PyTuple_GET_SIZE(children.get()), node.arity);
          return false;
        }
        for (Py_ssize_t i = 0; i < node.arity; ++i) {
          pending.push_back(PyRef::borrow(PyTuple_GET_ITEM(children.get(), i)));
        }
        return true;
      });
}

//===----------------------------------------------------------------------===//
// Building structures
//===----------------------------------------------------------------------===//

bool TreeDef::countNodes() {
  std::vector<std::pair<Py_ssize_t, Py_ssize_t>> counts; // leaves, nodes
  for (Node &node : nodes) {
    Py_ssize_t leaves = node.kind == Kind::Leaf, size = 1;
    if (node.arity < 0 || static_cast<size_t>(node.arity) > counts.size()) {
      return false;
    }
    for (Py_ssize_t i = 0; i < node.arity; ++i) {
      leaves += counts.back().first;
      size += counts.back().second;
      counts.pop_back();
    }
    node.numLeaves = leaves;
    node.numNodes = size;
    counts.emplace_back(leaves, size);
  }
  return counts.size() == 1;
}

TreeDef TreeDef::compose(const TreeDef &inner) const {
  TreeDef result;
  result.registry = registry;
  result.nodes.reserve(nodes.size() + numLeaves() * inner.nodes.size());
  for (const Node &node : nodes) {
    if (node.kind == Kind::Leaf) {
      result.nodes.insert(result.nodes.end(), inner.nodes.begin(),
                          inner.nodes.end());
    } else {
      result.nodes.push_back(node);
    }
  }
  result.countNodes();
  return result;
}

std::vector<TreeDef> TreeDef::children() const {
  std::vector<TreeDef> result(root().arity);
  auto end = nodes.end() - 1;
  for (Py_ssize_t i = root().arity; i-- > 0;) {
    auto begin = end - (end - 1)->numNodes;
    result[i].nodes.assign(begin, end);
    result[i].registry = registry;
    end = begin;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static bool append(std::string &text, PyObject *owned) {
  PyRef string = PyRef::steal(owned);
  Py_ssize_t size;
  const char *data =
      string ? PyUnicode_AsUTF8AndSize(string.get(), &size) : nullptr;
  if (data) {
    text.append(data, size);
  }
  return data != nullptr;
}

static bool appendTypeName(std::string &text, PyTypeObject *type) {
  return append(text, PyObject_GetAttrString(reinterpret_cast<PyObject *>(type),
                                             "__name__"));
}

/// Appends what stands before the children of `node`.
static bool openText(const Node &node, std::string &text) {
  switch (node.kind) {
  case Kind::Leaf:
    text += '*';
    return true;
  case Kind::None:
    text += "None";
    return true;
  case Kind::Tuple:
    text += '(';
    return true;
  case Kind::List:
    text += '[';
    return true;
  case Kind::Dict:
    text += '{';
    return true;
  case Kind::NamedTuple:
    text += "CustomNode(namedtuple[";
    if (!appendTypeName(text,
                        reinterpret_cast<PyTypeObject *>(node.data.get()))) {
      return false;
    }
    text += "], [";
    return true;
  case Kind::Custom:
  case Kind::Dataclass:
    text += "CustomNode(";
    if (!appendTypeName(text, node.registered()->type)) {
      return false;
    }
    text += '[';
    if (!append(text, PyObject_Str(node.data.get()))) {
      return false;
    }
    text += "], [";
    return true;
  }
  Py_UNREACHABLE();
}

static const char *closeText(const Node &node) {
  switch (node.kind) {
  case Kind::Leaf:
  case Kind::None:
    return "";
  case Kind::Tuple:
    return node.arity == 1 ? ",)" : ")";
  case Kind::List:
    return "]";
  case Kind::Dict:
    return "}";
  case Kind::NamedTuple:
  case Kind::Custom:
  case Kind::Dataclass:
    return "])";
  }
  Py_UNREACHABLE();
}

PyObject *TreeDef::repr() const {
  // Child i of a node ends where child i + 1 begins: collect the ends once,
  // then write in pre-order.
  struct Open {
    const Node *node;
    std::vector<size_t> childEnds;
    Py_ssize_t next;
  };
  std::string text = "PyTreeDef(";
  std::vector<Open> open;
  auto enter = [&](size_t index) {
    const Node &node = nodes[index];
    Open &entry =
        open.emplace_back(Open{&node, std::vector<size_t>(node.arity), 0});
    size_t end = index;
    for (Py_ssize_t i = node.arity; i-- > 0;) {
      entry.childEnds[i] = end - 1;
      end -= nodes[end - 1].numNodes;
    }
    return openText(node, text);
  };
  if (!enter(nodes.size() - 1)) {
    return nullptr;
  }
  while (!open.empty()) {
    Open &entry = open.back();
    if (entry.next == entry.node->arity) {
      text += closeText(*entry.node);
      open.pop_back();
      continue;
    }
    Py_ssize_t index = entry.next++;
    if (index > 0) {
      text += ", ";
    }
    if (entry.node->kind == Kind::Dict) {
      if (!append(text, PyObject_Repr(
                            PyList_GET_ITEM(entry.node->data.get(), index)))) {
        return nullptr;
      }
      text += ": ";
    }
    if (!enter(entry.childEnds[index])) {
      return nullptr;
    }
  }
  text += ')';
  return PyUnicode_FromStringAndSize(text.data(),
                                     static_cast<Py_ssize_t>(text.size()));
}

} // namespace jaxlib::pytree
