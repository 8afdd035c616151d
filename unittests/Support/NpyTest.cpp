//===- NpyTest.cpp - NumPy's array files ----------------------------------===//
//
// Files are written byte by byte here, as NumPy's format description says, and
// not with the writer under test.
//
//===----------------------------------------------------------------------===//

#include "Samples.h"
#include "ptoscope/Support/Array.h"
#include "ptoscope/Support/AtomicFile.h"

#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace ptoscope;

namespace {

std::string npy(int major, const std::string &header, const std::string &data) {
  std::string text("\x93NUMPY", 6);
  text += static_cast<char>(major);
  text += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    text += static_cast<char>(header.size() >> (8 * i));
  return text + header + data;
}

std::string plainHeader(const std::string &descr, const std::string &shape) {
  return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }   \n";
}

class Npy : public testing::Test {
protected:
  Result<Array> read(const std::string &contents) {
    writeText(dir / "x.npy", contents);
    return readNpy(dir / "x.npy");
  }
  std::string refusal(const std::string &contents) {
    Result<Array> array = read(contents);
    if (array)
      return "accepted";
    EXPECT_EQ(array.finding().code, "file-error");
    EXPECT_EQ(array.finding().category, Category::Usage);
    EXPECT_EQ(array.finding().place.file, dir / "x.npy");
    return array.finding().message;
  }
  TemporaryDirectory dir;
};

TEST_F(Npy, ReadsAllVersions) {
  std::string data("\x00\x00\x80\x3f\x00\x00\x00\x40", 8); // 1.0f, 2.0f
  for (int major : {1, 2, 3}) {
    Result<Array> array = read(npy(major, plainHeader("<f4", "(2, 1)"), data));
    ASSERT_TRUE(array) << array.finding().message;
    EXPECT_EQ(array->type, ElementType::F32);
    EXPECT_EQ(array->itemBytes, 4u);
    EXPECT_EQ(array->shape, (std::vector<uint64_t>{2, 1}));
    EXPECT_EQ(array->elements(), 2u);
    EXPECT_EQ(std::string(array->bytes.span().begin(), array->bytes.span().end()), data);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(array->bytes.data()) % 64, 0u);
  }
}

TEST_F(Npy, ReadsAllDtypes) {
  struct Case {
    const char *descr;
    ElementType type;
    uint32_t bytes;
  };
  for (const Case &c :
       {Case{"<f2", ElementType::F16, 2}, Case{"<f4", ElementType::F32, 4}, Case{"<f8", ElementType::F64, 8},
        Case{"|i1", ElementType::I8, 1}, Case{"<i2", ElementType::I16, 2}, Case{"<i4", ElementType::I32, 4},
        Case{"<i8", ElementType::I64, 8}, Case{"|u1", ElementType::U8, 1}, Case{"<u2", ElementType::U16, 2},
        Case{"<u4", ElementType::U32, 4}, Case{"<u8", ElementType::U64, 8}, Case{"|b1", ElementType::Bool, 1},
        Case{"|V2", ElementType::Raw, 2}, Case{"|V7", ElementType::Raw, 7}}) {
    Result<Array> array = read(npy(1, plainHeader(c.descr, "(3,)"), std::string(3 * c.bytes, 'x')));
    ASSERT_TRUE(array) << c.descr << array.finding().message;
    EXPECT_EQ(array->type, c.type);
    EXPECT_EQ(array->itemBytes, c.bytes);
    EXPECT_EQ(array->dtype(), c.descr);
  }
}

TEST_F(Npy, ReadsUnusualHeaders) {
  EXPECT_TRUE(read(npy(1, "{\"shape\":(2L,),'fortran_order':False,\"descr\":'<u2'}", "abcd")));
  EXPECT_TRUE(read(npy(1, plainHeader(">u1", "(2,)"), "ab")));
  Result<Array> scalar = read(npy(1, plainHeader("<u2", "()"), "ab"));
  ASSERT_TRUE(scalar);
  EXPECT_EQ(scalar->elements(), 1u);
  Result<Array> empty = read(npy(1, plainHeader("<u2", "(0, 18446744073709551615)"), ""));
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->elements(), 0u);
}

