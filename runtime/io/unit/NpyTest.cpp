//===- NpyTest.cpp - .npy files, right and wrong ----------------*- C++ -*-===//
#include "TestFolder.h"
#include "io/NpyHeader.h"
#include "tirx/Runtime/Tensor.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

using namespace tirx::rt;

namespace {

std::string npy(const std::string &header, const std::string &data,
                int major = 1) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(major);
  file += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    file += static_cast<char>(header.size() >> (8 * i));
  return file + header + data;
}

std::string dictionary(const std::string &descr, const std::string &shape,
                       bool fortran = false) {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}\n",
                     descr, fortran ? "True" : "False", shape);
}

Expected<HostTensor> parse(const test::TestFolder &folder,
                           const std::string &file,
                           std::optional<DType> reinterpret = std::nullopt) {
  const std::string path = folder / "x.npy";
  REQUIRE(writeFileAtomically(path, file.data(), file.size()));
  return readNpy(path, reinterpret);
}

std::string bytesOf(const HostTensor &tensor) {
  return {reinterpret_cast<const char *>(tensor.bytes.data()),
          tensor.bytes.size()};
}

} // namespace

TEST_CASE("what is written is read back") {
  test::TestFolder folder;
  const DType dtypes[] = {
      DType::boolean, DType::u8,  DType::i8,  DType::u16,    DType::i16,
      DType::u32,     DType::i32, DType::u64, DType::i64,    DType::f16,
      DType::bf16,    DType::f32, DType::f64, DType::f8e4m3, DType::f8e5m2};
  const std::vector<int64_t> shapes[] = {
      {}, {5}, {3, 4}, {2, 0, 3}, {2, 3, 4, 5}};
  for (DType dtype : dtypes)
    for (const auto &shape : shapes) {
      INFO(nameOf(dtype) << shapeToString(shape));
      const HostTensor tensor = randomNormal(dtype, shape, 17);
      const std::string path = folder / "x.npy";
      REQUIRE(writeNpy(path, tensor));
      const bool f8 = sizeOf(dtype) == 1 && isFloat(dtype);
      const auto again =
          readNpy(path, f8 ? std::optional(dtype) : std::nullopt);
      if (!again)
        FAIL(again.error().message);
      CHECK(again->dtype == dtype);
      CHECK(again->shape == shape);
      CHECK(again->bytes == tensor.bytes);
      const auto file = readFile(path);
      REQUIRE(file);
      CHECK((file->size() - tensor.bytes.size()) % 64 == 0);
    }
}

TEST_CASE("all header versions") {
  test::TestFolder folder;
  for (int major = 1; major <= 3; ++major) {
    const auto tensor =
        parse(folder, npy(dictionary("<i2", "(2,)"), "abcd", major));
    REQUIRE(tensor);
    CHECK(tensor->dtype == DType::i16);
    CHECK(bytesOf(*tensor) == "abcd");
  }
}

TEST_CASE("Fortran order is transposed") {
  test::TestFolder folder;
  // Element (i, j, k) of shape 2 x 3 x 2 is at i + 2j + 6k.
  const auto tensor =
      parse(folder, npy(dictionary("|u1", "(2, 3, 2)", true), "abcdefghijkl"));
  REQUIRE(tensor);
  CHECK(tensor->shape == std::vector<int64_t>{2, 3, 2});
  CHECK(bytesOf(*tensor) == "agciekbhdjfl");
  const auto vector =
      parse(folder, npy(dictionary("<u2", "(3,)", true), "abcdef"));
  REQUIRE(vector);
  CHECK(bytesOf(*vector) == "abcdef");
  const auto scalar = parse(folder, npy(dictionary("<u2", "()", true), "ab"));
  REQUIRE(scalar);
  CHECK(bytesOf(*scalar) == "ab");
}

TEST_CASE("dtypes that NumPy itself lacks") {
  test::TestFolder folder;
  struct Row {
    const char *descr;
    std::optional<DType> reinterpret;
    std::optional<DType> expected;
    const char *reason;
  };
  const Row rows[] = {
      {"<V2", std::nullopt, DType::bf16, ""},
      {"|V2", std::nullopt, DType::bf16, ""},
      {"bfloat16", std::nullopt, DType::bf16, ""},
      {"<u2", std::nullopt, DType::u16, ""},
      {"<u2", DType::bf16, DType::bf16, ""},
      {"<V2", DType::f16, DType::f16, ""},
      {"|u1", DType::f8e4m3, std::nullopt,
       "shape [2] of f8e4m3 has 2 bytes, but 4 bytes follow the header"},
      {"|V1", std::nullopt, std::nullopt, "read it as f8e4m3 or f8e5m2"},
      {"<u2", DType::f8e4m3, std::nullopt,
       "cannot read dtype '<u2' (2 bytes) as f8e4m3 (1 bytes)"},
      {"<f4", DType::bf16, std::nullopt,
       "cannot read dtype '<f4' (4 bytes) as bf16 (2 bytes)"},
      {">f2", std::nullopt, std::nullopt, "'>f2' is big-endian"},
      {"<c8", std::nullopt, std::nullopt, "dtype '<c8' is not supported"},
      {"<U4", std::nullopt, std::nullopt, "dtype '<U4' is not supported"},
      {"|O", std::nullopt, std::nullopt, "dtype '|O' is not supported"},
  };
  for (const Row &row : rows) {
    INFO(row.descr << " " << row.reason);
    const auto tensor = parse(
        folder, npy(dictionary(row.descr, "(2,)"), "abcd"), row.reinterpret);
    REQUIRE(tensor.has_value() == row.expected.has_value());
    if (tensor)
      CHECK(tensor->dtype == *row.expected);
    else
      CHECK_THAT(tensor.error().message,
                 Catch::Contains(row.reason) && Catch::Contains("x.npy: "));
  }
  const auto f8 =
      parse(folder, npy(dictionary("|V1", "(4,)"), "abcd"), DType::f8e5m2);
  REQUIRE(f8);
  CHECK(f8->dtype == DType::f8e5m2);
}

