//===- HloSharding.cpp - Shardings as XLA writes them ---------------------===//

#include "xla/dialect/sdy/HloSharding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

namespace xla::sdy {

using Kind = HloSharding::Kind;
using Numbers = llvm::SmallVector<int64_t>;

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

static constexpr int64_t mostDevices = std::numeric_limits<int32_t>::max();

static int64_t productOf(llvm::ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    product *= size;
  }
  return product;
}

int64_t HloSharding::getDeviceCount() const {
  return kind == Kind::Tiled ? productOf(tiles) : 1;
}

llvm::SmallVector<int64_t> HloSharding::listDevices() const {
  if (iota.empty()) {
    return devices;
  }
  Numbers strides(iota.size(), 1);
  for (size_t i = iota.size() - 1; i > 0; --i) {
    strides[i - 1] = strides[i] * iota[i];
  }
  Numbers list = {0};
  for (int64_t dim : permutation) {
    Numbers longer;
    longer.reserve(list.size() * iota[dim]);
    for (int64_t base : list) {
      for (int64_t i = 0; i < iota[dim]; ++i) {
        longer.push_back(base + i * strides[dim]);
      }
    }
    list = std::move(longer);
  }
  return list;
}

bool HloSharding::operator==(const HloSharding &other) const {
  return kind == other.kind && tiles == other.tiles &&
         devices == other.devices && iota == other.iota &&
         permutation == other.permutation && lastKinds == other.lastKinds &&
         replicatesLast == other.replicatesLast && parts == other.parts &&
         group == other.group && isAlike == other.isAlike;
}

//===----------------------------------------------------------------------===//
// What must hold
//===----------------------------------------------------------------------===//

static bool isProduct(llvm::ArrayRef<int64_t> sizes, int64_t &product) {
  product = 1;
  for (int64_t size : sizes) {
    if (size < 1 || llvm::MulOverflow(product, size, product) ||
        product > mostDevices) {
      return false;
    }
  }
  return true;
}

static bool isPermutation(llvm::ArrayRef<int64_t> order, size_t count) {
  llvm::SmallVector<bool> isMet(count, false);
  for (int64_t entry : order) {
    if (entry < 0 || entry >= int64_t(count) || isMet[entry]) {
      return false;
    }
    isMet[entry] = true;
  }
  return order.size() == count;
}

/// Why a tiled sharding says nothing sensible; empty where it does.
static std::string explain(const HloSharding &sharding) {
  int64_t count, iotaCount;
  if (sharding.tiles.empty() || !isProduct(sharding.tiles, count)) {
    return "its tiles are not positive, or too many";
  }
  size_t last = sharding.replicatesLast ? 1 : size_t(sharding.lastKinds.size());
  if (last > sharding.tiles.size() ||
      (sharding.replicatesLast && !sharding.lastKinds.empty())) {
    return "it has more last tile dimensions than tiles";
  }
  if (sharding.iota.empty()) {
    return isPermutation(sharding.devices, count)
               ? ""
               : "its devices are not the numbers 0 to " +
                     std::to_string(count - 1);
  }
  if (!isProduct(sharding.iota, iotaCount) || iotaCount != count) {
    return "it has " + std::to_string(count) +
           " tiles and another number of devices";
  }
  return isPermutation(sharding.permutation, sharding.iota.size())
             ? ""
             : "T(...) is no order of the sizes before it";
}

//===----------------------------------------------------------------------===//
// From text
//===----------------------------------------------------------------------===//

namespace {
class Parser {
public:
  explicit Parser(llvm::StringRef text) : rest(text) {}

