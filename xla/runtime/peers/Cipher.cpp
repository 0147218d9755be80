#include "xla/runtime/peers/Cipher.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include <dlfcn.h>

namespace xla::peers {

namespace {
/// The functions of libcrypto that are used; types are those of its manual.
struct Library {
  using Bytes = unsigned char *;
  using ConstBytes = const unsigned char *;

  void *(*makeContext)() = nullptr;
  void (*freeContext)(void *) = nullptr;
  const void *(*aes256Gcm)() = nullptr;
  int (*encryptInit)(void *, const void *, void *, ConstBytes,
                     ConstBytes) = nullptr;
  int (*encryptUpdate)(void *, Bytes, int *, ConstBytes, int) = nullptr;
  int (*encryptFinal)(void *, Bytes, int *) = nullptr;
  int (*decryptInit)(void *, const void *, void *, ConstBytes,
                     ConstBytes) = nullptr;
  int (*decryptUpdate)(void *, Bytes, int *, ConstBytes, int) = nullptr;
  int (*decryptFinal)(void *, Bytes, int *) = nullptr;
  int (*control)(void *, int, int, void *) = nullptr;
  std::string missing;

  Library();
};
} // namespace

Library::Library() {
  void *library = nullptr;
  for (const char *name : {"libcrypto.so.3", "libcrypto.so.1.1"}) {
    library = library ? library : dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (!library) {
    missing = "neither libcrypto.so.3 nor libcrypto.so.1.1 can be loaded";
    return;
  }
  auto find = [&](const char *name, auto &function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        dlsym(library, name));
    if (!function && missing.empty()) {
      missing = std::string("libcrypto has no ") + name;
    }
  };
  find("EVP_CIPHER_CTX_new", makeContext);
  find("EVP_CIPHER_CTX_free", freeContext);
  find("EVP_aes_256_gcm", aes256Gcm);
  find("EVP_EncryptInit_ex", encryptInit);
  find("EVP_EncryptUpdate", encryptUpdate);
  find("EVP_EncryptFinal_ex", encryptFinal);
  find("EVP_DecryptInit_ex", decryptInit);
  find("EVP_DecryptUpdate", decryptUpdate);
  find("EVP_DecryptFinal_ex", decryptFinal);
  find("EVP_CIPHER_CTX_ctrl", control);
}

static const Library &library() {
  static const auto *loaded = new Library(); // never unloaded
  return *loaded;
}

// Numbers of EVP_CIPHER_CTX_ctrl.
static constexpr int getTag = 0x10;
static constexpr int setTag = 0x11;

Status canEncrypt() {
  const std::string &missing = library().missing;
  return missing.empty() ? okStatus()
                         : Status(StatusCode::Unavailable, missing);
}

Proof makeKey(std::string_view secret, Role sender, const HelloBytes &hello,
              const Nonce &answer) {
  // Another first word than a proof has.
  std::string message = "key of ";
  message += static_cast<char>(sender);
  message.append(hello.data(), hello.size());
  message.append(answer.data(), answer.size());
  return hmac(secret, message);
}

//===----------------------------------------------------------------------===//
// Cipher
//===----------------------------------------------------------------------===//

struct CipherContext {
  void *handle = library().makeContext();
  ~CipherContext() { library().freeContext(handle); }
};

Cipher::Cipher(const Proof &key)
    : key(key), context(std::make_unique<CipherContext>()) {}

Cipher::~Cipher() = default;

template <typename T>
static auto *bytesOf(T *text) {
  using Byte = std::conditional_t<std::is_const_v<T>, const unsigned char,
                                  unsigned char>;
  return reinterpret_cast<Byte *>(text);
}

/// Twelve bytes, as the cipher wants them. A key is set with its first.
static std::array<unsigned char, 12> nonceOf(uint64_t count) {
  std::array<unsigned char, 12> nonce = {};
  std::memcpy(nonce.data() + 4, &count, sizeof count);
  return nonce;
}

Status Cipher::seal(std::span<const iovec> stretches, size_t bytes,
                    std::string &to) {
  const Library &crypto = library();
  auto length = static_cast<uint32_t>(bytes);
  char head[lengthBytes];
  std::memcpy(head, &length, sizeof head);
  size_t begin = to.size();
  to.resize(begin + lengthBytes + bytes + tagBytes);
  char *out = to.data() + begin;
  std::memcpy(out, head, sizeof head);
  out += lengthBytes;
  bool isFirst = count == 0;
  auto nonce = nonceOf(count++);
  void *handle = context->handle;
  int written = 0;
  bool isDone =
      handle &&
      crypto.encryptInit(handle, isFirst ? crypto.aes256Gcm() : nullptr,
                         nullptr, isFirst ? bytesOf(key.data()) : nullptr,
                         nonce.data()) == 1 &&
      crypto.encryptUpdate(handle, nullptr, &written, bytesOf(head),
                           lengthBytes) == 1;
  size_t left = bytes;
  for (const iovec &stretch : stretches) {
    size_t some = std::min(stretch.iov_len, left);
    isDone = isDone &&
             (some == 0 || crypto.encryptUpdate(
                               handle, bytesOf(out), &written,
                               static_cast<unsigned char *>(stretch.iov_base),
                               static_cast<int>(some)) == 1);
    out += some;
    left -= some;
  }
  isDone = isDone && left == 0 &&
           crypto.encryptFinal(handle, bytesOf(out), &written) == 1 &&
           crypto.control(handle, getTag, tagBytes, out) == 1;
  return isDone ? okStatus() : internalError("OpenSSL cannot encrypt");
}

size_t Cipher::sealedBytes(const char *from) {
  uint32_t length;
  std::memcpy(&length, from, sizeof length);
  bool isRecord = length > 0 && length <= mostRecordBytes;
  return isRecord ? lengthBytes + length + tagBytes : 0;
}

bool Cipher::open(std::span<const char> sealed, char *to) {
  const Library &crypto = library();
  size_t bytes = sealed.size() - lengthBytes - tagBytes;
  const char *from = sealed.data() + lengthBytes;
  char tag[tagBytes];
  std::memcpy(tag, from + bytes, tagBytes);
  bool isFirst = count == 0;
  auto nonce = nonceOf(count++);
  void *handle = context->handle;
  int written = 0;
  return handle &&
         crypto.decryptInit(handle, isFirst ? crypto.aes256Gcm() : nullptr,
                            nullptr, isFirst ? bytesOf(key.data()) : nullptr,
                            nonce.data()) == 1 &&
         crypto.decryptUpdate(handle, nullptr, &written, bytesOf(sealed.data()),
                              lengthBytes) == 1 &&
         crypto.decryptUpdate(handle, bytesOf(to), &written, bytesOf(from),
                              static_cast<int>(bytes)) == 1 &&
         crypto.control(handle, setTag, tagBytes, tag) == 1 &&
         crypto.decryptFinal(handle, bytesOf(to) + bytes, &written) == 1;
}

} // namespace xla::peers
