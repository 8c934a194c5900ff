//===- TextTest.cpp - notation ----------------------------------*- C++ -*-===//
#include "TestSupport.h"

using namespace tirx::layout;
using namespace tirx::layout::test;
using Catch::Matchers::Contains;

TEST_CASE("text: canonical spelling round-trips") {
  for (const char *text :
       {"S[(128,64):(64,1)]", "S[8:4@laneid]", "S[1:1]",
        "S[(128,64):(64,1)] + R[4:32@TLane] + 5@warpid",
        "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[(2,2):(4@warpid,0)] + "
        "5@warpid + -3",
        "S[(64,4,64):(64,4096,1)] swizzle(3,3,3)",
        "S[(8,8):(64,1)] + 72 swizzle(0,2,3,outer)", "S[4:-2]"}) {
    CHECK(toString(L(text)) == text);
    CHECK(L(toString(L(text))) == L(text));
  }
}

TEST_CASE("text: accepted variants") {
  CHECK(L("S[8,4]") == L("S[(8,4):(4,1)]"));
  CHECK(L("S[(8,4)]") == L("S[(8,4):(4,1)]"));
  CHECK(L(" S [ ( 128 , 64 ) : ( 64@m , 1@m ) ] ") == L("S[(128,64):(64,1)]"));
  CHECK(L("S[8:laneid]") == L("S[8:1@laneid]"));
  CHECK(L("S[(32,2):(laneid,1)]") == L("S[(32,2):(1@laneid,1)]"));
  CHECK(L("S[8]+1@warpid+2@warpid - 4") == L("S[8] + -4 + 3@warpid"));
  CHECK(L("S[8:1] + 5@warpid + R[2:4@warpid]") ==
        L("S[8:1] + R[2:4@warpid] + 5@warpid"));
}

TEST_CASE("text: errors name the column") {
  struct Case {
    const char *text;
    int column;
    const char *message;
  };
  const Case cases[] = {
      {"", 1, "expected 'S['"},
      {"T[8]", 1, "expected 'S['"},
      {"S[8", 4, "expected ':' before the end"},
      {"S[(8,4:1]", 7, "expected ')'"},
      {"S[(8,4):(4)]", 12, "1 strides for 2 extents"},
      {"S[(8,4):(4,1,1)]", 15, "more strides than the 2 extents"},
      {"S[8:1@lane]", 7, "unknown axis 'lane'"},
      {"S[8:1@]", 7, "expected an axis name"},
      {"S[8:1] + R[2:4@warpid] + R[2:4]", 27, "at most one R"},
      {"S[8:1] + ", 10, "expected an integer"},
      {"S[8:1] swizzle(3,3)", 19, "expected ','"},
      {"S[8:1] swizzle(3,3,2)", 1, "no permutation"},
      {"S[8:1] swizzle(31,3,3)", 16, "outside"},
      {"S[8:1] swizzle(3,3,3,inner)", 22, "expected 'outer'"},
      {"S[8:1@laneid] swizzle(3,3,3)", 1, "does not use"},
      {"S[8:1] x", 8, "unexpected 'x'"},
      {"S[0:1]", 1, "must be >= 1"},
      {"S[-8]", 3, "must be >= 1"},
      {"S[99999999999999999999]", 3, "64 bits"},
      {"S[8:-9223372036854775808]", 5, "64 bits"},
      {"S[(1048576,1048576,1048576)]", 3, "2^40"},
      {"S[2:281474976710657]", 1, "2^48"},
      {"S[8:1] + 9223372036854775807 + 1", 32, "too large"},
  };
  for (const Case &c : cases) {
    auto r = parseLayout(c.text);
    INFO(c.text);
    REQUIRE(!r);
    CHECK_THAT(r.error().message, Contains(c.message));
    CHECK(r.error().column == c.column);
    CHECK_THAT(r.error().message,
               Contains("column " + std::to_string(c.column)));
  }
  CHECK_THAT(parseLayout("S[8:1@q]").error().message,
             Contains("known axes: bx, by, bz, cbx"));
}

TEST_CASE("text: mutated input never crashes") {
  auto random = rng();
  INFO("seed " << Catch::rngSeed());
  const std::string base =
      "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid "
      "swizzle(3,2,3,outer)";
  const std::string alphabet = "SR[]():,@+- 0123456789mlaneidwrpxouter\xff";
  int parsed = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = base;
    for (uint64_t edits = 1 + random() % 3; edits--;) {
      const size_t at = random() % text.size();
      switch (random() % 3) {
      case 0:
        text[at] = alphabet[random() % alphabet.size()];
        break;
      case 1:
        text.erase(at, 1 + random() % 4);
        break;
      default:
        text.insert(at, 1, alphabet[random() % alphabet.size()]);
      }
      if (text.empty())
        text = "S";
    }
    if (auto r = parseLayout(text)) {
      ++parsed;
      CHECK(verify(*r));
      CHECK(L(toString(*r)) == *r);
    }
  }
  CHECK(parsed > 100);
}
