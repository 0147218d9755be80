//===- Cipher.h - What others on the network cannot read --------*- C++ -*-===//
//
// Bytes between machines go in records: four bytes of length, the bytes as
// AES-256-GCM makes them, and its tag of 16 bytes (NIST SP 800-38D). Each
// direction of each connection has a key of its own; the number of a record is
// its nonce, and its length is authenticated too. So nobody without the key can
// read, change, repeat, leave out or exchange records without that being seen.
//
// The arithmetic is OpenSSL's: the library of the system, by its C functions.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_RUNTIME_PEERS_CIPHER_H
#define XLA_RUNTIME_PEERS_CIPHER_H

#include "xla/runtime/peers/Authentication.h"
#include "xla/support/Status.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <sys/uio.h>

namespace xla::peers {

/// What a record holds at most: a small message and its header.
inline constexpr size_t mostRecordBytes = smallBytes + headerBytes;
inline constexpr size_t lengthBytes = 4;
inline constexpr size_t tagBytes = 16;
inline constexpr size_t mostSealedBytes =
    lengthBytes + mostRecordBytes + tagBytes;

/// Whether there is a library to encrypt by; if not, what was looked for.
Status canEncrypt();

/// The key of one direction: what the sender's role, the secret, and both ends'
/// numbers of this connection make.
Proof makeKey(std::string_view secret, Role sender, const HelloBytes &hello,
              const Nonce &answer);

struct CipherContext;

/// One direction of a connection, at either end. Needs `canEncrypt`.
class Cipher {
public:
  explicit Cipher(const Proof &key);
  ~Cipher();
  Cipher(const Cipher &) = delete;
  Cipher &operator=(const Cipher &) = delete;

  /// Puts one record behind `to`, of stretches of 1 to `mostRecordBytes` bytes.
  Status seal(std::span<const iovec> stretches, size_t bytes, std::string &to);

  /// How many bytes a record has in all, from its first four; 0: it is none.
  static size_t sealedBytes(const char *from);

  /// The bytes of a whole record, which is at least `tagBytes` + `lengthBytes`
  /// shorter. False where it is not the next one of who has the key.
  bool open(std::span<const char> sealed, char *to);

private:
  const Proof key;
  uint64_t count = 0; ///< of records so far
  std::unique_ptr<CipherContext> context;
};

} // namespace xla::peers

#endif // XLA_RUNTIME_PEERS_CIPHER_H