  bool parse(HloSharding &sharding, bool isInTuple = false);
  bool isAtEnd() const { return rest.trim().empty(); }

private:
  bool take(llvm::StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  bool takeNumbers(char open, char close, Numbers &numbers);
  bool takeTiles(HloSharding &sharding);
  bool takeLast(HloSharding &sharding);
  bool takeKind(Kind &kind);
  bool takeEnd(HloSharding &sharding);

  llvm::StringRef rest;
};
} // namespace

/// `[4,2]`; without brackets where these are spaces.
bool Parser::takeNumbers(char open, char close, Numbers &numbers) {
  if (open != ' ' && !take(llvm::StringRef(&open, 1))) {
    return false;
  }
  do {
    rest = rest.ltrim();
    int64_t value;
    if (rest.consumeInteger(10, value)) {
      return false;
    }
    numbers.push_back(value);
  } while (take(","));
  return close == ' ' || take(llvm::StringRef(&close, 1));
}

bool Parser::takeKind(Kind &kind) {
  static constexpr std::pair<llvm::StringLiteral, Kind> names[] = {
      {"replicated", Kind::Replicated},
      {"manual", Kind::Manual},
      {"unknown", Kind::Unknown},
      {"unreduced", Kind::Unreduced},
  };
  for (const auto &[name, value] : names) {
    if (take(name)) {
      kind = value;
      return true;
    }
  }
  return false;
}

bool Parser::takeLast(HloSharding &sharding) {
  if (take("last_tile_dim_replicate")) {
    sharding.replicatesLast = true;
    return true;
  }
  if (!take("last_tile_dims")) {
    return true;
  }
  if (!take("=") || !take("{")) {
    return false;
  }
  do {
    if (!takeKind(sharding.lastKinds.emplace_back())) {
      return false;
    }
  } while (take(","));
  return take("}");
}

bool Parser::takeTiles(HloSharding &sharding) {
  sharding.kind = Kind::Tiled;
  if (!take("=") || !takeNumbers('[', ']', sharding.tiles)) {
    return false;
  }
  if (!take("<=")) {
    return takeNumbers(' ', ' ', sharding.devices) && takeLast(sharding);
  }
  if (!takeNumbers('[', ']', sharding.iota)) {
    return false;
  }
  if (take("T")) {
    return takeNumbers('(', ')', sharding.permutation) && takeLast(sharding);
  }
  sharding.permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, int64_t(sharding.iota.size())));
  return takeLast(sharding);
}

/// `}`, perhaps behind the group that the value is of.
bool Parser::takeEnd(HloSharding &sharding) {
  sharding.isAlike = take("shard_alike");
  if (sharding.isAlike || take("shard_as")) {
    Numbers number;
    if (!takeNumbers(' ', ' ', number) || number.size() != 1) {
      return false;
    }
    sharding.group = number[0];
  }
  return take("}");
}

bool Parser::parse(HloSharding &sharding, bool isInTuple) {
  if (!take("{")) {
    return false;
  }
  rest = rest.ltrim();
  if (!isInTuple && (rest.starts_with("{") || rest.starts_with("}"))) {
    sharding.kind = Kind::Tuple;
    if (take("}")) {
      return true;
    }
    do {
      if (!parse(sharding.parts.emplace_back(), /*isInTuple=*/true)) {
        return false;
      }
    } while (take(","));
    return take("}");
  }
  if (take("maximal")) {
    sharding.kind = Kind::Maximal;
    return take("device") && take("=") &&
           takeNumbers(' ', ' ', sharding.devices) &&
           sharding.devices.size() == 1 && sharding.devices[0] >= 0 &&
           takeEnd(sharding);
  }
  if (take("devices")) {
    return takeTiles(sharding) && takeEnd(sharding);
  }
  return takeKind(sharding.kind) && takeEnd(sharding);
}

static Status check(const HloSharding &sharding, llvm::StringRef shown) {
  if (sharding.kind == Kind::Tiled) {
    if (std::string reason = explain(sharding); !reason.empty()) {
      return invalidArgument("sharding " + shown.str() +
                             " cannot be: " + reason);
    }
  }
  for (const HloSharding &part : sharding.parts) {
    XLA_RETURN_IF_ERROR(check(part, shown));
  }
  return okStatus();
}

StatusOr<HloSharding> parseHloSharding(llvm::StringRef text) {
  HloSharding sharding;
  Parser parser(text);
  if (!parser.parse(sharding) || !parser.isAtEnd()) {
    return invalidArgument("\"" + text.take_front(200).str() +
                           "\" is no sharding; expected such as {replicated}, "
                           "{maximal device=0} or {devices=[4,2]<=[8]}");
  }
  XLA_RETURN_IF_ERROR(check(sharding, text.take_front(200)));
  return sharding;
}

//===----------------------------------------------------------------------===//
// To text
//===----------------------------------------------------------------------===//

static std::string joined(llvm::ArrayRef<int64_t> numbers) {
  return llvm::join(
      llvm::map_range(numbers, [](int64_t n) { return std::to_string(n); }),
      ",");
}

