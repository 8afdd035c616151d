//===- ChannelTest.cpp - framing, and whatever else may arrive ------------===//

#include "ptoscope/Protocol/Channel.h"

#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace ptoscope;

namespace {

std::string framed(const std::string &body) {
  return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// What a channel makes of bytes: "{…}" for a message, "! …" for a fault, in order.
std::vector<std::string> readAll(const std::string &bytes) {
  std::FILE *in = std::tmpfile();
  EXPECT_EQ(fwrite(bytes.data(), 1, bytes.size(), in), bytes.size());
  rewind(in);
  Channel channel(in, nullptr);
  std::vector<std::string> seen;
  while (seen.size() < 20) {
    Channel::Incoming incoming = channel.read();
    if (incoming.atEnd())
      break;
    std::string text = "! " + incoming.fault;
    if (incoming.message) {
      text.clear();
      llvm::raw_string_ostream(text) << llvm::json::Value(std::move(*incoming.message));
    }
    seen.push_back(text);
  }
  fclose(in);
  return seen;
}

using Seen = std::vector<std::string>;

TEST(Channel, readsMessagesOneAfterAnother) {
  EXPECT_EQ(readAll(""), Seen{});
  EXPECT_EQ(readAll(framed("{\"a\":1}") + framed("{}")), (Seen{"{\"a\":1}", "{}"}));
  EXPECT_EQ(readAll("content-length:  2\nContent-Type: application/vscode-jsonrpc; charset=utf-8\n\n{}"), Seen{"{}"});
  const std::string text = "{\"t\":\"" + std::string(3'000'000, 'x') + "\"}";
  EXPECT_EQ(readAll(framed(text)), Seen{text});
}

TEST(Channel, goesOnBehindGarbage) {
  const std::string no = "! expected `Content-Length: N` and an empty line, got ";
  EXPECT_EQ(readAll("hello\r\n\r\n" + framed("{}")), (Seen{no + "`hello`", "{}"}));
  EXPECT_EQ(readAll("hello\n\nworld\n" + framed("{}")), (Seen{no + "`hello`", "{}"})); // told once
  const Seen body = readAll("{\"x\":1}" + framed("{}"));
  ASSERT_EQ(body.size(), 2u);
  EXPECT_TRUE(body[0].starts_with(no + "`{")) << body[0];
  EXPECT_EQ(body[1], "{}");
  EXPECT_EQ(readAll("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), Seen{no + "`GET / HTTP/1.1`"});
  const Seen longLine = readAll(std::string(1'000'000, 'z') + framed("{}"));
  ASSERT_EQ(longLine.size(), 2u);
  EXPECT_TRUE(longLine[0].starts_with(no + "`zzzz"));
  EXPECT_EQ(longLine[1], "{}");
}

TEST(Channel, refusesLengthsItCannotHave) {
  const std::string next = framed("{}");
  EXPECT_EQ(readAll("Content-Length: 99999999999999999999999\r\n\r\n" + next),
            (Seen{"! a message of 99999999999999999999999 bytes is longer than the limit of 268435456 bytes", "{}"}));
  EXPECT_EQ(readAll("Content-Length: 268435457\r\n\r\n{}" + next).size(), 2u);
  EXPECT_EQ(readAll("Content-Length: -2\r\n\r\n" + next), (Seen{"! `Content-Length` is not a number: `-2`", "{}"}));
  EXPECT_EQ(readAll("Content-Length: \r\n\r\n" + next), (Seen{"! `Content-Length` is not a number: ``", "{}"}));
}

TEST(Channel, tellsOfInputThatEnds) {
  EXPECT_EQ(readAll("Content-Length: 10\r\n\r\n{}"), Seen{"! the input ends after 2 of the 10 bytes of a message"});
  EXPECT_EQ(readAll("Content-Length: 268435456\r\n\r\n"),
            Seen{"! the input ends after 0 of the 268435456 bytes of a message"});
  EXPECT_EQ(readAll("Content-Length: 10\r\n"), Seen{"! the input ends inside a header"});
}

TEST(Channel, refusesBodiesThatAreNoObject) {
  const std::string next = framed("{}");
  for (const char *body : {"", "nonsense", "{\"a\":", "\xff\xfe", "{\"a\":\"\xc3\"}", "[1,2]", "3"}) {
    const Seen seen = readAll(framed(body) + next);
    ASSERT_EQ(seen.size(), 2u) << body;
    EXPECT_TRUE(seen[0].starts_with("! the message is not JSON: ") || seen[0] == "! the message is not a JSON object")
        << seen[0];
    EXPECT_EQ(seen[1], "{}");
  }
  const std::string deep(100'000, '[');
  EXPECT_EQ(readAll(framed("{\"a\":" + deep + "}") + next),
            (Seen{"! the JSON is nested deeper than 256 levels", "{}"}));
  EXPECT_EQ(readAll(framed("{\"a\":\"" + deep + "\"}")).size(), 1u); // brackets of a string are no nesting
}

TEST(Channel, writesWhatItReads) {
  std::FILE *file = std::tmpfile();
  Channel writer(nullptr, file);
  EXPECT_TRUE(writer.write(llvm::json::Object{{"text", "tile → UB"}}));
  EXPECT_TRUE(writer.write(llvm::json::Object{{"id", 1}}));
  rewind(file);
  Channel reader(file, nullptr);
  EXPECT_EQ(reader.read().message->getString("text"), "tile → UB");
  EXPECT_EQ(reader.read().message->getInteger("id"), 1);
  EXPECT_TRUE(reader.read().atEnd());
  fclose(file);
}

} // namespace
