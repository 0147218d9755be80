//===- HloSharding.h - Shardings as XLA writes them -------------*- C++ -*-===//
//
// The older form, by tiles instead of named axes: text in `mhlo.sharding`
// attributes, an OpSharding message on the boundary of a plugin.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_DIALECT_SDY_HLOSHARDING_H
#define XLA_DIALECT_SDY_HLOSHARDING_H

#include "xla/support/Status.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace xla::sdy {

struct HloSharding {
  /// Numbered as in the message.
  enum class Kind {
    Replicated = 0,
    Maximal = 1, ///< on one device, which is the only entry of `devices`
    Tuple = 2,
    Tiled = 3,
    Manual = 4,
    Unknown = 5,
    Unreduced = 6,
  };

  Kind kind = Kind::Replicated;

  /// Into how many parts each dimension is divided; behind the dimensions, how
  /// many devices share a part.
  llvm::SmallVector<int64_t> tiles;
  /// The devices, tile by tile, the last dimension fastest. Either written out,
  /// or the numbers from 0 in an array of sizes `iota`, whose dimensions are
  /// then put in the order `permutation`.
  llvm::SmallVector<int64_t> devices;
  llvm::SmallVector<int64_t> iota;
  llvm::SmallVector<int64_t> permutation;
  /// What each of the last `tiles` stands for, where these are no dimensions.
  llvm::SmallVector<Kind> lastKinds;
  /// Whether the last of `tiles` is one such, replicated, and written as
  /// `last_tile_dim_replicate`.
  bool replicatesLast = false;

  std::vector<HloSharding> parts; ///< of a tuple

  /// Values of one group are sharded alike: `shard_as 0`, `shard_alike 0`.
  std::optional<int64_t> group;
  /// Whether the group is one of `shard_alike`.
  bool isAlike = false;

  /// How many of `tiles` are dimensions.
  size_t getRank() const {
    return tiles.size() - (replicatesLast ? 1 : lastKinds.size());
  }
  /// How many devices there are; 1 where nothing is tiled.
  int64_t getDeviceCount() const;
  /// The devices, tile by tile, written out.
  llvm::SmallVector<int64_t> listDevices() const;

  bool operator==(const HloSharding &other) const;
};

/// `{devices=[4,2]<=[8]}`, `{replicated}`, `{{manual}, {maximal device=0}}`,
/// ...
StatusOr<HloSharding> parseHloSharding(llvm::StringRef text);
std::string toText(const HloSharding &sharding);

/// The bytes of an OpSharding message.
StatusOr<HloSharding> decodeHloSharding(llvm::StringRef message);
std::string encode(const HloSharding &sharding);

} // namespace xla::sdy

#endif // XLA_DIALECT_SDY_HLOSHARDING_H
