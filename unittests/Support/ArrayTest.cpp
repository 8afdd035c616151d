//===- ArrayTest.cpp - buffers, element types, raw files ------------------===//
//
// Sizes at their limits; pipes of which no one knows the length.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Support/Array.h"
#include "Samples.h"

#include <sys/stat.h>
#include <thread>

using namespace ptoscope;

namespace {

TEST(ByteBuffer, IsAlignedAndZero) {
  for (uint64_t bytes : {0, 1, 63, 64, 4096, 1 << 20}) {
    std::optional<ByteBuffer> buffer = ByteBuffer::allocate(bytes);
    ASSERT_TRUE(buffer);
    EXPECT_EQ(buffer->size(), bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % ByteBuffer::kAlignment, 0u);
    for (uint8_t byte : buffer->span())
      ASSERT_EQ(byte, 0);
  }
  EXPECT_FALSE(ByteBuffer::allocate(kMaxArrayBytes + 1));
}

TEST(ByteBuffer, Moves) {
  ByteBuffer a = std::move(*ByteBuffer::allocate(8));
  a.data()[7] = 9;
  uint8_t *address = a.data();
  ByteBuffer b = std::move(a);
  EXPECT_EQ(b.data(), address);
  EXPECT_EQ(a.size(), 0u);
  ByteBuffer c;
  c = std::move(b);
  EXPECT_EQ(c.data()[7], 9);
}

TEST(Array, Sizes) {
  auto bytes = [](std::vector<uint64_t> shape, uint32_t item) { return arrayBytes(shape, item); };
  EXPECT_EQ(bytes({}, 4), 4u);
  EXPECT_EQ(bytes({32, 32}, 2), 2048u);
  EXPECT_EQ(bytes({UINT64_MAX, 0}, 8), 0u);
  EXPECT_EQ(bytes({uint64_t(1) << 40}, 1), uint64_t(1) << 40);
  EXPECT_FALSE(bytes({(uint64_t(1) << 40) + 1}, 1));
  EXPECT_FALSE(bytes({uint64_t(1) << 32, uint64_t(1) << 32}, 1));
  EXPECT_FALSE(bytes({UINT64_MAX}, 8));
  EXPECT_EQ(shapeToString(std::vector<uint64_t>{2, 3}), "2x3");
  EXPECT_EQ(shapeToString({}), "scalar");
}

TEST(ElementType, Words) {
  EXPECT_EQ(parseElementType("f32"), ElementType::F32);
  EXPECT_EQ(parseElementType("bf16"), ElementType::BF16);
  EXPECT_EQ(parseElementType("i8"), ElementType::I8);
  EXPECT_EQ(parseElementType("si8"), ElementType::I8);
  EXPECT_EQ(parseElementType("ui8"), ElementType::U8);
  EXPECT_EQ(parseElementType("u64"), ElementType::U64);
  EXPECT_EQ(parseElementType("ui32"), ElementType::U32);
  EXPECT_EQ(parseElementType("f8E4M3FN"), ElementType::F8E4M3FN);
  EXPECT_EQ(parseElementType("f8E5M2"), ElementType::F8E5M2);
  for (const char *word : {"", "f", "F32", "f3", "i7", "s8", "si", "ui", "sf32", "uu8", "bool", "raw", "f32 "})
    EXPECT_FALSE(parseElementType(word)) << word;
  for (int i = 0; i <= static_cast<int>(ElementType::Raw); ++i)
    EXPECT_EQ(infoOf(static_cast<ElementType>(i)).type, static_cast<ElementType>(i));
}

TEST(Raw, ReadsFilesAndPipes) {
  TemporaryDirectory dir;
  writeText(dir / "x.bin", "abc");
  Result<Array> array = readRaw(dir / "x.bin");
  ASSERT_TRUE(array);
  EXPECT_EQ(array->shape, (std::vector<uint64_t>{3}));
  EXPECT_EQ(array->bytes.data()[2], 'c');
  writeText(dir / "empty", "");
  array = readRaw(dir / "empty");
  ASSERT_TRUE(array);
  EXPECT_EQ(array->elements(), 0u);

  std::string pipe = dir / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  // Below, at and above the first step of the reader.
  for (size_t n : {size_t(0), size_t(5), size_t(1) << 20, (size_t(3) << 20) + 1}) {
    std::string text(n, 'x');
    std::thread writer([&] { writeText(pipe, text); });
    array = readRaw(pipe);
    writer.join();
    ASSERT_TRUE(array);
    EXPECT_EQ(array->bytes.size(), n);
    EXPECT_TRUE(std::ranges::all_of(array->bytes.span(), [](uint8_t byte) { return byte == 'x'; }));
  }
}

TEST(Raw, WhatDoesNotEndIsRefused) {
  Result<Array> array = readRaw("/dev/zero");
  ASSERT_FALSE(array);
  EXPECT_EQ(array.finding().code, "file-error");
  EXPECT_EQ(array.finding().message, "not a regular file; gave up after 1073741824 bytes without reaching its end");
}

TEST(Raw, MissingFile) {
  Result<Array> array = loadArray("/nonexistent/x.bin");
  ASSERT_FALSE(array);
  EXPECT_EQ(array.finding().code, "file-error");
  EXPECT_EQ(array.finding().message, "cannot read this file: no such file or directory");
  array = loadArray("");
  ASSERT_FALSE(array);
  EXPECT_EQ(array.finding().message, "cannot read a file without a name");
}

} // namespace
