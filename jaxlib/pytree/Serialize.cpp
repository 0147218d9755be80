//===- Serialize.cpp - Structures as protocol buffers ---------------------===//
//
//   message PyTreeDef { repeated Node nodes = 1; repeated string strings = 2; }
//   message Node { uint32 arity = 1; Type type = 2; DictKeys keys = 3; }
//   message DictKeys { repeated uint32 string = 1 [packed = true]; }
//   enum Type { LEAF = 1; LIST = 2; NONE = 3; TUPLE = 4; DICT = 5; }
//
// Nodes are in post-order, strings are numbered from 0.
//
//===----------------------------------------------------------------------===//

#include "jaxlib/pytree/PyTree.h"

#include <string>
#include <unordered_map>

namespace jaxlib::pytree {

static constexpr struct {
  Kind kind;
  uint64_t number;
} kKindNumbers[] = {{Kind::Leaf, 1},
                    {Kind::List, 2},
                    {Kind::None, 3},
                    {Kind::Tuple, 4},
                    {Kind::Dict, 5}};

static void putVarint(std::string &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) {
    out += static_cast<char>(value | 0x80);
  }
  out += static_cast<char>(value);
}

static void putBytes(std::string &out, char tag, const std::string &bytes) {
  out += tag;
  putVarint(out, bytes.size());
  out += bytes;
}

PyObject *serializeTreeDef(const TreeDef &treeDef) {
  std::string out, strings;
  std::unordered_map<std::string, uint64_t> numbers;
  for (const Node &node : treeDef.nodes) {
    std::string body;
    if (node.arity > 0) {
      body += '\x08';
      putVarint(body, node.arity);
    }
    uint64_t number = 0;
    for (auto entry : kKindNumbers) {
      number = entry.kind == node.kind ? entry.number : number;
    }
    if (number == 0) {
      PyErr_SetString(PyExc_ValueError,
                      "User-defined nodes are not supported when serializing "
                      "pytrees as protocol buffers. Convert them to built-in "
                      "containers, or use pickle.");
      return nullptr;
    }
    body += '\x10';
    putVarint(body, number);
    if (node.kind == Kind::Dict && node.arity > 0) {
      std::string packed;
      for (Py_ssize_t i = 0; i < node.arity; ++i) {
        PyObject *key = PyList_GET_ITEM(node.data.get(), i);
        Py_ssize_t size;
        const char *text = PyUnicode_Check(key)
                               ? PyUnicode_AsUTF8AndSize(key, &size)
                               : nullptr;
        if (!text) {
          if (!PyErr_Occurred()) {
            PyErr_Format(PyExc_ValueError,
                         "Only string keys are supported in proto pytree "
                         "serialization, got %R. Use pickle.",
                         key);
          }
          return nullptr;
        }
        auto [entry, isNew] =
            numbers.try_emplace(std::string(text, size), numbers.size());
        if (isNew) {
          putBytes(strings, '\x12', entry->first);
        }
        putVarint(packed, entry->second);
      }
      std::string keys;
      putBytes(keys, '\x0a', packed);
      putBytes(body, '\x1a', keys);
    }
    putBytes(out, '\x0a', body);
  }
  out += strings;
  return PyBytes_FromStringAndSize(out.data(),
                                   static_cast<Py_ssize_t>(out.size()));
}

namespace {

/// Reads fields; `ok` turns false at the first that is malformed.
struct Reader {
  const char *at;
  const char *end;
  bool ok = true;

  bool more() const { return ok && at < end; }

  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && at < end; shift += 7) {
      auto byte = static_cast<unsigned char>(*at++);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) {
        return value;
      }
    }
    ok = false;
    return 0;
  }

  Reader bytes() {
    uint64_t size = varint();
    if (!ok || size > static_cast<uint64_t>(end - at)) {
      ok = false;
      return {end, end};
    }
    at += size;
    return {at - size, at};
  }
};

} // namespace

static bool readNode(Reader body, Node &node, std::vector<uint64_t> &keys) {
  uint64_t number = 0;
  while (body.more()) {
    uint64_t tag = body.varint();
    if (tag == 0x08) {
      node.arity = static_cast<Py_ssize_t>(body.varint());
    } else if (tag == 0x10) {
      number = body.varint();
    } else if (tag == 0x1a) {
      Reader dict = body.bytes();
      while (dict.more()) {
        if (dict.varint() != 0x0a) {
          return false;
        }
        Reader packed = dict.bytes();
        while (packed.more()) {
          keys.push_back(packed.varint());
        }
        dict.ok &= packed.ok;
      }
      body.ok &= dict.ok;
    } else {
      return false;
    }
  }
  for (auto entry : kKindNumbers) {
    if (entry.number == number) {
      node.kind = entry.kind;
      bool isEmpty = node.kind == Kind::Leaf || node.kind == Kind::None;
      return body.ok && (!isEmpty || node.arity == 0);
    }
  }
  return false;
}

static bool setKeys(Node &node, const std::vector<uint64_t> &keys,
                    const std::vector<PyRef> &strings) {
  node.data = PyRef::steal(PyList_New(0));
  if (static_cast<size_t>(node.arity) != keys.size()) {
    return false;
  }
  for (uint64_t key : keys) {
    if (key >= strings.size() ||
        PyList_Append(node.data.get(), strings[key].get()) < 0) {
      return false;
    }
  }
  return true;
}

bool deserializeTreeDef(const char *data, Py_ssize_t size, TreeDef &treeDef) {
  Reader reader{data, data + size};
  std::vector<std::vector<uint64_t>> keys;
  std::vector<PyRef> strings;
  while (reader.more()) {
    uint64_t tag = reader.varint();
    Reader body = reader.bytes();
    if (tag == 0x0a) {
      reader.ok &=
          readNode(body, treeDef.nodes.emplace_back(), keys.emplace_back());
    } else if (tag == 0x12) {
      strings.push_back(PyRef::steal(PyUnicode_DecodeUTF8(
          body.at, static_cast<Py_ssize_t>(body.end - body.at), nullptr)));
      if (!strings.back()) {
        return false;
      }
    } else {
      reader.ok = false;
    }
  }
  for (size_t i = 0; reader.ok && i < treeDef.nodes.size(); ++i) {
    if (treeDef.nodes[i].kind == Kind::Dict) {
      reader.ok = setKeys(treeDef.nodes[i], keys[i], strings);
    }
  }
  if (!reader.ok || !treeDef.countNodes()) {
    if (!PyErr_Occurred()) {
      PyErr_SetString(PyExc_ValueError,
                      "these bytes do not describe a PyTreeDef");
    }
    return false;
  }
  return true;
}

} // namespace jaxlib::pytree
