//===- Messages.h - inputs as streams of messages ---------------*- C++ -*-===//

#ifndef PTOSCOPE_FUZZ_MESSAGES_H
#define PTOSCOPE_FUZZ_MESSAGES_H

#include "Input.h"

#include "ptoscope/Protocol/Channel.h"

#include <memory>

namespace ptoscope::fuzz {

/// A channel that reads the input and whose answers no one reads. An input that begins with
/// a header is taken as it is; of others every line is a message.
class Messages {
public:
  explicit Messages(std::string_view input)
      : bytes(input.starts_with("Content-Length") ? std::string(input) : framed(input)),
        in(bytes.empty() ? fopen("/dev/null", "r") : fmemopen(bytes.data(), bytes.size(), "r")),
        out(fopen("/dev/null", "w")), channel(in, out) {
    require(in && out, "streams");
  }
  ~Messages() {
    fclose(in);
    fclose(out);
  }
  Messages(const Messages &) = delete;

private:
  static std::string framed(std::string_view input) {
    std::string result;
    while (!input.empty()) {
      const std::string_view line = input.substr(0, input.find('\n'));
      input.remove_prefix(std::min(line.size() + 1, input.size()));
      result += "Content-Length: " + std::to_string(line.size()) + "\r\n\r\n";
      result += line;
    }
    return result;
  }

  std::string bytes;
  FILE *in, *out;

public:
  Channel channel;
};

} // namespace ptoscope::fuzz

#endif // PTOSCOPE_FUZZ_MESSAGES_H
