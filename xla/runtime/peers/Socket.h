//===- Socket.h - Sockets of the kernel -------------------------*- C++ -*-===//

#ifndef XLA_RUNTIME_PEERS_SOCKET_H
#define XLA_RUNTIME_PEERS_SOCKET_H

#include "xla/runtime/peers/Frame.h"
#include "xla/support/Status.h"

#include <string>
#include <utility>

namespace xla::peers {

/// A descriptor that is closed with its owner. Nothing blocks, and none is
/// handed on to programs that this one starts.
class Socket {
public:
  Socket() = default;
  explicit Socket(int descriptor) : number(descriptor) {}
  Socket(Socket &&other) noexcept : number(std::exchange(other.number, -1)) {}
  Socket &operator=(Socket &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }
  ~Socket();

  bool isOpen() const { return number >= 0; }
  int descriptor() const { return number; }

private:
  int number = -1;
};

/// Listens where the kernel chooses: at a port of `host`, a number or a name of
/// this machine, and under a name that only this machine knows. Fills the
/// address's fields.
StatusOr<Socket> listenAtPort(const std::string &host, Address &address);
StatusOr<Socket> listenLocally(Address &address);

/// Whoever connects next; closed where nobody does.
Socket acceptNext(const Socket &listener);

/// Begins to connect; Unavailable where that is refused at once.
StatusOr<Socket> connectTo(const Address &address, bool isLocal);

/// Whether what is sent on it stays on this machine: no network's.
bool staysHere(const Socket &socket);

/// Lets the kernel end a connection to another machine through which nothing
/// gets for so long. Without that, who is cut off waits for ever.
void breakWhenSilent(const Socket &socket, int seconds);

/// How a connection that was begun has ended.
Status connectionStatus(const Socket &socket);

/// The name of an error of the system.
std::string nameOfError(int number);

} // namespace xla::peers

#endif // XLA_RUNTIME_PEERS_SOCKET_H
