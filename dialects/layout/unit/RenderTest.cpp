//===- RenderTest.cpp - pictures with cells and maps ----------------------===//
#include "tirx/Layout/Render.h"
#include "TestSupport.h"

using namespace tirx::layout;
using namespace tirx::layout::test;
using Catch::Matchers::Contains;

static size_t count(const std::string &text, const std::string &what) {
  size_t n = 0;
  for (size_t p = text.find(what); p != std::string::npos;
       p = text.find(what, p + 1))
    ++n;
  return n;
}

TEST_CASE("cells of several elements") {
  const Layout atom = L("S[(8,64):(64,1)] swizzle(3,3,3)");
  RenderOptions options;
  options.elementsPerCell = 8;
  const std::string svg = get(renderSvg(atom, {{8, 64}}, options));
  CHECK(count(svg, "<rect") == 8 * 8 + 8);
  // Row 1 starts with element 64, which the swizzle moves to place 72.
  CHECK_THAT(svg, Contains(">64</text>") && Contains(">72</text>"));
  CHECK_THAT(svg, Contains(">28-31</text>"));
  options.elementsPerCell = 16; // the swizzle keeps only 8 together
  CHECK_THAT(errorOf(renderSvg(atom, {{8, 64}}, options)),
             Contains("elements 64 to 79 are not neighbours"));
  options.elementsPerCell = 7;
  CHECK_THAT(errorOf(renderSvg(atom, {{8, 64}}, options)),
             Contains("cells of 7 elements do not divide a row of 64"));
  options.elementsPerCell = 2;
  CHECK_THAT(
      errorOf(renderSvg(L("S[(2,4):(4@laneid,1@laneid)]"), {{2, 4}}, options)),
      Contains("not neighbours"));
}

TEST_CASE("map of tensor memory") {
  const Layout tile = L("S[(128,128):(1@TLane,1@TCol)] + 128@TCol");
  const std::string svg = get(renderTmemMap(
      std::vector<TmemRegion>{{"S<1>", tile, 32}, {"P", tile, 16}}, "a & b"));
  CHECK_THAT(svg, Contains("S&lt;1&gt;: lanes 0-127, columns 128-255") &&
                      Contains("P: lanes 0-127, columns 64-127") &&
                      Contains("a &amp; b"));
  CHECK(count(svg, "<rect") == 1 + 2 + 2); // memory, regions, legend
  // Four warp windows are four rectangles.
  const std::string windows = get(renderTmemMap(std::vector<TmemRegion>{
      {"SF", L("S[(16,4):(1@TLane,1@TCol)] + R[4:32@TLane]"), 8}}));
  CHECK(count(windows, "<rect") == 1 + 4 + 1);
  CHECK_THAT(windows, Contains("lanes 96-111, columns 0-0"));

  auto bad = [](const char *text, int64_t bits = 32) {
    return errorOf(
        renderTmemMap(std::vector<TmemRegion>{{"X", L(text), bits}}));
  };
  CHECK_THAT(errorOf(renderTmemMap({})), Contains("needs a region"));
  CHECK_THAT(bad("S[(128,2):(1@TLane,1@TCol)] + 511@TCol"),
             Contains("region X: element 1 is in lane 0, column 512"));
  CHECK_THAT(bad("S[(129):(1@TLane)]"), Contains("lane 128, column 0"));
  CHECK_THAT(bad("S[(128,2):(1@TLane,1@TCol)] - 1@TCol"),
             Contains("element 0 is in lane 0, column"));
  CHECK_THAT(bad("S[8:1]"), Contains("axis m is not TLane or TCol"));
  CHECK_THAT(bad("S[8:1@TCol]", 4), Contains("not of 4"));
  CHECK_THAT(bad("S[(128,1024):(1@TLane,1@TCol)]", 8),
             Contains("limit of a picture is 65536"));
}
