//===- CheckBytecode.cpp - Whether bytes are sound MLIR bytecode ----------===//

#include "xla/analysis/CheckBytecode.h"

#include "xla/analysis/CheckText.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <array>
#include <bit>
#include <tuple>

using llvm::StringRef;

namespace xla {

namespace {

enum SectionId {
  kStrings = 0,
  kDialects = 1,
  kAttributes = 2,
  kAttributeOffsets = 3,
  kIR = 4,
  kResources = 5,
  kResourceOffsets = 6,
  kDialectVersions = 7,
  kProperties = 8,
  kSectionCount = 9,
};

/// Reads a file front to back; after the first misfit it only returns zeros.
class Cursor {
public:
  explicit Cursor(StringRef bytes) : bytes(bytes) {}

  bool isSound() const { return isFine; }
  bool isAtEnd() const { return bytes.empty(); }
  size_t remaining() const { return bytes.size(); }
  const char *data() const { return bytes.data(); }
  void fail() {
    isFine = false;
    bytes = "";
  }

  uint8_t byte() {
    if (bytes.empty()) {
      fail();
      return 0;
    }
    uint8_t value = bytes.front();
    bytes = bytes.drop_front();
    return value;
  }

  /// The number of trailing zeros of the first byte says how many follow.
  uint64_t number() {
    uint8_t first = byte();
    if (!isFine) {
      return 0;
    }
    int extra = std::countr_zero(first);
    uint64_t value = extra == 8 ? 0 : first;
    for (int i = 0; i < std::min(extra, 8); ++i) {
      uint64_t next = byte();
      value |= extra == 8 ? next << (8 * i) : next << (8 * (i + 1));
    }
    return extra == 8 ? value : value >> (extra + 1);
  }

  /// A number of things that take at least `size` bytes each.
  uint64_t count(uint64_t size = 1) {
    uint64_t value = number();
    if (value > bytes.size() / size) {
      fail();
      return 0;
    }
    return value;
  }

  /// A number below `limit`.
  uint64_t index(uint64_t limit) {
    uint64_t value = number();
    if (value >= limit) {
      fail();
      return 0;
    }
    return value;
  }

  StringRef take(uint64_t size) {
    if (size > bytes.size()) {
      fail();
      return "";
    }
    StringRef taken = bytes.take_front(size);
    bytes = bytes.drop_front(size);
    return taken;
  }

private:
  StringRef bytes;
  bool isFine = true;
};

/// What arrays of numbers ask of the type of their elements.
struct TypeFacts {
  enum Sort { Other, Integer, Float, Index, Complex, Shaped };
  Sort sort = Other;
  uint64_t width = 0;              // of numbers, in bits
  std::optional<uint64_t> element; // of complex numbers and what has a shape
  std::optional<uint64_t> size;    // of a fixed shape: how many elements
};

/// An attribute whose reader trusts the type: one number or many values.
struct TypedData {
  enum Sort { Integer = 8, Float = 9, Array = 17, Numbers = 18, Strings = 19 };
  Sort sort;
  uint64_t type;
  uint64_t count; // of an array's numbers, or of strings at most
  uint64_t bytes; // of the numbers
  StringRef rest; // behind the type
};

/// The checks, in the order in which each needs what another has learnt.
class Checker {
public:
  explicit Checker(StringRef file) : file(file) {}

  std::optional<std::string> check();

private:
  static constexpr int kMaxDepth = 512;

  bool readHeader(Cursor &cursor);
  bool readSections(Cursor &cursor);
  bool readSection(Cursor &cursor, uint8_t &id, StringRef &payload);
  bool checkStrings();
  bool checkDialects();
  bool checkAttributes();
  bool checkEntry(StringRef entry, StringRef dialect, bool isAttribute,
                  llvm::SmallVectorImpl<uint64_t> &references);
  bool checkEntries(Cursor &cursor, Cursor &entries, uint64_t whole,
                    bool areAttributes);
  void noteData(StringRef entry);
  void noteType(StringRef entry, bool isCustom);
  bool isData(const TypedData &data) const;
  bool checkProperties();
  void checkBlock(Cursor &cursor, int depth, uint64_t &values);
  void checkOperation(Cursor &cursor, int depth, uint64_t &values);
  void checkRegion(Cursor &cursor, int depth);
  void checkUseLists(Cursor &cursor, uint64_t values);

