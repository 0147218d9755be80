// Any bytes that another process sends, before it has proved who it is or
// after, are messages, or end the connection: they harm nobody.

#include "xla/runtime/peers/Peers.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <thread>

#include <sys/socket.h>
#include <unistd.h>

using namespace xla;
using namespace xla::peers;

static constexpr const char *secret = "0123456789abcdef";

namespace {
/// Process 0 of a job, and a socket to it that says it is process 1.
struct Victim {
  std::unique_ptr<Peers> peers;
  std::unique_ptr<JointLaunch> launch;
  Socket attacker;

  explicit Victim(bool isOverNetwork) {
    Peers::Options options;
    options.patienceSeconds = 0;
    options.timeoutSeconds = 10;
    peers = std::move(*Peers::create(options));
    std::vector<Peers::Other> all(2, {peers->address(), !isOverNetwork});
    (void)peers->introduce(all, secret);
    Clique clique{7, {0, 1}};
    launch = std::move(*peers->begin(clique, {11, "f", {}}));
    attacker =
        std::move(*connectTo(*decodeAddress(all[0].address), !isOverNetwork));
  }

  /// What a wait of process 0 makes of what has been sent.
  void wait() {
    static const std::string location = "a collective";
    char small[8], large[70'000];
    std::vector<PeerMessage> receives = {{1, {{small, sizeof small}}}};
    (void)launch->exchange({}, location, {}, receives);
    Identity second;
    second.part = 1;
    receives = {{1, {{large, sizeof large}}}};
    std::vector<PeerMessage> sends = {{1, {{large, sizeof large}}}};
    (void)launch->exchange(second, location, sends, receives);
  }
};
} // namespace

static void say(const Socket &socket, const void *bytes, size_t count) {
  (void)!::send(socket.descriptor(), bytes, count, MSG_NOSIGNAL);
}

/// What a process of the job sends over a network.
static std::string seal(std::string_view text, const HelloBytes &hello,
                        const Nonce &answer) {
  Cipher cipher(makeKey(secret, Role::Connects, hello, answer));
  std::string sealed;
  while (!text.empty()) {
    size_t bytes = std::min(text.size(), mostRecordBytes);
    iovec part = {const_cast<char *>(text.data()), bytes};
    (void)cipher.seal({&part, 1}, bytes, sealed);
    text.remove_prefix(bytes);
  }
  return sealed;
}

/// The first byte says how far the attacker got: a stranger, or a process of
/// the job that has gone mad; on the machine, or over the network, with or
/// without the seals. The rest is what it sends, and then it leaves.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) {
    return 0;
  }
  std::string_view text(reinterpret_cast<const char *>(data + 1), size - 1);
  HeaderBytes header = {};
  std::memcpy(header.data(), text.data(), std::min(text.size(), headerBytes));
  if (std::optional<FrameHeader> read = decode(header)) {
    if (encode(*read) != header) {
      __builtin_trap();
    }
  }
  if (std::optional<Address> address = decodeAddress(text)) {
    if (address->port == 0 || address->localName.size() > 100) {
      __builtin_trap();
    }
  }
  bool isOverNetwork = data[0] & 2, seals = data[0] & 4;
  Victim victim(isOverNetwork);
  std::thread peer;
  if (data[0] & 1) {
    HelloBytes hello = encode(Hello{1, 0, {}});
    say(victim.attacker, hello.data(), hello.size());
    peer = std::thread([&victim, hello, text, isOverNetwork, seals] {
      Nonce answer;
      size_t got = 0;
      while (got < answer.size()) {
        ssize_t count = recv(victim.attacker.descriptor(), answer.data() + got,
                             answer.size() - got, 0);
        got += count > 0 ? static_cast<size_t>(count) : 0;
        usleep(count > 0 ? 0 : 20);
      }
      Proof proof = prove(secret, Role::Connects, hello, answer);
      say(victim.attacker, proof.data(), proof.size());
      std::string sealed = isOverNetwork && seals && canEncrypt().ok()
                               ? seal(text, hello, answer)
                               : std::string(text);
      say(victim.attacker, sealed.data(), sealed.size());
      shutdown(victim.attacker.descriptor(), SHUT_WR);
    });
  } else {
    say(victim.attacker, text.data(), text.size());
    victim.attacker = Socket();
    peer = std::thread([&] { victim.peers->failProcess(1, "a stranger"); });
  }
  victim.wait();
  peer.join();
  victim.launch.reset();
  return 0;
}
