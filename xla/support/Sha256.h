//===- Sha256.h - The hash SHA-256 ------------------------------*- C++ -*-===//
//
// FIPS 180-4, section 6.2. For proofs and fingerprints of short texts: plain,
// not fast.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_SUPPORT_SHA256_H
#define XLA_SUPPORT_SHA256_H

#include <array>
#include <cstdint>
#include <string_view>

namespace xla {

std::array<uint8_t, 32> sha256(std::string_view message);

} // namespace xla

#endif // XLA_SUPPORT_SHA256_H
