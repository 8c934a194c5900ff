//===- NpyGoldenTest.cpp - files that NumPy itself wrote --------*- C++ -*-===//
#include "TestFolder.h"
#include "tirx/Runtime/Tensor.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>

using namespace tirx::rt;

namespace {

// np.save of np.array([[1.5, -2], [0.25, 65504]], dtype=np.float16, order='F')
// by NumPy 1.24, for machines without NumPy.
const std::string kEmbedded =
    std::string("\x93NUMPY\x01\x00\x76\x00", 10) +
    "{'descr': '<f2', 'fortran_order': True, 'shape': (2, 2), }" +
    std::string(59, ' ') + "\n" +
    std::string("\x00\x3e\x00\x34\x00\xc0\xff\x7b", 8);

bool runPython(const std::string &script) {
#ifdef TIRX_PYTHON
  const std::string command =
      fmt::format("{} -c \"{}\" 2>/dev/null", TIRX_PYTHON, script);
  return std::system(command.c_str()) == 0;
#else
  return false;
#endif
}

double at(const HostTensor &tensor, int64_t i) {
  return toDouble(tensor.dtype, tensor.bytes.data() + i * sizeOf(tensor.dtype));
}

} // namespace

TEST_CASE("embedded file of NumPy") {
  REQUIRE(kEmbedded.size() == 128 + 8);
  test::TestFolder folder;
  const std::string path = folder / "x.npy";
  REQUIRE(writeFileAtomically(path, kEmbedded.data(), kEmbedded.size()));
  const auto tensor = readNpy(path);
  REQUIRE(tensor);
  CHECK(tensor->dtype == DType::f16);
  CHECK(tensor->shape == std::vector<int64_t>{2, 2});
  const double expected[] = {1.5, -2, 0.25, 65504};
  for (int64_t i = 0; i < 4; ++i)
    CHECK(at(*tensor, i) == expected[i]);
}

TEST_CASE("NumPy's files are read, ours are read by NumPy") {
  if (!runPython("import numpy")) {
    WARN("skipped: no Python with NumPy; the embedded file was tested");
    return;
  }
  test::TestFolder folder;
  // Element (i, j, k) of shape 3 x 4 x 5 is (100 i + 10 j + k) % 97, halved for
  // floats; written in both orders and all three header versions.
  REQUIRE(runPython(fmt::format(
      "import numpy as np, os\n"
      "os.chdir('{}')\n"
      "i, j, k = np.ogrid[:3, :4, :5]\n"
      "base = (100 * i + 10 * j + k) % 97\n"
      "for t in 'u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8'.split():\n"
      "  x = base.astype(t) if t[0] != 'f' else (base / 2).astype(t)\n"
      "  for order in 'CF':\n"
      "    np.save(t + order, np.array(x, order=order))\n"
      "for v in 1, 2, 3:\n"
      "  with open('v%d.npy' % v, 'wb') as f:\n"
      "    np.lib.format.write_array(f, base.astype('f4'), version=(v, 0))\n"
      "np.save('bool', base > 40)\n"
      "np.save('scalar', np.float32(2.5))\n"
      "np.save('big', base.astype('>f4'))\n",
      folder.path().string())));
  const std::pair<const char *, DType> types[] = {
      {"u1", DType::u8},  {"i1", DType::i8},  {"u2", DType::u16},
      {"i2", DType::i16}, {"u4", DType::u32}, {"i4", DType::i32},
      {"u8", DType::u64}, {"i8", DType::i64}, {"f2", DType::f16},
      {"f4", DType::f32}, {"f8", DType::f64}};
  const auto check = [&](const std::string &name, DType dtype, double scale) {
    const auto tensor = readNpy(folder / (name + ".npy"));
    INFO(name);
    if (!tensor)
      FAIL(tensor.error().message);
    REQUIRE(tensor->dtype == dtype);
    REQUIRE(tensor->shape == std::vector<int64_t>{3, 4, 5});
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j < 4; ++j)
        for (int64_t k = 0; k < 5; ++k)
          CHECK(at(*tensor, (i * 4 + j) * 5 + k) ==
                double((100 * i + 10 * j + k) % 97) * scale);
  };
  for (const auto &[name, dtype] : types)
    for (const char *order : {"C", "F"})
      check(std::string(name) + order, dtype, isFloat(dtype) ? 0.5 : 1);
  for (const char *version : {"v1", "v2", "v3"})
    check(version, DType::f32, 1);
  const auto flags = readNpy(folder / "bool.npy");
  REQUIRE(flags);
  CHECK(flags->dtype == DType::boolean);
  CHECK(at(*flags, 0) == 0);
  CHECK(at(*flags, 59) == ((234 % 97) > 40)); // element (2, 3, 4)
  const auto scalar = readNpy(folder / "scalar.npy");
  REQUIRE(scalar);
  CHECK(scalar->shape.empty());
  CHECK(at(*scalar, 0) == 2.5);
  const auto big = readNpy(folder / "big.npy");
  REQUIRE_FALSE(big);
  CHECK_THAT(big.error().message, Catch::Contains("'>f4' is big-endian"));

  for (DType dtype : {DType::f16, DType::i32, DType::boolean}) {
    HostTensor tensor = randomNormal(dtype, {3, 4}, 5);
    REQUIRE(writeNpy(folder / "ours.npy", tensor));
    CHECK(runPython(
        fmt::format("import numpy as np\n"
                    "x = np.load('{}')\n"
                    "assert x.shape == (3, 4) and x.flags.c_contiguous\n"
                    "assert x.dtype == '{}'\n"
                    "assert abs(float(x[1, 2]) - {}) == 0\n",
                    folder / "ours.npy",
                    dtype == DType::f16   ? "float16"
                    : dtype == DType::i32 ? "int32"
                                          : "bool",
                    at(tensor, 6))));
  }
  REQUIRE(writeNpy(folder / "bf16.npy", randomNormal(DType::bf16, {3}, 5)));
  CHECK(runPython(fmt::format("import numpy as np\n"
                              "x = np.load('{}')\n"
                              "assert x.dtype == 'V2' and x.shape == (3,)\n",
                              folder / "bf16.npy")));
}
