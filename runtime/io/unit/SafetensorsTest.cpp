//===- SafetensorsTest.cpp - .safetensors files, right and wrong *- C++ -*-===//
#include "TestFolder.h"
#include "tirx/Runtime/Tensor.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

using namespace tirx::rt;

namespace {

std::string safetensors(const std::string &header, const std::string &data) {
  std::string file;
  for (int i = 0; i < 8; ++i)
    file += static_cast<char>(uint64_t(header.size()) >> (8 * i));
  return file + header + data;
}

Expected<HostTensor> parse(const test::TestFolder &folder,
                           const std::string &file,
                           const std::string &tensor = "b") {
  const std::string path = folder / "x.safetensors";
  REQUIRE(writeFileAtomically(path, file.data(), file.size()));
  return readSafetensors(path, tensor);
}

const std::string kHeader =
    R"({"__metadata__": {"format": "pt"},)"
    R"( "b": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [4, 16]},)"
    R"( "a": {"dtype": "F32", "shape": [], "data_offsets": [0, 4]},)"
    R"( "e": {"dtype": "I64", "shape": [0, 7], "data_offsets": [16, 16]},)"
    R"( "x": {"dtype": "F8_E8M0", "shape": [2], "data_offsets": [16, 18]}}   )";
const std::string kData = "0123abcdefghijkl!?";

} // namespace

TEST_CASE("one tensor of several") {
  test::TestFolder folder;
  const std::string file = safetensors(kHeader, kData);
  const auto b = parse(folder, file);
  if (!b)
    FAIL(b.error().message);
  CHECK(b->dtype == DType::bf16);
  CHECK(b->shape == std::vector<int64_t>{2, 3});
  REQUIRE(b->bytes.size() == 12);
  CHECK(std::memcmp(b->bytes.data(), "abcdefghijkl", 12) == 0);
  const auto a = parse(folder, file, "a");
  REQUIRE(a);
  CHECK(a->dtype == DType::f32);
  CHECK(a->shape.empty());
  CHECK(a->bytes.size() == 4);
  const auto e = parse(folder, file, "e");
  REQUIRE(e);
  CHECK(e->elementCount() == 0);
}

TEST_CASE("tensors that are not there or not supported") {
  test::TestFolder folder;
  const std::string file = safetensors(kHeader, kData);
  const auto missing = parse(folder, file, "c");
  REQUIRE_FALSE(missing);
  CHECK_THAT(missing.error().message,
             Catch::Contains("has no tensor 'c'; it has a, b, e, x"));
  const auto metadata = parse(folder, file, "__metadata__");
  CHECK_FALSE(metadata);
  const auto unsupported = parse(folder, file, "x");
  REQUIRE_FALSE(unsupported);
  CHECK_THAT(unsupported.error().message,
             Catch::Contains("dtype F8_E8M0 is not supported"));
  CHECK_FALSE(readSafetensors(folder / "absent", "b"));
  CHECK_FALSE(readSafetensors(folder.path(), "b"));
  const auto empty = parse(folder, safetensors("{}", ""));
  REQUIRE_FALSE(empty);
  CHECK_THAT(empty.error().message, Catch::Contains("it has none"));
}

TEST_CASE("every dtype of DType") {
  test::TestFolder folder;
  const std::pair<const char *, DType> types[] = {
      {"BOOL", DType::boolean},   {"U8", DType::u8},
      {"I8", DType::i8},          {"U16", DType::u16},
      {"I16", DType::i16},        {"U32", DType::u32},
      {"I32", DType::i32},        {"U64", DType::u64},
      {"I64", DType::i64},        {"F8_E4M3", DType::f8e4m3},
      {"F8_E5M2", DType::f8e5m2}, {"F16", DType::f16},
      {"BF16", DType::bf16},      {"F32", DType::f32},
      {"F64", DType::f64}};
  for (const auto &[name, dtype] : types) {
    const std::string header = fmt::format(
        R"({{"b": {{"dtype": "{}", "shape": [3], "data_offsets": [0, {}]}}}})",
        name, 3 * sizeOf(dtype));
    const auto tensor =
        parse(folder, safetensors(header, std::string(3 * sizeOf(dtype), 'z')));
    INFO(name);
    REQUIRE(tensor);
    CHECK(tensor->dtype == dtype);
  }
}

