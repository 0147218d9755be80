#include "xla/runtime/peers/Authentication.h"

#include "xla/support/Sha256.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <sys/random.h>

namespace xla::peers {

Nonce makeNonce() {
  Nonce nonce;
  ssize_t count;
  do {
    count = getrandom(nonce.data(), nonce.size(), 0);
  } while (count < 0 && errno == EINTR);
  // Up to 256 bytes come whole; without the source nobody can be told apart.
  if (count != static_cast<ssize_t>(nonce.size())) {
    std::abort();
  }
  return nonce;
}

static std::string_view viewOf(const std::array<uint8_t, 32> &bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

Proof hmac(std::string_view key, std::string_view message) {
  constexpr size_t blockBytes = 64;
  std::array<uint8_t, 32> hashed;
  if (key.size() > blockBytes) {
    hashed = sha256(key);
    key = viewOf(hashed);
  }
  std::string inner(blockBytes, '\x36'), outer(blockBytes, '\x5c');
  for (size_t i = 0; i < key.size(); ++i) {
    inner[i] = static_cast<char>(inner[i] ^ key[i]);
    outer[i] = static_cast<char>(outer[i] ^ key[i]);
  }
  inner += message;
  outer += viewOf(sha256(inner));
  std::array<uint8_t, 32> result = sha256(outer);
  Proof proof;
  std::memcpy(proof.data(), result.data(), proof.size());
  return proof;
}

Proof prove(std::string_view secret, Role role, const HelloBytes &hello,
            const Nonce &answer) {
  std::string message(1, static_cast<char>(role));
  message.append(hello.data(), hello.size());
  message.append(answer.data(), answer.size());
  return hmac(secret, message);
}

bool areEqual(const Proof &a, const Proof &b) {
  volatile char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference = static_cast<char>(difference | (a[i] ^ b[i]));
  }
  return difference == 0;
}

} // namespace xla::peers
