#include "xla/dialect/OpSharding.h"

#include "xla/support/Protobuf.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace xla {

namespace {
enum Kind : int64_t {
  Replicated = 0,
  Maximal = 1,
  Tuple = 2,
  Other = 3,
  Manual = 4,
  Unknown = 5,
  Unreduced = 6,
};

/// The fields of the message.
struct OpSharding {
  int64_t kind = Replicated;
  std::vector<int64_t> tiles;
  std::vector<int64_t> devices; ///< one by one, or:
  std::vector<int64_t> iotaDimensions, iotaPermutation;
  std::vector<std::string> parts; ///< of a tuple, as text
  bool replicatesLast = false;
  std::vector<int64_t> lastKinds;
};
} // namespace

static OpSharding read(std::string_view message) {
  OpSharding sharding;
  ProtobufReader reader(message);
  while (std::optional<ProtobufField> field = reader.next()) {
    switch (field->number) {
    case 1:
      sharding.kind = static_cast<int64_t>(field->integer);
      break;
    case 3:
      (void)field->appendIntegers(sharding.tiles);
      break;
    case 4:
      (void)field->appendIntegers(sharding.devices);
      break;
    case 5:
      sharding.parts.push_back(textOfOpSharding(field->bytes));
      break;
    case 6:
      sharding.replicatesLast = field->integer != 0;
      break;
    case 8:
      (void)field->appendIntegers(sharding.lastKinds);
      break;
    case 9:
      (void)field->appendIntegers(sharding.iotaDimensions);
      break;
    case 10:
      (void)field->appendIntegers(sharding.iotaPermutation);
      break;
    default:
      break;
    }
  }
  return sharding;
}

static std::string joined(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers) {
    text += (text.empty() ? "" : ",") + std::to_string(number);
  }
  return text;
}

static const char *nameOf(int64_t kind) {
  switch (kind) {
  case Replicated:
    return "replicated";
  case Manual:
    return "manual";
  case Unreduced:
    return "unreduced";
  default:
    return "unknown";
  }
}

static bool isIdentity(const std::vector<int64_t> &permutation) {
  for (size_t i = 0; i < permutation.size(); ++i) {
    if (permutation[i] != static_cast<int64_t>(i)) {
      return false;
    }
  }
  return true;
}

static std::string tiledText(const OpSharding &sharding) {
  std::string text = "{devices=[" + joined(sharding.tiles) + "]";
  if (sharding.iotaDimensions.empty()) {
    text += joined(sharding.devices);
  } else {
    text += "<=[" + joined(sharding.iotaDimensions) + "]";
    if (!isIdentity(sharding.iotaPermutation)) {
      text += "T(" + joined(sharding.iotaPermutation) + ")";
    }
  }
  if (sharding.replicatesLast) {
    text += " last_tile_dim_replicate";
  } else if (!sharding.lastKinds.empty()) {
    text += " last_tile_dims={";
    for (size_t i = 0; i < sharding.lastKinds.size(); ++i) {
      text += (i ? ", " : "") + std::string(nameOf(sharding.lastKinds[i]));
    }
    text += "}";
  }
  return text + "}";
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

static int64_t product(const std::vector<int64_t> &sizes) {
  int64_t count = 1;
  for (int64_t size : sizes) {
    bool isSmall = size > 0 && count <= int64_t(1 << 20) / size;
    count = isSmall ? count * size : 0;
  }
  return count;
}

/// The numbers of an array of `sizes`, counted up, with its dimensions
/// permuted.
static std::vector<int64_t> permutedIota(const std::vector<int64_t> &sizes,
                                         std::vector<int64_t> permutation) {
  if (permutation.empty()) {
    permutation.resize(sizes.size());
    std::iota(permutation.begin(), permutation.end(), 0);
  }
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * sizes[i];
  }
  std::vector<int64_t> numbers;
  for (int64_t at = 0; at < product(sizes); ++at) {
    int64_t rest = at, number = 0;
    for (size_t i = permutation.size(); i-- > 0;) {
      int64_t dimension = permutation[i];
      number += rest % sizes[dimension] * strides[dimension];
      rest /= sizes[dimension];
    }
    numbers.push_back(number);
  }
  return numbers;
}

static bool isPermutation(std::vector<int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return isIdentity(numbers);
}

std::optional<ArrayTiles> tilesOfOpSharding(std::string_view message,
                                            size_t rank, size_t devices) {
  OpSharding sharding = read(message);
  ArrayTiles tiles;
  if (sharding.kind == Replicated) {
    tiles.counts.assign(rank, 1);
    tiles.places.assign(devices, std::vector<int64_t>(rank, 0));
    return tiles;
  }
  if (sharding.kind != Other || sharding.tiles.size() < rank ||
      product(sharding.tiles) != static_cast<int64_t>(devices) ||
      sharding.iotaPermutation.size() > sharding.iotaDimensions.size() ||
      !isPermutation(sharding.iotaPermutation)) {
    return std::nullopt;
  }
  std::vector<int64_t> order =
      sharding.iotaDimensions.empty()
          ? sharding.devices
          : permutedIota(sharding.iotaDimensions, sharding.iotaPermutation);
  if (order.size() != devices || !isPermutation(order)) {
    return std::nullopt;
  }
  tiles.counts.assign(sharding.tiles.begin(), sharding.tiles.begin() + rank);
  tiles.places.resize(devices);
  for (size_t at = 0; at < devices; ++at) {
    std::vector<int64_t> place(sharding.tiles.size());
    auto rest = static_cast<int64_t>(at);
    for (size_t i = place.size(); i-- > 0;) {
      place[i] = rest % sharding.tiles[i];
      rest /= sharding.tiles[i];
    }
    place.resize(rank);
    tiles.places[order[at]] = place;
  }
  return tiles;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string textOfOpSharding(std::string_view message) {
  OpSharding sharding = read(message);
  switch (sharding.kind) {
  case Maximal:
    return "{maximal device=" + joined(sharding.devices) + "}";
  case Other:
    return tiledText(sharding);
  case Tuple: {
    std::string text = "{";
    for (size_t i = 0; i < sharding.parts.size(); ++i) {
      text += (i ? ", " : "") + sharding.parts[i];
    }
    return text + "}";
  }
  default:
    return "{" + std::string(nameOf(sharding.kind)) + "}";
  }
}

} // namespace xla