TEST_F(Npy, RefusesWhatItDoesNotRead) {
  EXPECT_EQ(refusal(""), "this is not a `.npy` file: it does not start with `\\x93NUMPY`");
  EXPECT_EQ(refusal("PK\x03\x04 a zip file"), "this is not a `.npy` file: it does not start with `\\x93NUMPY`");
  EXPECT_EQ(refusal("\x93NUMPY"), "this `.npy` file ends inside its header");
  EXPECT_EQ(refusal(npy(1, plainHeader("<f4", "(2,)"), "").substr(0, 9)), "this `.npy` file ends inside its header");
  EXPECT_EQ(refusal(npy(1, plainHeader("<f4", "(2,)"), "").substr(0, 40)), "this `.npy` file ends inside its header");
  EXPECT_EQ(refusal(npy(4, plainHeader("<f4", "(2,)"), "")), "`.npy` version 4.0 is not known; 1.0, 2.0 and 3.0 are");
  EXPECT_EQ(refusal(npy(1, plainHeader(">f4", "(2,)"), "12345678")),
            "dtype `>f4` is big-endian; save it as little-endian (`a.astype(a.dtype.newbyteorder('<'))`)");
  EXPECT_EQ(refusal(npy(1, plainHeader("|O", "(2,)"), "12345678")), "dtype `|O` holds Python objects, not bytes");
  EXPECT_EQ(refusal(npy(1, plainHeader("<c8", "(1,)"), "12345678")),
            "dtype `<c8` is not supported; use integers of 1 to 8 bytes, floats of 2, 4 or 8, or `view` it as one");
  EXPECT_EQ(refusal(npy(1, plainHeader("", "(1,)"), "")), "dtype `` is not known");
  EXPECT_EQ(refusal(npy(1, plainHeader("<f", "(1,)"), "")), "dtype `<f` is not known");
  EXPECT_EQ(refusal(npy(1, plainHeader("|V0", "(1,)"), "")), "dtype `|V0` is not known");
  EXPECT_EQ(refusal(npy(1, plainHeader("<f99999999999", "(1,)"), "")), "dtype `<f99999999999` is not known");
  EXPECT_EQ(refusal(npy(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }", "12345678")),
            "the array is in Fortran order; save `numpy.ascontiguousarray(a)` instead");
  EXPECT_EQ(
      refusal(npy(1, "{'descr': [('a', '<f4'), ('b', '<i4')], 'fortran_order': False, 'shape': (1,), }", "12345678")),
      "structured dtypes are not supported; save each field as an array of its own");
}

TEST_F(Npy, RefusesWrongLengths) {
  EXPECT_EQ(refusal(npy(1, plainHeader("<f4", "(3,)"), "1234567")),
            "the header says 3 of `<f4`, which is 12 bytes, but the file holds 7 bytes of data");
  EXPECT_EQ(refusal(npy(1, plainHeader("<f4", "(1, 1)"), "123456789")),
            "the header says 1x1 of `<f4`, which is 4 bytes, but the file holds 9 bytes of data");
  EXPECT_EQ(refusal(npy(1, plainHeader("<f4", "(1000000000,)"), "1234")),
            "the header says 1000000000 of `<f4`, which is 4000000000 bytes, but the file holds 4 bytes of data");
  std::string absurd = "is larger than the limit of 1099511627776 bytes";
  EXPECT_NE(refusal(npy(1, plainHeader("<f4", "(1000000000000,)"), "")).find(absurd), std::string::npos);
  EXPECT_NE(refusal(npy(1, plainHeader("<f4", "(4294967296, 4294967296, 16)"), "")).find(absurd), std::string::npos);
  EXPECT_NE(refusal(npy(1, plainHeader("<f8", "(18446744073709551615,)"), "")).find(absurd), std::string::npos);
  std::string longHeader = npy(2, "", "");
  longHeader.replace(8, 4, "\xff\xff\xff\xff");
  EXPECT_EQ(refusal(longHeader), "the `.npy` header claims to be 4294967295 bytes long");
}

TEST_F(Npy, RefusesMalformedHeaders) {
  std::string start = "the `.npy` header is malformed: ";
  for (const char *header : {"",
                             "[]",
                             "{",
                             "{'descr'",
                             "{'descr': }",
                             "{'descr': '<f4",
                             "{'descr': '<f4'}",
                             "{'descr': '<f4', 'fortran_order': False}",
                             "{'fortran_order': False, 'shape': (1,)}",
                             "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': 1}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} more",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'extra': 1}",
                             "{'descr': [('a', 'fortran_order': False, 'shape': (1,)}",
                             "{'descr': '\\x3cf4'}",
                             "{'a': 1 'b': 2}"})
    EXPECT_TRUE(refusal(npy(1, header, "1234")).starts_with(start)) << header;
  std::string many = "(";
  for (int i = 0; i < 65; ++i)
    many += "1,";
  EXPECT_TRUE(refusal(npy(1, plainHeader("<f4", many + ")"), "1234")).starts_with(start));
}

