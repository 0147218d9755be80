#include "xla/runtime/peers/Link.h"

#include <algorithm>
#include <cstring>

namespace xla::peers {

int Cursor::fill(iovec *stretches, int most) const {
  int count = 0;
  size_t skipped = offset;
  for (const Piece &piece : rest) {
    if (count == most) {
      break;
    }
    stretches[count].iov_base = piece.data + skipped;
    stretches[count].iov_len = piece.bytes - skipped;
    count += piece.bytes > skipped;
    skipped = 0;
  }
  return count;
}

void Cursor::advance(size_t bytes) {
  offset += bytes;
  while (!rest.empty() && offset >= rest.front().bytes) {
    offset -= rest.front().bytes;
    rest = rest.subspan(1);
  }
}

void Cursor::write(const char *from, size_t bytes) {
  while (bytes > 0) {
    size_t count = std::min(bytes, rest.front().bytes - offset);
    if (count > 0) {
      std::memcpy(rest.front().data + offset, from, count);
    }
    from += count;
    bytes -= count;
    advance(count);
  }
}

std::string Cursor::copyRest() const {
  std::string copy;
  size_t skipped = offset;
  for (const Piece &piece : rest) {
    copy.append(piece.data + skipped, piece.bytes - skipped);
    skipped = 0;
  }
  return copy;
}

int Outgoing::fill(iovec *stretches, int most) const {
  int count = 0;
  if (ownWritten < own.size()) {
    stretches[count++] = {const_cast<char *>(own.data()) + ownWritten,
                          own.size() - ownWritten};
  }
  return borrowedLeft > 0
             ? count + borrowed.fill(stretches + count, most - count)
             : count;
}

void Outgoing::advance(size_t bytes) {
  size_t some = std::min(bytes, own.size() - ownWritten);
  ownWritten += some;
  borrowed.advance(bytes - some);
  borrowedLeft -= bytes - some;
}

std::string shortName(const std::string &name) {
  // The first of "file":line:column is that of the innermost call.
  for (size_t end = name.find("\":"); end != std::string::npos;
       end = name.find("\":", end + 1)) {
    size_t digits = end + 2;
    size_t after = name.find_first_not_of("0123456789", digits);
    size_t begin = end > 0 ? name.rfind('"', end - 1) : std::string::npos;
    size_t suffix = name.find(" at ");
    if (after != digits && begin != std::string::npos && suffix < begin) {
      return name.substr(0, suffix + 4) +
             name.substr(begin + 1, end - begin - 1) + ":" +
             name.substr(digits, after - digits);
    }
  }
  return name;
}

} // namespace xla::peers
