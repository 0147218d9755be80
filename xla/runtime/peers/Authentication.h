//===- Authentication.h - Who may join --------------------------*- C++ -*-===//
//
// Processes of a job know a secret. A connection begins with proofs that both
// ends know it, and never send it: keyed hashes (HMAC-SHA256, RFC 2104)
// of numbers that were never used before, and of who is who.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_RUNTIME_PEERS_AUTHENTICATION_H
#define XLA_RUNTIME_PEERS_AUTHENTICATION_H

#include "xla/runtime/peers/Frame.h"

#include <array>
#include <string>
#include <string_view>

namespace xla::peers {

using Nonce = std::array<char, 32>;
using Proof = std::array<char, 32>;

/// From the system's source of randomness.
Nonce makeNonce();

Proof hmac(std::string_view key, std::string_view message);

/// That of the end which connected, or of the one that was connected to.
enum class Role : char { Connects = 'c', Accepts = 'a' };
Proof prove(std::string_view secret, Role role, const HelloBytes &hello,
            const Nonce &answer);

/// Takes as long for any two.
bool areEqual(const Proof &a, const Proof &b);

} // namespace xla::peers

#endif // XLA_RUNTIME_PEERS_AUTHENTICATION_H