TEST_CASE("safetensors headers that lie or are malformed") {
  test::TestFolder folder;
  const auto one = [](const std::string &fields) {
    return safetensors("{\"b\": {" + fields + "}}", "abcd");
  };
  const auto two = [](int begin1, int end1, int begin2, int end2) {
    return safetensors(
        fmt::format(
            R"({{"b": {{"dtype": "U8", "shape": [{}], "data_offsets": [{}, {}]}},)"
            R"( "c": {{"dtype": "U8", "shape": [{}], "data_offsets": [{}, {}]}}}})",
            end1 - begin1, begin1, end1, end2 - begin2, begin2, end2),
        "abcd");
  };
  struct Row {
    std::string file;
    const char *reason;
  };
  const std::string dtype = R"("dtype": "U8", )", shape = R"("shape": [4], )",
                    offsets = R"("data_offsets": [0, 4])";
  const Row rows[] = {
      {"", "truncated: 0 bytes"},
      {"1234567", "truncated: 7 bytes"},
      {std::string("\x01\0\0\0\0\0\0\0", 8),
       "a header of 1 bytes in a file of 8"},
      {std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF{}", 10),
       "more than 100000000"},
      {safetensors("", ""), "malformed JSON"},
      {safetensors("{", ""), "malformed JSON"},
      {safetensors("[]", ""), "the header is no JSON object"},
      {safetensors("[[[[[[[[]]]]]]]]", ""), "nested deeper"},
      {safetensors(R"({"__metadata__": {"a": 1}})", ""), "no map of strings"},
      {safetensors(R"({"b": 1})", ""), "expected an object, got number"},
      {one(dtype + R"("shape": [4])"), "lacks the field \"data_offsets\""},
      {one(dtype + offsets), "lacks the field \"shape\""},
      {one(shape + offsets), "lacks the field \"dtype\""},
      {one(dtype + shape + offsets + R"(, "z": 1)"), "unknown field \"z\""},
      {one(dtype + shape + shape + offsets), "\"shape\" occurs twice"},
      {one(R"("dtype": 3, )" + shape + offsets), "dtype is no string"},
      {one(dtype + R"("shape": [-4], )" + offsets), "no list of extents"},
      {one(dtype + R"("shape": [4.0], )" + offsets), "no list of extents"},
      {one(dtype + R"("shape": 4, )" + offsets), "no list of extents"},
      {one(dtype + R"("shape": [18446744073709551615], )" + offsets),
       "no list of extents"},
      {one(dtype + R"("shape": [4294967296, 4294967296], )" + offsets),
       "more than 2^63-1 elements"},
      {one(R"("dtype": "F64", "shape": [4611686018427387904], )" + offsets),
       "does not take the 4 bytes"},
      {one(dtype + R"("shape": [3], )" + offsets),
       "shape [3] of U8 does not take the 4 bytes of data_offsets [0, 4]"},
      {one(dtype + shape + R"("data_offsets": [0, 5])"), "pass the end"},
      {one(dtype + shape + R"("data_offsets": [4, 0])"), "no [begin, end]"},
      {one(dtype + shape + R"("data_offsets": [0])"), "no [begin, end]"},
      {one(dtype + shape + R"("data_offsets": [-4, 0])"), "no [begin, end]"},
      {one(dtype + shape + R"("data_offsets": [0, 1e300])"), "no [begin, end]"},
      {two(0, 2, 1, 4), "tensors 'b' and 'c' overlap"},
      {two(0, 4, 0, 4), "overlap"},
      {two(0, 1, 2, 4), "bytes 1 to 2 of the data belong to no tensor"},
      {two(0, 1, 1, 3), "bytes 3 to 4 of the data belong to no tensor"},
      {two(1, 2, 2, 4), "bytes 0 to 1 of the data belong to no tensor"},
  };
  for (const Row &row : rows) {
    INFO(row.reason);
    const auto tensor = parse(folder, row.file);
    REQUIRE_FALSE(tensor);
    CHECK_THAT(tensor.error().message,
               Catch::Contains(row.reason) && Catch::Contains("x.safetensors"));
  }
  CHECK(parse(folder, one(dtype + shape + offsets)));
  CHECK(parse(folder, two(0, 2, 2, 4)));
  CHECK(parse(folder, two(3, 4, 0, 3)));
}

TEST_CASE("safetensors: truncation is an error, damage never crashes") {
  test::TestFolder folder;
  const std::string file = safetensors(kHeader, kData);
  for (size_t size = 0; size < file.size(); ++size)
    if (parse(folder, file.substr(0, size)))
      FAIL(size << " of " << file.size() << " bytes were accepted");
  const uint64_t seed = 0x5eed0012;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  int accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = file;
    for (uint64_t i = 0, count = 1 + random() % 3; i < count; ++i)
      damaged[random() % damaged.size()] =
          random() % 2 ? "{}[],:0123456789\"-"[random() % 18]
                       : static_cast<char>(random());
    accepted += parse(folder, damaged).has_value();
  }
  CHECK(accepted < 2000);
}
