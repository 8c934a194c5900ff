//===- AnalysisTest.cpp - bank conflicts, coalescing, pictures --*- C++ -*-===//
#include "TestSupport.h"

#include "tirx/Layout/Analysis.h"
#include "tirx/Layout/Factories.h"
#include "tirx/Layout/Render.h"

using namespace tirx::layout;
using namespace tirx::layout::test;
using Catch::Matchers::Contains;

TEST_CASE("shared access: address patterns with known wavefronts") {
  auto stride = [](int64_t bytes, int lanes = 32) {
    std::vector<int64_t> a;
    for (int i = 0; i < lanes; ++i)
      a.push_back(i * bytes);
    return a;
  };
  struct Case {
    std::vector<int64_t> addresses;
    int64_t bytes, wavefronts, ideal;
  };
  const Case cases[] = {
      {stride(4), 4, 1, 1},     // one word a bank
      {stride(8), 4, 2, 1},     // even banks only
      {stride(128), 4, 32, 1},  // one bank
      {stride(0), 4, 1, 1},     // broadcast
      {stride(132), 4, 1, 1},   // padded column
      {stride(1), 1, 1, 1},     // bytes of 8 words
      {stride(8), 8, 2, 2},     // 256 bytes
      {stride(16), 16, 4, 4},   // 512 bytes
      {stride(128), 16, 32, 4}, // 8 lanes of a pass in the same 4 banks
      {stride(144), 16, 4, 4},  // rows padded by 16 bytes
      {stride(4, 7), 4, 1, 1},
  };
  for (const Case &c : cases) {
    const SharedAccess s = get(analyzeShared(c.addresses, c.bytes));
    INFO("first step " << c.addresses[1] << " bytes " << c.bytes);
    CHECK(s.wavefronts == c.wavefronts);
    CHECK(s.ideal == c.ideal);
  }
  const SharedAccess s = get(analyzeShared(stride(64), 4));
  CHECK(s.conflicts() == 15);
  CHECK(s.lanes.size() == 16);
  std::vector<int64_t> masked = stride(128);
  for (int i = 1; i < 32; ++i)
    masked[size_t(i)] = -1;
  CHECK(get(analyzeShared(masked, 4)).wavefronts == 1);
  CHECK_THAT(errorOf(analyzeShared(std::vector<int64_t>{0, 6}, 4)),
             Contains("lane 1"));
  CHECK_THAT(errorOf(analyzeShared(stride(4), 3)), Contains("3 bytes"));
  CHECK_THAT(errorOf(analyzeShared(stride(4, 33), 4)), Contains("33 lanes"));
}

TEST_CASE("shared access: a swizzle removes the conflicts of a column") {
  // ldmatrix-like: lane i reads 16 bytes of row i%8, 16-byte column c.
  for (bool swizzled : {false, true}) {
    const Layout l =
        swizzled ? get(mmaSharedLayout(16, SwizzleMode::B128, {{32, 64}}))
                 : L("S[(32,64):(64,1)]");
    std::vector<int64_t> elements;
    for (int64_t i = 0; i < 32; ++i)
      elements.push_back(i * 64 + 8 * 3);
    const SharedAccess s = get(analyzeShared(l, 16, elements, 16));
    CHECK(s.ideal == 4);
    CHECK(s.wavefronts == (swizzled ? 4 : 32));
    // [companion] the banks of column 0 of the fp16 128B atom.
    for (int64_t r = 0; swizzled && r < 8; ++r)
      CHECK(at(l, {r, 0}, {32, 64}) * 2 / 4 % 32 == 4 * r);
  }
  CHECK_THAT(errorOf(analyzeShared(L("S[(8,8):(1,8)]"), 16,
                                   std::vector<int64_t>{0}, 16)),
             Contains("impossible"));
  CHECK_THAT(
      errorOf(analyzeShared(L("S[8:1]"), 16, std::vector<int64_t>{4}, 16)),
      Contains("element 4 of 8"));
}

TEST_CASE("global access") {
  std::vector<int64_t> a;
  for (int64_t i = 0; i < 32; ++i)
    a.push_back(16 * i);
  GlobalAccess g = get(analyzeGlobal(a, 16));
  CHECK(g.sectors == 16);
  CHECK(g.idealSectors == 16);
  CHECK(g.lines == 4);
  CHECK(g.efficiency == 1.0);
  for (auto &x : a)
    x *= 8;
  g = get(analyzeGlobal(a, 4));
  CHECK(g.sectors == 32);
  CHECK(g.idealSectors == 4);
  CHECK(g.lines == 32);
  CHECK(g.efficiency == 0.125);
}

TEST_CASE("pictures") {
  const Layout l = L("S[(2,4):(1@laneid,1)] + R[2:4@laneid]");
  CHECK(get(renderText(l, {{2, 4}})) ==
        "S[(2,4):(1@laneid,1)] + R[2:4@laneid]\n"
        "laneid/m\n"
        "  |   0   1   2   3\n"
        "-------------------\n"
        "0 | 0/0 0/1 0/2 0/3\n"
        "1 | 1/0 1/1 1/2 1/3\n"
        "replicas: 2x at +4@laneid\n");
  auto count = [](const std::string &s, const std::string &what) {
    size_t n = 0;
    for (size_t p = s.find(what); p != std::string::npos;
         p = s.find(what, p + 1))
      ++n;
    return n;
  };
  RenderOptions options;
  options.colorBy = Axis::laneid;
  options.title = "a<b & \"c\"";
  const std::string svg = get(renderSvg(l, {{2, 4}}, options));
  CHECK_THAT(svg, Contains("a&lt;b &amp; &quot;c&quot;") &&
                      Contains("colour: laneid"));
  CHECK(count(svg, "<rect") == 8 + 2); // cells and legend
  CHECK(count(svg, "<svg") == 1);
  CHECK(count(svg, "</svg>") == 1);
  // By bank: a column of the swizzled atom has eight colours.
  const Layout atom = get(mmaSharedLayout(16, SwizzleMode::B128, {{8, 64}}));
  const std::string banks = get(renderSvg(atom, {{8, 64}}));
  CHECK_THAT(banks, Contains("colour: bank"));
  CHECK(count(banks, "<rect") == 8 * 64 + 32);
  CHECK_THAT(errorOf(renderText(l, {{2, 2, 2}})), Contains("not 3"));
  CHECK_THAT(errorOf(renderText(l, {{2, 3}})), Contains("6 elements"));
  CHECK_THAT(errorOf(renderSvg(L("S[(1024,1024)]"), {{1024, 1024}})),
             Contains("limit of a picture"));
}