TEST_F(Npy, SurvivesEveryCutAndEveryFlippedByte) {
  std::string whole = npy(1, plainHeader("<u2", "(3,)"), "abcdef");
  for (size_t n = 0; n < whole.size(); ++n)
    EXPECT_NE(refusal(whole.substr(0, n)), "accepted") << n;
  for (size_t i = 0; i < whole.size(); ++i)
    for (int change : {0x01, 0x20, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      Result<Array> array = read(damaged);
      if (array)
        EXPECT_EQ(array->bytes.size(), 6u);
    }
}

TEST_F(Npy, MissingFilesAndDirectories) {
  Result<Array> missing = readNpy(dir / "none.npy");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.finding().code, "file-error");
  EXPECT_EQ(missing.finding().message, "cannot read this file: no such file or directory");
  Result<Array> directory = readNpy(dir.path);
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.finding().message, "cannot read this file: is a directory");
  if (::geteuid() != 0) {
    writeText(dir / "secret.npy", "");
    ::chmod((dir / "secret.npy").c_str(), 0);
    Result<Array> secret = readNpy(dir / "secret.npy");
    ASSERT_FALSE(secret);
    EXPECT_EQ(secret.finding().message, "cannot read this file: permission denied");
  }
}

TEST_F(Npy, ReadsPipes) {
  std::string pipe = dir / "pipe.npy";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  auto send = [&pipe](const std::string &text) { return std::thread([&pipe, text] { writeText(pipe, text); }); };
  std::thread good = send(npy(1, plainHeader("<u2", "(2,)"), "abcd"));
  Result<Array> array = readNpy(pipe);
  good.join();
  ASSERT_TRUE(array) << array.finding().message;
  EXPECT_EQ(array->elements(), 2u);
  std::thread shorter = send(npy(1, plainHeader("<u2", "(2,)"), "abc"));
  array = readNpy(pipe);
  shorter.join();
  EXPECT_FALSE(array);
  std::thread longer = send(npy(1, plainHeader("<u2", "(2,)"), "abcde"));
  array = readNpy(pipe);
  longer.join();
  ASSERT_FALSE(array);
  EXPECT_EQ(array.finding().message,
            "the header says 2 of `<u2`, which is 4 bytes, but the file holds 5 bytes or more of data");
}

TEST_F(Npy, HeadersAreWhatNumpyWrites) {
  Array array;
  array.type = ElementType::F32;
  array.itemBytes = 4;
  auto header = [&array](std::vector<uint64_t> shape) {
    array.shape = std::move(shape);
    std::string text = npyHeader(array);
    EXPECT_EQ(text.size() % 64, 0u);
    EXPECT_EQ(text.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
    EXPECT_EQ(static_cast<unsigned char>(text[8]) + 256u * static_cast<unsigned char>(text[9]), text.size() - 10);
    EXPECT_EQ(text.back(), '\n');
    return text.substr(10, text.find('}') - 9);
  };
  EXPECT_EQ(header({}), "{'descr': '<f4', 'fortran_order': False, 'shape': (), }");
  EXPECT_EQ(header({5}), "{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }");
  EXPECT_EQ(header({5, 0, 7}), "{'descr': '<f4', 'fortran_order': False, 'shape': (5, 0, 7), }");
  // Every length of the header text, padded to 64.
  for (uint64_t extent = 1; extent < uint64_t(1) << 60; extent *= 7)
    header({extent, extent});
  array.type = ElementType::BF16;
  array.itemBytes = 2;
  EXPECT_EQ(array.dtype(), "<u2");
  array.type = ElementType::F8E5M2;
  array.itemBytes = 1;
  EXPECT_EQ(array.dtype(), "|u1");
}

TEST_F(Npy, RoundTrips) {
  Result<Array> array = generateArray("random:f32:3x5:7");
  ASSERT_TRUE(array);
  OutputSet outputs;
  ASSERT_TRUE(stageArray(outputs, dir / "out.npy", *array));
  ASSERT_TRUE(stageArray(outputs, dir / "out.bin", *array));
  ASSERT_TRUE(outputs.commit());
  Result<Array> back = loadArray(dir / "out.npy");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->type, ElementType::F32);
  EXPECT_EQ(back->shape, array->shape);
  EXPECT_TRUE(std::ranges::equal(back->bytes.span(), array->bytes.span()));
  Result<Array> raw = loadArray(dir / "out.bin");
  ASSERT_TRUE(raw);
  EXPECT_EQ(raw->type, ElementType::U8);
  EXPECT_EQ(raw->shape, (std::vector<uint64_t>{60}));
  EXPECT_TRUE(std::ranges::equal(raw->bytes.span(), array->bytes.span()));
}

} // namespace