TEST_CASE("headers that lie or are malformed") {
  test::TestFolder folder;
  const std::string good = dictionary("<i2", "(2,)");
  struct Row {
    std::string file;
    const char *reason;
  };
  const Row rows[] = {
      {"", "not a .npy file"},
      {"\x93NUMPX\x01", "not a .npy file"},
      {npy(good, "abcd", 4), "format version 4.0"},
      {npy(good, "abc"), "has 4 bytes, but 3 bytes follow"},
      {npy(good, "abcde"), "has 4 bytes, but 5 bytes follow"},
      {std::string("\x93NUMPY\x01\0\xFF\xFF{", 11),
       "a header of 65535 bytes in"},
      {std::string("\x93NUMPY\x02\0\xFF\xFF\xFF\xFF{", 13),
       "a header of 4294967295 bytes"},
      {npy(dictionary("<i2", "(9223372036854775807, 9223372036854775807)"), ""),
       "more than 2^63-1 bytes"},
      {npy(dictionary("<i2", "(9223372036854775807,)"), ""),
       "more than 2^63-1 bytes"},
      {npy(dictionary("<i2", "(9223372036854775808,)"), ""),
       "an extent beyond 2^63-1"},
      {npy(dictionary("<i2", "(1099511627776,)"), "abcd"),
       "has 2199023255552 bytes, but 4"},
      {npy(dictionary("<i2", "(-1, 2)"), ""), "a negative extent -1"},
      {npy(dictionary("<i2", "(2)"), "abcd"), "(N) is no tuple"},
      {npy(dictionary("<i2", "(2,,)"), "abcd"), "expected an extent"},
      {npy(dictionary("<i2", "(2 2)"), "abcd"), "expected ',' or ')'"},
      {npy(dictionary("<i2", "(2.0,)"), "abcd"), "expected ','"},
      {npy(dictionary("<i2", "2"), "abcd"), "expected '('"},
      {npy("", ""), "expected '{'"},
      {npy("{", ""), "expected a string"},
      {npy("{'descr': '<i2}", ""), "a string without an end"},
      {npy("{'descr': [('a', '<i2')], }", ""), "structured dtypes"},
      {npy("{'descr': '<i2'}", ""), "the key 'fortran_order' is missing"},
      {npy("{'descr': '<i2', 'descr': '<i2'}", ""), "occurs twice"},
      {npy("{'descr': '<i2', 'fortran_order': 1}", ""),
       "expected True or False"},
      {npy("{'other': '<i2'}", ""), "unknown key 'other'"},
      {npy(good + "x", "abcd"), "text after the dictionary"},
      {npy("{'descr': '\\x3ci2'}", ""), "an escape in a string"},
  };
  for (const Row &row : rows) {
    INFO(row.reason);
    const auto tensor = parse(folder, row.file);
    REQUIRE_FALSE(tensor);
    CHECK_THAT(tensor.error().message,
               Catch::Contains(row.reason) && Catch::Contains("x.npy: "));
  }
  CHECK(parse(folder, npy(good, "abcd")));
  CHECK(parse(folder, npy("{\"shape\":(1,2),\"fortran_order\":False,"
                          "\"descr\":\"<i2\"}",
                          "abcd")));
}

TEST_CASE("every truncation is an error, damage never crashes") {
  test::TestFolder folder;
  const std::string file = npy(dictionary("<i2", "(2, 3)"), "abcdefghijkl");
  REQUIRE(parse(folder, file));
  for (size_t size = 0; size < file.size(); ++size)
    if (parse(folder, file.substr(0, size)))
      FAIL(size << " of " << file.size() << " bytes were accepted");

  const uint64_t seed = 0x5eed0011;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  static const char alphabet[] = "(),:'\" 0123456789<>|{}TrueFalsV-\\";
  const std::string header = dictionary("<i2", "(2, 3)");
  int accepted = 0;
  for (int round = 0; round < 100000; ++round) {
    std::string damaged = header;
    for (uint64_t i = 0, count = 1 + random() % 4; i < count; ++i)
      damaged[random() % damaged.size()] =
          random() % 2 ? alphabet[random() % (sizeof alphabet - 1)]
                       : static_cast<char>(random());
    const auto result = parseNpyHeader(damaged);
    accepted += result.has_value();
    for (int64_t extent : result ? result->shape : std::vector<int64_t>())
      CHECK(extent >= 0);
  }
  CHECK(accepted < 50000);
}

TEST_CASE("tensors that cannot be written") {
  test::TestFolder folder;
  HostTensor tensor = randomNormal(DType::f32, {2, 2}, 1);
  CHECK_FALSE(writeNpy(folder / "no/such/x.npy", tensor));
  tensor.shape = {2, 3};
  const auto lying = writeNpy(folder / "x.npy", tensor);
  REQUIRE_FALSE(lying);
  CHECK_THAT(lying.error().message,
             Catch::Contains("shape [2, 3] and dtype f32 with 16 bytes"));
  CHECK(std::filesystem::is_empty(folder.path()));
}