static std::string nameOf(Kind kind) {
  switch (kind) {
  case Kind::Replicated:
    return "replicated";
  case Kind::Manual:
    return "manual";
  case Kind::Unreduced:
    return "unreduced";
  default:
    return "unknown";
  }
}

/// The end of a text, after the group that the value is of.
static std::string endOf(const HloSharding &sharding) {
  return !sharding.group ? "}"
                         : (sharding.isAlike ? " shard_alike " : " shard_as ") +
                               std::to_string(*sharding.group) + "}";
}

static std::string tiledText(const HloSharding &sharding) {
  std::string text = "{devices=[" + joined(sharding.tiles) + "]";
  if (sharding.iota.empty()) {
    text += joined(sharding.devices);
  } else {
    text += "<=[" + joined(sharding.iota) + "]";
    if (!llvm::is_sorted(sharding.permutation)) {
      text += "T(" + joined(sharding.permutation) + ")";
    }
  }
  if (sharding.replicatesLast) {
    text += " last_tile_dim_replicate";
  } else if (!sharding.lastKinds.empty()) {
    text += " last_tile_dims={" +
            llvm::join(llvm::map_range(sharding.lastKinds, nameOf), ", ") + "}";
  }
  return text + endOf(sharding);
}

std::string toText(const HloSharding &sharding) {
  switch (sharding.kind) {
  case Kind::Tiled:
    return tiledText(sharding);
  case Kind::Maximal:
    return "{maximal device=" + joined(sharding.devices) + endOf(sharding);
  case Kind::Tuple:
    return "{" +
           llvm::join(llvm::map_range(
                          sharding.parts,
                          [](const HloSharding &part) { return toText(part); }),
                      ", ") +
           "}";
  default:
    return "{" + nameOf(sharding.kind) + endOf(sharding);
  }
}

//===----------------------------------------------------------------------===//
// To and from a message
//===----------------------------------------------------------------------===//

namespace {
/// Fields of OpSharding.
enum Field : uint64_t {
  Type = 1,
  TileDimensions = 3,
  TileDevices = 4,
  TupleShardings = 5,
  ReplicateOnLastTileDim = 6,
  LastTileDims = 8,
  IotaReshapeDims = 9,
  IotaTransposePerm = 10,
  IsShardGroup = 11,
  ShardGroupId = 12,
  ShardGroupType = 13,
};
} // namespace

static void putVarint(std::string &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) {
    out.push_back(char(value | 0x80));
  }
  out.push_back(char(value));
}

static void putNumber(std::string &out, Field field, uint64_t value) {
  putVarint(out, field << 3);
  putVarint(out, value);
}

static void putBytes(std::string &out, Field field, llvm::StringRef bytes) {
  putVarint(out, field << 3 | 2);
  putVarint(out, bytes.size());
  out.append(bytes.data(), bytes.size());
}

template <typename Range>
static void putPacked(std::string &out, Field field, const Range &numbers) {
  std::string packed;
  for (auto number : numbers) {
    putVarint(packed, uint64_t(number));
  }
  if (!packed.empty()) {
    putBytes(out, field, packed);
  }
}

std::string encode(const HloSharding &sharding) {
  std::string out;
  if (sharding.kind != Kind::Replicated) {
    putNumber(out, Field::Type, uint64_t(sharding.kind));
  }
  if (sharding.kind == Kind::Maximal) {
    putPacked(out, Field::TileDimensions, Numbers{1});
  }
  putPacked(out, Field::TileDimensions, sharding.tiles);
  putPacked(out, Field::TileDevices, sharding.devices);
  for (const HloSharding &part : sharding.parts) {
    putBytes(out, Field::TupleShardings, encode(part));
  }
  if (sharding.replicatesLast) {
    putNumber(out, Field::ReplicateOnLastTileDim, 1);
  }
  putPacked(out, Field::LastTileDims, sharding.lastKinds);
  putPacked(out, Field::IotaReshapeDims, sharding.iota);
  putPacked(out, Field::IotaTransposePerm, sharding.permutation);
  if (sharding.group) {
    putNumber(out, Field::IsShardGroup, 1);
    putNumber(out, Field::ShardGroupId, uint64_t(*sharding.group));
    if (sharding.isAlike) {
      putNumber(out, Field::ShardGroupType, 1);
    }
  }
  return out;
}

