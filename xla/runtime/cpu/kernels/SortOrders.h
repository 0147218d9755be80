//===- SortOrders.h - Numbers as unsigned keys ------------------*- C++ -*-===//
//
// How 32-bit elements become keys that order as they do, and back. Where
// several elements have one key, the way back gives one of them.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_RUNTIME_CPU_KERNELS_SORTORDERS_H
#define XLA_RUNTIME_CPU_KERNELS_SORTORDERS_H

#include <cstdint>

namespace xla::cpu {

inline constexpr uint32_t signBit = uint32_t(1) << 31;

/// IEEE 754's total order: -NaN, numbers, -0 before +0, +NaN.
struct TotalFloatKeys {
  static uint32_t toKey(uint32_t bits) {
    return bits & signBit ? ~bits : bits | signBit;
  }
  static uint32_t fromKey(uint32_t key) {
    return key & signBit ? key ^ signBit : ~key;
  }
};

/// One zero, and one NaN after all numbers.
struct FloatKeys {
  static uint32_t toKey(uint32_t bits) {
    uint32_t magnitude = bits & ~signBit;
    if (magnitude > 0x7f800000u) {
      return ~uint32_t(0);
    }
    return magnitude == 0 ? signBit : TotalFloatKeys::toKey(bits);
  }
  static uint32_t fromKey(uint32_t key) { return TotalFloatKeys::fromKey(key); }
};

struct SignedKeys {
  static uint32_t toKey(uint32_t bits) { return bits ^ signBit; }
  static uint32_t fromKey(uint32_t key) { return key ^ signBit; }
};

struct UnsignedKeys {
  static uint32_t toKey(uint32_t bits) { return bits; }
  static uint32_t fromKey(uint32_t key) { return key; }
};

} // namespace xla::cpu

#endif // XLA_RUNTIME_CPU_KERNELS_SORTORDERS_H
