#include "xla/runtime/peers/Socket.h"

#include "xla/runtime/peers/Authentication.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace xla::peers {

static constexpr int backlog = 512;
static constexpr int flags = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;

Socket::~Socket() {
  if (number >= 0) {
    close(number);
  }
}

std::string nameOfError(int number) {
  const char *name = strerrorname_np(number);
  const char *text = strerrordesc_np(number);
  return std::string(text ? text : "unknown error") + " (" +
         (name ? name : std::to_string(number)) + ")";
}

static Status systemError(const std::string &what) {
  return Status(StatusCode::Unavailable, what + ": " + nameOfError(errno));
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

static StatusOr<AddressList> look(const std::string &host, uint16_t port,
                                  int extraFlags) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | extraFlags;
  addrinfo *found = nullptr;
  int error =
      getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0) {
    return Status(StatusCode::Unavailable, "\"" + host +
                                               "\" is no address of "
                                               "a machine: " +
                                               gai_strerror(error));
  }
  return AddressList(found, freeaddrinfo);
}

/// A name in the kernel's own name space, of no file.
static socklen_t fill(sockaddr_un &address, const std::string &name) {
  address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 +
                                name.size());
}

//===----------------------------------------------------------------------===//
// Listening
//===----------------------------------------------------------------------===//

StatusOr<Socket> listenAtPort(const std::string &host, Address &address) {
  StatusOr<AddressList> list = look(host, 0, AI_PASSIVE);
  if (!list.ok()) {
    return list.status();
  }
  const addrinfo &at = **list;
  Socket socket(::socket(at.ai_family, flags, 0));
  sockaddr_storage bound = {};
  auto *where = reinterpret_cast<sockaddr *>(&bound);
  socklen_t size = sizeof bound;
  if (!socket.isOpen() ||
      bind(socket.descriptor(), at.ai_addr, at.ai_addrlen) != 0 ||
      listen(socket.descriptor(), backlog) != 0 ||
      getsockname(socket.descriptor(), where, &size) != 0) {
    return systemError("cannot listen at \"" + host + "\"");
  }
  char hostText[NI_MAXHOST], portText[NI_MAXSERV];
  if (getnameinfo(where, size, hostText, sizeof hostText, portText,
                  sizeof portText, NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return systemError("cannot find the port of \"" + host + "\"");
  }
  address.host = hostText;
  address.port = static_cast<uint16_t>(std::strtoul(portText, nullptr, 10));
  return socket;
}

StatusOr<Socket> listenLocally(Address &address) {
  address.localName = "jax-";
  for (char byte : makeNonce()) {
    address.localName += "0123456789abcdef"[byte & 15];
  }
  Socket socket(::socket(AF_UNIX, flags, 0));
  sockaddr_un name;
  socklen_t size = fill(name, address.localName);
  if (!socket.isOpen() ||
      bind(socket.descriptor(), reinterpret_cast<sockaddr *>(&name), size) !=
          0 ||
      listen(socket.descriptor(), backlog) != 0) {
    return systemError("cannot listen on this machine");
  }
  return socket;
}

static void sendAtOnce(const Socket &socket) {
  int on = 1; // no matter on local sockets, which have no such delay
  setsockopt(socket.descriptor(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Socket acceptNext(const Socket &listener) {
  Socket socket(accept4(listener.descriptor(), nullptr, nullptr,
                        SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (socket.isOpen()) {
    sendAtOnce(socket);
  }
  return socket;
}

//===----------------------------------------------------------------------===//
// Connecting
//===----------------------------------------------------------------------===//

static StatusOr<Socket> begin(int family, const sockaddr *address,
                              socklen_t size) {
  Socket socket(::socket(family, flags, 0));
  if (!socket.isOpen()) {
    return systemError("no socket");
  }
  sendAtOnce(socket);
  if (connect(socket.descriptor(), address, size) != 0 &&
      errno != EINPROGRESS) {
    return systemError("cannot connect");
  }
  return socket;
}

StatusOr<Socket> connectTo(const Address &address, bool isLocal) {
  if (isLocal) {
    sockaddr_un name;
    socklen_t size = fill(name, address.localName);
    return begin(AF_UNIX, reinterpret_cast<sockaddr *>(&name), size);
  }
  StatusOr<AddressList> list = look(address.host, address.port, AI_NUMERICHOST);
  if (!list.ok()) {
    return list.status();
  }
  return begin((*list)->ai_family, (*list)->ai_addr, (*list)->ai_addrlen);
}

bool staysHere(const Socket &socket) {
  sockaddr_storage own = {};
  socklen_t size = sizeof own;
  return getsockname(socket.descriptor(), reinterpret_cast<sockaddr *>(&own),
                     &size) == 0 &&
         own.ss_family == AF_UNIX;
}

void breakWhenSilent(const Socket &socket, int seconds) {
  auto set = [&](int level, int name, int value) {
    setsockopt(socket.descriptor(), level, name, &value, sizeof value);
  };
  constexpr int probes = 3;
  int interval = std::max(seconds / (probes + 1), 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, interval);
  set(IPPROTO_TCP, TCP_KEEPINTVL, interval);
  set(IPPROTO_TCP, TCP_KEEPCNT, probes);
  // Also while something is on its way, which the probes then are not.
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, seconds * 1000);
}

Status connectionStatus(const Socket &socket) {
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(socket.descriptor(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) {
    errno = error;
    return systemError("cannot connect");
  }
  return okStatus();
}

} // namespace xla::peers
