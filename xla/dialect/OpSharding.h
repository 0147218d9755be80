//===- OpSharding.h - How arrays lie on devices, as text --------*- C++ -*-===//

#ifndef XLA_DIALECT_OPSHARDING_H
#define XLA_DIALECT_OPSHARDING_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xla {

/// What a serialized OpSharding message says, in XLA's notation:
/// `{replicated}`,
/// `{devices=[4,2]<=[8]}`, ... Of bytes that are no such message, what could be
/// read.
std::string textOfOpSharding(std::string_view message);

/// How an array is cut, evenly.
struct ArrayTiles {
  std::vector<int64_t> counts; ///< how many tiles, by dimension
  /// By device: which of them it has, by dimension.
  std::vector<std::vector<int64_t>> places;
};

/// The tiles of an array of rank `rank` on `devices` devices; nothing where the
/// message does not cut arrays in tiles that each device has one of.
std::optional<ArrayTiles> tilesOfOpSharding(std::string_view message,
                                            size_t rank, size_t devices);

} // namespace xla

#endif // XLA_DIALECT_OPSHARDING_H
