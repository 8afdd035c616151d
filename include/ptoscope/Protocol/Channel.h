//===- Channel.h - messages between an editor and a server ------*- C++ -*-===//
//
// The framing that the Language Server Protocol and the Debug Adapter Protocol
// share: `Content-Length: N`, an empty line, N bytes of JSON. What arrives may be
// anything: whatever is no message becomes one fault, and reading goes on at the
// next header.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_PROTOCOL_CHANNEL_H
#define PTOSCOPE_PROTOCOL_CHANNEL_H

#include "llvm/Support/JSON.h"

#include <cstdio>
#include <mutex>
#include <optional>
#include <string>

namespace ptoscope {

class Channel {
public:
  /// Longer messages are refused without being read.
  static constexpr size_t kMaxBytes = size_t(256) << 20;
  /// JSON that is nested deeper is refused: parsers recurse.
  static constexpr unsigned kMaxNesting = 256;

  /// The streams stay the caller's.
  Channel(std::FILE *in, std::FILE *out) : in(in), out(out) {}
  Channel(const Channel &) = delete;

  /// What came: a message, or a fault in words, or neither at the end of the input.
  struct Incoming {
    std::optional<llvm::json::Object> message;
    std::string fault;

    bool atEnd() const { return !message && fault.empty(); }
  };
  /// Waits for the next one. After a fault, the next call goes on behind it.
  Incoming read();

  /// False when no one reads any more. Threads may write at the same time.
  bool write(const llvm::json::Value &message);

private:
  /// The number of bytes of the next message; nothing at the end of the input. `fault` tells of
  /// what stood before it.
  std::optional<size_t> readHeader(std::string &fault);
  bool readLine(std::string &line, bool &overlong);

  std::FILE *in, *out;
  std::mutex writing;
  std::optional<size_t> pending; ///< length of a message whose header followed a fault
};

} // namespace ptoscope

#endif // PTOSCOPE_PROTOCOL_CHANNEL_H