namespace {
class MessageReader {
public:
  explicit MessageReader(llvm::StringRef bytes) : bytes(bytes) {}

  bool isAtEnd() const { return bytes.empty(); }

  bool varint(uint64_t &value) {
    value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (bytes.empty()) {
        return false;
      }
      uint8_t byte = bytes.front();
      bytes = bytes.drop_front();
      value |= uint64_t(byte & 0x7f) << shift;
      if (!(byte & 0x80)) {
        return true;
      }
    }
    return false;
  }

  bool text(llvm::StringRef &content) {
    uint64_t size;
    if (!varint(size) || size > bytes.size()) {
      return false;
    }
    content = bytes.take_front(size);
    bytes = bytes.drop_front(size);
    return true;
  }

  /// The value of a field: one number, or bytes.
  bool field(uint64_t &number, uint64_t &wire, uint64_t &value,
             llvm::StringRef &content) {
    if (!varint(number)) {
      return false;
    }
    wire = number & 7;
    number >>= 3;
    return wire == 0 ? varint(value) : wire == 2 && text(content);
  }

private:
  llvm::StringRef bytes;
};
} // namespace

/// Numbers of a repeated field, packed or one by one.
template <typename Number>
static bool addNumbers(uint64_t wire, uint64_t value, llvm::StringRef content,
                       llvm::SmallVector<Number> &numbers) {
  if (wire == 0) {
    numbers.push_back(Number(value));
    return true;
  }
  for (MessageReader packed(content); !packed.isAtEnd();) {
    if (!packed.varint(value)) {
      return false;
    }
    numbers.push_back(Number(value));
  }
  return true;
}

static bool decode(llvm::StringRef message, HloSharding &sharding,
                   bool isInTuple) {
  Numbers lastKinds;
  int64_t group = 0;
  bool isInGroup = false;
  for (MessageReader reader(message); !reader.isAtEnd();) {
    uint64_t field, wire, value = 0;
    llvm::StringRef content;
    if (!reader.field(field, wire, value, content)) {
      return false;
    }
    bool isRead = true;
    switch (field) {
    case Field::Type:
      isRead = wire == 0 && value <= uint64_t(Kind::Unreduced);
      sharding.kind = isRead ? Kind(value) : Kind::Unknown;
      break;
    case Field::TileDimensions:
      isRead = addNumbers(wire, value, content, sharding.tiles);
      break;
    case Field::TileDevices:
      isRead = addNumbers(wire, value, content, sharding.devices);
      break;
    case Field::TupleShardings:
      isRead = wire == 2 && !isInTuple &&
               decode(content, sharding.parts.emplace_back(), true);
      break;
    case Field::ReplicateOnLastTileDim:
      sharding.replicatesLast = value != 0;
      break;
    case Field::LastTileDims:
      isRead = addNumbers(wire, value, content, lastKinds);
      break;
    case Field::IotaReshapeDims:
      isRead = addNumbers(wire, value, content, sharding.iota);
      break;
    case Field::IotaTransposePerm:
      isRead = addNumbers(wire, value, content, sharding.permutation);
      break;
    case Field::IsShardGroup:
      isInGroup = value != 0;
      break;
    case Field::ShardGroupId:
      group = int64_t(value);
      break;
    case Field::ShardGroupType:
      sharding.isAlike = value == 1;
      break;
    default:
      break; // newer than we
    }
    if (!isRead) {
      return false;
    }
  }
  for (int64_t kind : lastKinds) {
    if (kind < 0 || kind > int64_t(Kind::Unreduced)) {
      return false;
    }
    sharding.lastKinds.push_back(Kind(kind));
  }
  if (isInGroup) {
    sharding.group = group;
  }
  sharding.isAlike &= isInGroup;
  if (sharding.kind == Kind::Maximal) {
    sharding.tiles.clear();
    return sharding.devices.size() == 1 && sharding.devices[0] >= 0;
  }
  return true;
}

StatusOr<HloSharding> decodeHloSharding(llvm::StringRef message) {
  HloSharding sharding;
  if (!decode(message, sharding, /*isInTuple=*/false)) {
    return invalidArgument("bytes are no OpSharding message");
  }
  XLA_RETURN_IF_ERROR(check(sharding, "of a message"));
  return sharding;
}

} // namespace xla::sdy