  Cursor open(SectionId id, const char *what) {
    field = what;
    return Cursor(sections[id].value_or(""));
  }

  StringRef file;
  const char *field = "header";
  uint64_t version = 0;
  std::array<std::optional<StringRef>, kSectionCount> sections;
  llvm::SmallVector<StringRef> strings;
  llvm::SmallVector<StringRef> dialects;
  llvm::SmallVector<llvm::SmallVector<uint64_t, 2>> references;
  llvm::SmallVector<TypeFacts> facts; // of the types
  llvm::SmallVector<TypedData> typedData;
  uint64_t operationNames = 0;
  uint64_t attributes = 0;
  uint64_t types = 0;
  uint64_t properties = 0;
};

} // namespace

bool Checker::readHeader(Cursor &cursor) {
  cursor.take(4);
  version = cursor.number();
  while (cursor.isSound() && cursor.byte() != 0) {
  }
  return cursor.isSound();
}

bool Checker::readSection(Cursor &cursor, uint8_t &id, StringRef &payload) {
  uint8_t tag = cursor.byte();
  id = tag & 0x7F;
  uint64_t size = cursor.number();
  if (tag & 0x80) {
    uint64_t alignment = cursor.number();
    if (!std::has_single_bit(alignment) || alignment > 4096) {
      return false;
    }
    for (size_t offset = cursor.data() - file.data();
         cursor.isSound() && offset % alignment != 0; ++offset) {
      if (cursor.byte() != 0xCB) {
        return false;
      }
    }
  }
  payload = cursor.take(size);
  return cursor.isSound() && id < kSectionCount;
}

bool Checker::readSections(Cursor &cursor) {
  while (!cursor.isAtEnd()) {
    uint8_t id;
    StringRef payload;
    if (!readSection(cursor, id, payload) || sections[id]) {
      return false;
    }
    sections[id] = payload;
  }
  for (int id : {kStrings, kDialects, kAttributes, kAttributeOffsets, kIR}) {
    if (!sections[id]) {
      return false;
    }
  }
  return true;
}

bool Checker::checkStrings() {
  Cursor cursor = open(kStrings, "string section");
  uint64_t count = cursor.count();
  llvm::SmallVector<uint64_t> sizes;
  uint64_t total = 0;
  for (uint64_t i = 0; cursor.isSound() && i < count; ++i) {
    // Each string ends in a NUL.
    sizes.push_back(cursor.number());
    if (sizes.back() == 0 || sizes.back() > file.size()) {
      return false;
    }
    total += sizes.back();
  }
  if (!cursor.isSound() || total != cursor.remaining()) {
    return false;
  }
  for (uint64_t size : llvm::reverse(sizes)) {
    StringRef text = cursor.take(size);
    if (text.empty() || text.back() != 0) {
      return false;
    }
    strings.push_back(text.drop_back());
  }
  return cursor.isSound();
}

bool Checker::checkDialects() {
  Cursor cursor = open(kDialects, "dialect section");
  uint64_t count = cursor.count();
  for (uint64_t i = 0; cursor.isSound() && i < count; ++i) {
    uint64_t name = cursor.number();
    bool hasVersion = version >= 1 && (name & 1);
    name = version >= 1 ? name >> 1 : name;
    if (name >= strings.size()) {
      return false;
    }
    dialects.push_back(strings[name]);
    uint8_t id;
    StringRef payload;
    if (hasVersion &&
        (!readSection(cursor, id, payload) || id != kDialectVersions)) {
      return false;
    }
  }
  uint64_t announced = version >= 4 ? cursor.count() : 0;
  while (cursor.isSound() && !cursor.isAtEnd()) {
    cursor.index(dialects.size());
    uint64_t names = cursor.count();
    for (uint64_t i = 0; cursor.isSound() && i < names; ++i) {
      uint64_t name = cursor.number();
      if ((version >= 5 ? name >> 1 : name) >= strings.size()) {
        return false;
      }
    }
    operationNames += names;
  }
  return cursor.isSound() && (version < 4 || announced == operationNames);
}

//===----------------------------------------------------------------------===//
// Attributes and types
//===----------------------------------------------------------------------===//

namespace {
/// How an entry begins. n: a number. l: a list of numbers. b: of bytes. A, T:
/// the index of an attribute, a type. O: that of an attribute or none. L, M:
/// lists of these. P: a list of pairs of attributes.
struct EntryForm {
  const char *dialect;
  bool isAttribute;
  uint64_t code;
  const char *form;
};
} // namespace

// The entries that have lists, for which memory is reserved by their counts,
// or that refer to others. Blobs are held against the file's size by the
// reader itself.
static constexpr EntryForm kEntryForms[] = {
    {"builtin", true, 0, "L"},      // array
    {"builtin", true, 1, "P"},      // dictionary
    {"builtin", true, 3, "nT"},     // string with a type
    {"builtin", true, 4, "A"},      // symbol
    {"builtin", true, 5, "AL"},     // nested symbol
    {"builtin", true, 6, "T"},      // type
    {"builtin", true, 8, "T"},      // integer
    {"builtin", true, 9, "T"},      // float
    {"builtin", true, 10, "AA"},    // call site
    {"builtin", true, 11, "A"},     // source location in a file
    {"builtin", true, 12, "L"},     // fused location
    {"builtin", true, 13, "AL"},    // fused location with metadata
    {"builtin", true, 14, "AA"},    // named location
    {"builtin", true, 17, "T"},     // dense array
    {"builtin", true, 18, "T"},     // dense elements
    {"builtin", true, 20, "TAA"},   // sparse elements
    {"builtin", true, 21, "A"},     // distinct attribute
    {"builtin", true, 22, "A"},     // range of a file
    {"builtin", false, 2, "MM"},    // function
    {"builtin", false, 9, "T"},     // complex
    {"builtin", false, 10, "lTA"},  // memref
    {"builtin", false, 11, "AlTA"}, // memref in a memory space
    {"builtin", false, 13, "lT"},   // ranked tensor
    {"builtin", false, 14, "AlT"},  {"builtin", false, 15, "M"}, // tuple
    {"builtin", false, 16, "T"},   // unranked memref
    {"builtin", false, 17, "AT"},  // unranked memref in a memory space
    {"builtin", false, 18, "T"},   // unranked tensor
    {"builtin", false, 19, "lT"},  // vector
    {"builtin", false, 20, "blT"}, // scalable vector
    {"sdy", true, 0, "L"},         // manual axes
    {"sdy", true, 2, "Ll"},        // mesh
    {"sdy", true, 4, "nO"},        // axis or a factor of it
    {"sdy", true, 5, "L"},         // sharding of a dimension
    {"sdy", true, 6, "ALL"},       // sharding of a tensor
    {"sdy", true, 7, "L"},         // sharding of each value
    {"sdy", true, 8, "l"},         // factors of a dimension
    {"sdy", true, 9, "L"},         // factors of a tensor
    {"sdy", true, 10, "lLLllll"},  // rule of an operation
    {"sdy", true, 11, "L"},        // axes
    {"sdy", true, 12, "L"},        // axes of each dimension
    {"sdy", true, 13, "L"},        // axes from a dimension to another
    {"sdy", true, 14, "L"},        // such for several pairs
    {"sdy", true, 15, "ALLL"},     // sharding of a tensor, unreduced
    {"sdy", true, 16, "L"},        // sharding of each value, unreduced
    {"sdy", true, 17, "ALLL"},     // sharding of a tensor, with a reduction
    {"vhlo", true, 1, "L"},        // array_v1
    {"vhlo", true, 6, "P"},        // dict_v1
    {"vhlo", true, 8, "T"},        // float_v1
    {"vhlo", true, 9, "T"},        // integer_v1
    {"vhlo", true, 10, "lnl"},     // output_operand_alias_v1
    {"vhlo", true, 15, "T"},       // tensor_v1
    {"vhlo", true, 17, "T"},       // type_v1
    {"vhlo", true, 18, "l"},       // type_extensions_v1
    {"vhlo", true, 22, "AO"},      // axis_ref_v1
    {"vhlo", true, 23, "AA"},      // replica_group_mesh_axes_v1
    {"vhlo", true, 24, "A"},       // mesh_axis_v1
    {"vhlo", true, 25, "AO"},      // mesh_v1
    {"vhlo", false, 1, "T"},       // complex
    {"vhlo", false, 8, "MM"},      // function
    {"vhlo", false, 20, "lT"},     // ranked tensor
    {"vhlo", false, 21, "AlT"},    // ranked tensor with encoding
    {"vhlo", false, 23, "M"},      // tuple
    {"vhlo", false, 25, "T"},      // unranked tensor
    {"vhlo", false, 41, "lT"},     // buffer
    {"vhlo", false, 42, "M"},      // future
};

bool Checker::checkEntry(StringRef entry, StringRef dialect, bool isAttribute,
                         llvm::SmallVectorImpl<uint64_t> &references) {
  Cursor cursor(entry);
  uint64_t code = cursor.number();
  for (const EntryForm &form : kEntryForms) {
    if (form.code != code || form.isAttribute != isAttribute ||
        dialect != form.dialect) {
      continue;
    }
    for (char field : StringRef(form.form)) {
      if (field == 'b') {
        cursor.take(cursor.count());
        continue;
      }
      bool isList = StringRef("lLMP").contains(field);
      uint64_t size = field == 'P' ? 2 : 1;
      uint64_t count = isList ? size * cursor.count(size) : 1;
      for (uint64_t i = 0; cursor.isSound() && i < count; ++i) {
        uint64_t value = cursor.number();
        if (field == 'O') {
          value = value & 1 ? value >> 1 : attributes;
        }
        // An index out of range is an error that the reader finds.
        if (StringRef("AOLP").contains(field) && value < attributes) {
          references.push_back(value);
        } else if (StringRef("TM").contains(field) && value < types) {
          references.push_back(attributes + value);
        }
      }
    }
  }
  return cursor.isSound();
}

/// Whether each entry is made of others, never of itself, and not too deeply.
static bool
areWellFounded(llvm::ArrayRef<llvm::SmallVector<uint64_t, 2>> references) {
  enum State : uint8_t { New, Open, Done };
  llvm::SmallVector<State> states(references.size(), New);
  llvm::SmallVector<int> depths(references.size(), 0);
  llvm::SmallVector<uint64_t> stack;
  for (uint64_t start = 0; start < references.size(); ++start) {
    stack.push_back(start);
    while (!stack.empty()) {
      uint64_t entry = stack.back();
      if (states[entry] != New) {
        states[entry] = Done;
        stack.pop_back();
        for (uint64_t other : references[entry]) {
          depths[entry] = std::max(depths[entry], depths[other] + 1);
        }
        if (depths[entry] > mostNested) {
          return false;
        }
        continue;
      }
      states[entry] = Open;
      for (uint64_t other : references[entry]) {
        if (states[other] == Open) {
          return false;
        }
        if (states[other] == New) {
          stack.push_back(other);
        }
      }
    }
  }
  return true;
}

/// Builtin types whose numbers say what they are, and their widths.
static constexpr std::pair<TypeFacts::Sort, uint64_t> kScalars[] = {
    {TypeFacts::Integer, 0}, {TypeFacts::Index, 64}, {TypeFacts::Other, 0},
    {TypeFacts::Float, 16},  {TypeFacts::Float, 16}, {TypeFacts::Float, 32},
    {TypeFacts::Float, 64},  {TypeFacts::Float, 80}, {TypeFacts::Float, 128}};

/// The number of elements, unless a dimension is dynamic or there are too many.
static std::optional<uint64_t> sizeOfShape(Cursor &cursor) {
  uint64_t rank = cursor.count();
  int64_t size = 1;
  bool isFixed = true;
  for (uint64_t i = 0; cursor.isSound() && i < rank; ++i) {
    uint64_t zigzag = cursor.number();
    isFixed &=
        !(zigzag & 1) && !llvm::MulOverflow(size, int64_t(zigzag >> 1), size);
  }
  return cursor.isSound() && isFixed ? std::optional(size) : std::nullopt;
}

void Checker::noteType(StringRef entry, bool isCustom) {
  TypeFacts &type = facts.back();
  Cursor cursor(entry);
  uint64_t code = isCustom ? cursor.number() : 0;
  if (!isCustom) { // a float of few bits, such as f8E4M3FN
    bool isTensorFloat = entry.starts_with("tf32");
    if (isTensorFloat ||
        (entry.consume_front("f") && !entry.consumeInteger(10, type.width))) {
      type.sort = TypeFacts::Float;
      type.width = isTensorFloat ? 19 : type.width;
    }
  } else if (code < std::size(kScalars)) {
    std::tie(type.sort, type.width) = kScalars[code];
    if (type.sort == TypeFacts::Integer) {
      type.width = cursor.number() >> 2; // behind the signedness
    }
  } else if (code == 9 || code == 13 || code == 14 || code == 19) {
    if (!references.back().empty()) {
      type.element = references.back().back() - attributes;
    }
    type.sort = code == 9 ? TypeFacts::Complex : TypeFacts::Shaped;
    if (code == 14) {
      cursor.number(); // the encoding
    }
    type.size = code == 9 ? std::nullopt : sizeOfShape(cursor);
  }
}

void Checker::noteData(StringRef entry) {
  Cursor cursor(entry);
  uint64_t code = cursor.number();
  if (!llvm::is_contained({8, 9, 17, 18, 19}, code)) {
    return;
  }
  TypedData data{TypedData::Sort(code), cursor.number(), 0, 0, ""};
  data.rest = cursor.isSound() ? entry.take_back(cursor.remaining()) : "";
  if (code == TypedData::Array) {
    data.count = cursor.number();
  }
  if (code != TypedData::Strings) {
    data.bytes = cursor.number();
  } else {
    bool isSplat = cursor.number();
    data.count = isSplat ? ~uint64_t(0) : cursor.remaining();
  }
  typedData.push_back(data);
}

/// Whether the bytes are a number of so many bits.
static bool isNumber(StringRef bytes, uint64_t width) {
  Cursor cursor(bytes);
  uint64_t words = width > 64 ? cursor.count() : width > 8;
  for (uint64_t i = 0; cursor.isSound() && i < words; ++i) {
    cursor.number();
  }
  if (width <= 8) {
    cursor.byte();
  }
  return cursor.isSound() && cursor.isAtEnd() && words <= (width + 63) / 64;
}

/// Whether the values can be told apart by their type.
bool Checker::isData(const TypedData &data) const {
  auto factsOf = [&](std::optional<uint64_t> type) {
    return type && *type < facts.size() ? facts[*type] : TypeFacts();
  };
  auto isReal = [](const TypeFacts &type) {
    return type.sort == TypeFacts::Integer || type.sort == TypeFacts::Float;
  };
  TypeFacts type = factsOf(data.type);
  if (data.sort == TypedData::Float) {
    return type.sort == TypeFacts::Float && isNumber(data.rest, type.width);
  }
  if (data.sort == TypedData::Integer) {
    return (type.sort == TypeFacts::Integer || type.sort == TypeFacts::Index) &&
           isNumber(data.rest, type.width);
  }
  if (data.sort == TypedData::Array) {
    return isReal(type) && data.count <= data.bytes &&
           llvm::is_contained({1, 8, 16, 32, 64}, type.width) &&
           data.count * ((type.width + 7) / 8) == data.bytes;
  }
  if (!type.size || data.sort == TypedData::Strings) {
    return type.size && *type.size <= data.count;
  }
  TypeFacts element = factsOf(type.element);
  uint64_t parts = element.sort == TypeFacts::Complex ? 2 : 1;
  if (parts == 2) {
    element = factsOf(element.element);
  }
  if (!isReal(element) && (parts == 2 || element.sort != TypeFacts::Index)) {
    return false;
  }
  // All elements, or the one that they all are.
  uint64_t each = (element.width + 7) / 8 * parts, bytes = data.bytes;
  if (element.width == 1 && parts == 1) {
    return bytes == 1 || bytes == (*type.size + 7) / 8;
  }
  return element.width > 0 &&
         (bytes == each || (bytes % each == 0 && bytes / each == *type.size));
}

bool Checker::checkEntries(Cursor &cursor, Cursor &entries, uint64_t whole,
                           bool areAttributes) {
  for (uint64_t seen = 0; seen < whole;) {
    uint64_t dialect = cursor.index(dialects.size());
    uint64_t count = cursor.count();
    if (!cursor.isSound() || count == 0 || count > whole - seen) {
      return false;
    }
    for (uint64_t i = 0; i < count; ++i) {
      references.emplace_back();
      uint64_t size = cursor.number();
      StringRef entry = entries.take(size >> 1);
      bool isCustom = size & 1;
      if (!cursor.isSound() || entry.empty() ||
          (isCustom ? !checkEntry(entry, dialects[dialect], areAttributes,
                                  references.back())
                    : entry.back() != 0 || // text ends in a NUL
                          explainNesting(entry.drop_back()))) {
        return false;
      }
      bool isBuiltin = dialects[dialect] == "builtin";
      if (!areAttributes) {
        facts.emplace_back();
      }
      if (isBuiltin && !areAttributes) {
        noteType(entry, isCustom);
      } else if (isBuiltin && isCustom) {
        noteData(entry);
      }
    }
    seen += count;
  }
  return true;
}

bool Checker::checkAttributes() {
  Cursor cursor = open(kAttributeOffsets, "table of attributes and types");
  Cursor entries(*sections[kAttributes]);
  attributes = cursor.number();
  types = cursor.number();
  uint64_t limit = sections[kAttributeOffsets]->size();
  if (attributes > limit || types > limit) {
    return false;
  }
  return checkEntries(cursor, entries, attributes, true) &&
         checkEntries(cursor, entries, types, false) && cursor.isSound() &&
         cursor.isAtEnd() && entries.isAtEnd() && areWellFounded(references) &&
         llvm::all_of(typedData, [&](auto &data) { return isData(data); });
}

bool Checker::checkProperties() {
  Cursor cursor = open(kProperties, "property section");
  if (!sections[kProperties]) {
    return true;
  }
  properties = cursor.count();
  for (uint64_t i = 0; cursor.isSound() && i < properties; ++i) {
    cursor.take(cursor.number());
  }
  return cursor.isSound();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// `values` is what is left of the number of values that the region announced.
void Checker::checkBlock(Cursor &cursor, int depth, uint64_t &values) {
  uint64_t head = cursor.number();
  uint64_t operations = head >> 1;
  if (operations > cursor.remaining()) {
    cursor.fail();
  }
  if (head & 1) {
    uint64_t arguments = cursor.count();
    if (arguments > values) {
      cursor.fail();
      return;
    }
    values -= arguments;
    for (uint64_t i = 0; cursor.isSound() && i < arguments; ++i) {
      uint64_t type = cursor.number();
      bool hasLocation = version < 4 || (type & 1);
      if ((version < 4 ? type : type >> 1) >= types) {
        cursor.fail();
      }
      if (hasLocation) {
        cursor.index(attributes);
      }
    }
    if (version >= 3 && cursor.byte() != 0) {
      checkUseLists(cursor, arguments);
    }
  }
  for (uint64_t i = 0; cursor.isSound() && i < operations; ++i) {
    checkOperation(cursor, depth, values);
  }
}

void Checker::checkUseLists(Cursor &cursor, uint64_t values) {
  uint64_t lists = values == 1 ? 1 : cursor.count();
  for (uint64_t i = 0; cursor.isSound() && i < lists; ++i) {
    if (values != 1) {
      cursor.index(values);
    }
    uint64_t head = cursor.number();
    uint64_t entries = head >> 1;
    if (entries > cursor.remaining()) {
      cursor.fail();
    }
    for (uint64_t k = 0; cursor.isSound() && k < entries; ++k) {
      cursor.number();
    }
  }
}

void Checker::checkOperation(Cursor &cursor, int depth, uint64_t &values) {
  cursor.index(operationNames);
  uint8_t mask = cursor.byte();
  cursor.index(attributes); // location
  if (mask & 0x01) {
    cursor.index(attributes);
  }
  if (mask & 0x40) {
    cursor.index(properties);
  }
  uint64_t results = 0;
  if (mask & 0x02) {
    results = cursor.count();
    if (results > values) {
      cursor.fail();
      return;
    }
    values -= results;
    for (uint64_t i = 0; cursor.isSound() && i < results; ++i) {
      cursor.index(types);
    }
  }
  for (uint8_t list : {0x04, 0x08}) { // operands, successors
    uint64_t count = mask & list ? cursor.count() : 0;
    for (uint64_t i = 0; cursor.isSound() && i < count; ++i) {
      cursor.number();
    }
  }
  if (mask & 0x20) {
    checkUseLists(cursor, results);
  }
  if (!(mask & 0x10)) {
    return;
  }
  uint64_t head = cursor.number();
  bool isIsolated = head & 1;
  if ((head >> 1) > cursor.remaining() || depth == kMaxDepth) {
    cursor.fail();
  }
  uint64_t regions = cursor.isSound() ? head >> 1 : 0;
  auto checkRegions = [&](Cursor &inside) {
    for (uint64_t i = 0; inside.isSound() && i < regions; ++i) {
      checkRegion(inside, depth + 1);
    }
  };
  if (!isIsolated || version < 2) {
    checkRegions(cursor);
    return;
  }
  // The regions of an isolated operation share a section of their own.
  uint8_t id;
  StringRef payload;
  if (!readSection(cursor, id, payload) || id != kIR) {
    cursor.fail();
    return;
  }
  Cursor nested(payload);
  checkRegions(nested);
  if (!nested.isSound() || !nested.isAtEnd()) {
    cursor.fail();
  }
}

void Checker::checkRegion(Cursor &cursor, int depth) {
  uint64_t blocks = cursor.count();
  if (blocks == 0) {
    return;
  }
  // Each value's type takes a byte.
  uint64_t values = cursor.count();
  for (uint64_t i = 0; cursor.isSound() && i < blocks; ++i) {
    checkBlock(cursor, depth, values);
  }
  if (values != 0) {
    cursor.fail(); // fewer values than announced
  }
}

std::optional<std::string> Checker::check() {
  Cursor cursor(file);
  auto damaged = [&]() {
    return std::string("the bytecode is damaged: what its ") + field +
           " holds disagrees with its counts";
  };
  if (!readHeader(cursor)) {
    return damaged();
  }
  field = "list of sections";
  if (!readSections(cursor) || !checkStrings() || !checkDialects() ||
      !checkAttributes() || !checkProperties()) {
    return damaged();
  }
  Cursor ir = open(kIR, "operation section");
  uint64_t values = 0;       // the module's own block has neither arguments nor
  checkBlock(ir, 0, values); // operations with results
  return ir.isSound() && ir.isAtEnd() ? std::nullopt : std::optional(damaged());
}

std::optional<std::string> explainDamage(StringRef bytecode) {
  return Checker(bytecode).check();
}

} // namespace xla
