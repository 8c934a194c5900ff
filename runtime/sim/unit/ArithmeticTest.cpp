//===- ArithmeticTest.cpp - instructions against plain C++ ------*- C++ -*-===//

#include "Harness.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <functional>

using namespace tirx::rt;
using namespace tirx::rt::sim;
using namespace tirx::rt::sim::test;

namespace {

constexpr unsigned kCount = 256;

/// Operand bits with the corner cases that matter for the width.
uint64_t operand(Random &random, unsigned bits, bool is_float) {
  static const uint64_t corners32[] = {
      0,          1,          31,         32,         33,         0x7FFFFFFF,
      0x80000000, 0xFFFFFFFF, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000,
      0x7FC00000, 0x00000001, 0x80000001, 0x007FFFFF, 0x00800000, 0x7F7FFFFF};
  static const uint64_t corners64[] = {0,
                                       1,
                                       63,
                                       64,
                                       0x7FFFFFFFFFFFFFFF,
                                       0x8000000000000000,
                                       0xFFFFFFFFFFFFFFFF,
                                       0x7FF0000000000000,
                                       0x3FF0000000000000,
                                       0x7FF8000000000000,
                                       0x000FFFFFFFFFFFFF};
  uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
  switch (random.bits() % 4) {
  case 0:
    return (bits == 64 ? corners64[random.bits() % std::size(corners64)]
                       : corners32[random.bits() % std::size(corners32)]) &
           mask;
  case 1:
    if (is_float)
      return bits == 64
                 ? std::bit_cast<uint64_t>(double(random.normal()) * 1000)
                 : std::bit_cast<uint32_t>(random.normal() * 10);
    return (random.bits() >> (random.bits() % bits)) & mask;
  default:
    return random.bits() & mask;
  }
}

struct Spec {
  const char *instruction; ///< "add.s32 %d, %a, %b" with %a..%c, %d
  unsigned out, in;        ///< widths in bits
  bool is_float;
  std::function<uint64_t(uint64_t, uint64_t, uint64_t)> expected;
};

uint32_t low(uint64_t x) { return static_cast<uint32_t>(x); }
float f32(uint64_t x) { return std::bit_cast<float>(low(x)); }
double f64(uint64_t x) { return std::bit_cast<double>(x); }
/// PTX: every f32 NaN result is 0x7FFFFFFF.
uint64_t bits(float x) {
  return x != x ? 0x7FFFFFFFu : std::bit_cast<uint32_t>(x);
}
/// f64 NaN payloads are not compared.
uint64_t bits(double x) {
  return x != x ? 0x7FF8000000000000u : std::bit_cast<uint64_t>(x);
}
int32_t s32(uint64_t x) { return static_cast<int32_t>(x); }
int64_t s64(uint64_t x) { return static_cast<int64_t>(x); }
_Float16 f16(uint64_t x) { return std::bit_cast<_Float16>(uint16_t(x)); }
uint64_t bits(_Float16 x) {
  return x != x ? 0x7FFFu : std::bit_cast<uint16_t>(x);
}

/// Runs one instruction over random operands; lanes of odd index are off, and
/// must keep what their destination had.
void check(const Spec &spec, uint64_t seed) {
  Random random(seed);
  CAPTURE(spec.instruction, random.seed);
  GlobalMemory memory;
  Buffer<uint64_t> a(memory, kCount), b(memory, kCount), c(memory, kCount),
      d(memory, kCount);
  for (unsigned i = 0; i < kCount; ++i) {
    a[i] = operand(random, spec.in, spec.is_float);
    b[i] = random.bits() % 8 ? operand(random, spec.in, spec.is_float) : a[i];
    c[i] = operand(random, spec.in, spec.is_float);
    d[i] = 0x1234;
  }
  auto reg = [](unsigned width, char name) {
    return std::string(width == 64 ? "%l" : width == 16 ? "%h" : "%w") + name;
  };
  std::string text = spec.instruction;
  for (size_t at; (at = text.find("%%")) != std::string::npos;) {
    char name = text[at + 2];
    text.replace(at, 3, reg(name == 'd' ? spec.out : spec.in, name));
  }
  std::string load;
  for (char name : std::string("abc")) {
    std::string n(1, name);
    load += "ld.global.b" + std::to_string(spec.in) + " " + reg(spec.in, name) +
            ", [%r" + n + "];\n";
  }
  std::string body = R"(
  .reg .b64 %la, %lb, %lc, %ld, %ra, %rb, %rc, %rd, %o;
  .reg .b32 %wa, %wb, %wc, %wd, %t, %u, %n, %s1, %s2, %s3;
  .reg .b16 %ha, %hb, %hc, %hd;
  .reg .pred %p, %q, %z;
  ld.param.b64 %ra, [p0]; ld.param.b64 %rb, [p1];
  ld.param.b64 %rc, [p2]; ld.param.b64 %rd, [p3];
  mov.u32 %t, %tid.x; mov.u32 %u, %ctaid.x; mov.u32 %n, %ntid.x;
  mad.lo.s32 %t, %u, %n, %t;
  mul.wide.u32 %o, %t, 8;
  add.s64 %ra, %ra, %o; add.s64 %rb, %rb, %o; add.s64 %rc, %rc, %o;
  add.s64 %rd, %rd, %o;
  and.b32 %u, %t, 1;
  setp.eq.u32 %z, %u, 0;
  mov.b64 %ld, 0x1234; mov.b32 %wd, 0x1234; mov.b16 %hd, 0x1234;
)" + load + "@%z bra ON; bra OFF;\nON:\n" +
                     text + "\nOFF:\n st.global.b" + std::to_string(spec.out) +
                     " [%rd], " + reg(spec.out, 'd') + ";\nret;";
  Launch launch;
  launch.block = {64, 1, 1};
  launch.grid = {kCount / 64, 1, 1};
  mustRun(kernel(4, body), memory,
          pack({a.address(), b.address(), c.address(), d.address()}), launch);
  uint64_t mask = spec.out == 64 ? ~0ull : (1ull << spec.out) - 1;
  for (unsigned i = 0; i < kCount; ++i) {
    CAPTURE(i, a[i], b[i], c[i]);
    uint64_t want = i % 2 ? 0x1234 : spec.expected(a[i], b[i], c[i]) & mask;
    uint64_t got = d[i] & mask;
    bool is_f64 =
        std::string(spec.instruction).find(".f64 ") != std::string::npos;
    if (is_f64 && spec.out == 64 && f64(got) != f64(got))
      got = 0x7FF8000000000000u;
    if (got != want) {
      CHECK(got == want);
      return;
    }
  }
  SUCCEED();
}

} // namespace

TEST_CASE("integer instructions") {
  const Spec specs[] = {
      {"add.s32 %%d, %%a, %%b;", 32, 32, false,
       [](auto a, auto b, auto) { return a + b; }},
      {"sub.u64 %%d, %%a, %%b;", 64, 64, false,
       [](auto a, auto b, auto) { return a - b; }},
      {"add.u16 %%d, %%a, %%b;", 16, 16, false,
       [](auto a, auto b, auto) { return a + b; }},
      {"add.sat.s32 %%d, %%a, %%b;", 32, 32, false,
       [](auto a, auto b, auto) {
         int64_t r = int64_t(s32(a)) + s32(b);
         return uint64_t(std::clamp<int64_t>(r, INT32_MIN, INT32_MAX));
       }},
      {"mul.lo.s32 %%d, %%a, %%b;", 32, 32, false,
       [](auto a, auto b, auto) { return a * b; }},
      {"mul.hi.s32 %%d, %%a, %%b;", 32, 32, false,
       [](auto a, auto b, auto) {
         return uint64_t(int64_t(s32(a)) * s32(b) >> 32);
       }},
      {"mul.hi.u64 %%d, %%a, %%b;", 64, 64, false,
       [](auto a, auto b, auto) {
         return uint64_t((unsigned __int128)a * b >> 64);
       }},
      {"mul.wide.s32 %%d, %%a, %%b;", 64, 32, false,
       [](auto a, auto b, auto) { return uint64_t(int64_t(s32(a)) * s32(b)); }},
      {"mul.wide.u16 %%d, %%a, %%b;", 32, 16, false,
       [](auto a, auto b, auto) { return a * b; }},
      {"mad.lo.u64 %%d, %%a, %%b, %%c;", 64, 64, false,
       [](auto a, auto b, auto c) { return a * b + c; }},
      {"mad.hi.u32 %%d, %%a, %%b, %%c;", 32, 32, false,
       [](auto a, auto b, auto c) { return (a * b >> 32) + c; }},
      {"div.s32 %%d, %%a, %%b;", 32, 32, false,
       [](auto a, auto b, auto) {
         return s32(b) == 0    ? ~0ull
                : s32(b) == -1 ? uint64_t(-int64_t(s32(a)))
                               : uint64_t(s32(a) / s32(b));
       }},
      {"rem.u32 %%d, %%a, %%b;", 32, 32, false,
       [](auto a, auto b, auto) { return b ? a % b : a; }},
      {"min.s32 %%d, %%a, %%b;", 32, 32, false,
       [](auto a, auto b, auto) { return uint64_t(std::min(s32(a), s32(b))); }},
      {"max.u64 %%d, %%a, %%b;", 64, 64, false,
       [](auto a, auto b, auto) { return std::max<uint64_t>(a, b); }},
      {"max.s16 %%d, %%a, %%b;", 16, 16, false,
       [](auto a, auto b, auto) {
         return uint64_t(std::max(int16_t(a), int16_t(b)));
       }},
      {"max.s16x2 %%d, %%a, %%b;", 32, 32, false,
       [](auto a, auto b, auto) {
         uint16_t l = std::max(int16_t(a), int16_t(b));
         uint16_t h = std::max(int16_t(a >> 16), int16_t(b >> 16));
         return uint64_t(l) | uint64_t(h) << 16;
       }},
      {"abs.s64 %%d, %%a;", 64, 64, false,
       [](auto a, auto, auto) { return s64(a) < 0 ? 0 - a : a; }},
      {"sad.u32 %%d, %%a, %%b, %%c;", 32, 32, false,
       [](auto a, auto b, auto c) { return c + (a > b ? a - b : b - a); }},
      {"shl.b32 %%d, %%a, %%b;", 32, 32, false,
       [](auto a, auto b, auto) { return b > 31 ? 0 : a << b; }},
      {"shr.s32 %%d, %%a, %%b;", 32, 32, false,
       [](auto a, auto b, auto) {
         return uint64_t(s32(a) >> std::min<uint64_t>(b, 31));
       }},
      {"cvt.u32.u64 %s1, %%b; shr.u64 %%d, %%a, %s1;", 64, 64, false,
       [](auto a, auto b, auto) { return low(b) > 63 ? 0 : a >> low(b); }},
      {"cvt.u32.u16 %s1, %%b; shr.s16 %%d, %%a, %s1;", 16, 16, false,
       [](auto a, auto b, auto) {
         return uint64_t(int16_t(a) >> std::min<uint64_t>(b, 15));
       }},
      {"shf.l.wrap.b32 %%d, %%a, %%b, %%c;", 32, 32, false,
       [](auto a, auto b, auto c) {
         return ((b << 32 | a) << (c & 31)) >> 32;
       }},
      {"shf.r.clamp.b32 %%d, %%a, %%b, %%c;", 32, 32, false,
       [](auto a, auto b, auto c) {
         return (b << 32 | a) >> std::min<uint64_t>(c, 32);
       }},
      {"popc.b64 %%d, %%a;", 32, 64, false,
       [](auto a, auto, auto) { return uint64_t(std::popcount(a)); }},
      {"clz.b32 %%d, %%a;", 32, 32, false,
       [](auto a, auto, auto) { return uint64_t(std::countl_zero(low(a))); }},
      {"brev.b32 %%d, %%a;", 32, 32, false,
       [](auto a, auto, auto) {
         uint64_t r = 0;
         for (unsigned i = 0; i < 32; ++i)
           r |= (a >> i & 1) << (31 - i);
         return r;
       }},
      {"bfind.s32 %%d, %%a;", 32, 32, false,
       [](auto a, auto, auto) {
         uint32_t x = s32(a) < 0 ? ~low(a) : low(a);
         return x ? uint64_t(31 - std::countl_zero(x)) : 0xFFFFFFFFu;
       }},
      {"bfe.u32 %%d, %%a, %%b, %%c;", 32, 32, false,
       [](auto a, auto b, auto c) {
         uint64_t r = 0;
         for (unsigned i = 0; i < 32 && i < (c & 255); ++i)
           if (i + (b & 255) < 32)
             r |= (a >> (i + (b & 255)) & 1) << i;
         return r;
       }},
      {"bfe.s32 %%d, %%a, %%b, %%c;", 32, 32, false,
       [](auto a, auto b, auto c) {
         // PTX ISA 9.7.1.19, as it is written there.
         unsigned pos = b & 255, len = c & 255;
         bool sign = len && (a >> std::min(pos + len - 1, 31u) & 1);
         uint64_t r = 0;
         for (unsigned i = 0; i < 32; ++i) {
           bool bit = i < len && pos + i <= 31 ? (a >> (pos + i) & 1) : sign;
           r |= uint64_t(bit) << i;
         }
         return r;
       }},
      {"bfi.b32 %%d, %%a, %%b, %%c, 7;", 32, 32, false,
       [](auto a, auto b, auto c) {
         uint64_t r = b;
         for (unsigned i = 0; i < 7 && (c & 255) + i < 32; ++i) {
           unsigned at = (c & 255) + i;
           r = (r & ~(1ull << at)) | (a >> i & 1) << at;
         }
         return r;
       }},
      {"lop3.b32 %%d, %%a, %%b, %%c, 0xCA;", 32, 32, false,
       [](auto a, auto b, auto c) { return (a & b) | (~a & c); }},
      {"prmt.b32 %%d, %%a, %%b, %%c;", 32, 32, false,
       [](auto a, auto b, auto c) {
         uint64_t pool = a | b << 32, r = 0;
         for (unsigned i = 0; i < 4; ++i) {
           uint64_t s = c >> (4 * i) & 15, byte = pool >> (8 * (s & 7)) & 255;
           if (s & 8)
             byte = byte & 128 ? 255 : 0;
           r |= byte << (8 * i);
         }
         return r;
       }},
      {"dp4a.s32.u32 %%d, %%a, %%b, %%c;", 32, 32, false,
       [](auto a, auto b, auto c) {
         int64_t r = s32(c);
         for (unsigned i = 0; i < 4; ++i)
           r += int8_t(a >> (8 * i)) * int(uint8_t(b >> (8 * i)));
         return uint64_t(r);
       }},
      {"add.cc.u32 %%d, %%a, %%b; addc.u32 %%d, %%c, %%c;", 32, 32, false,
       [](auto a, auto b, auto c) { return c + c + (a + b > 0xFFFFFFFFu); }},
      {"sub.cc.u32 %%d, %%a, %%b; subc.u32 %%d, %%c, 5;", 32, 32, false,
       [](auto a, auto b, auto c) { return c - 5 - (a < b); }},
      {"and.b64 %%d, %%a, %%b; xor.b64 %%d, %%d, %%c; not.b64 %%d, %%d;", 64,
       64, false, [](auto a, auto b, auto c) { return ~((a & b) ^ c); }},
      {"setp.lt.s32 %p|%q, %%a, %%b; setp.ge.and.u32 %z, %%b, %%c, !%q; "
       "selp.b32 %%d, %%a, 77, %z;",
       32, 32, false,
       [](auto a, auto b, auto c) {
         return s32(a) < s32(b) && b >= c ? a : 77;
       }},
      {"slct.b32.s32 %%d, %%a, %%b, %%c;", 32, 32, false,
       [](auto a, auto b, auto c) { return s32(c) >= 0 ? a : b; }},
      {"set.gt.u32.s32 %%d, %%a, %%b;", 32, 32, false,
       [](auto a, auto b, auto) { return s32(a) > s32(b) ? 0xFFFFFFFFu : 0; }},
      {"mov.b64 %%d, {%%a, %%b};", 64, 32, false,
       [](auto a, auto b, auto) { return a | b << 32; }},
      {"mov.b64 {_, %%d}, %%a;", 32, 64, false,
       [](auto a, auto, auto) { return a >> 32; }},
      {"mov.b32 {%hb, %%d}, %%a;", 16, 32, false,
       [](auto a, auto, auto) { return a >> 16; }},
      {"cvt.s64.s32 %%d, %%a;", 64, 32, false,
       [](auto a, auto, auto) { return uint64_t(int64_t(s32(a))); }},
      {"cvt.s32.s8 %%d, %%a;", 32, 32, false,
       [](auto a, auto, auto) { return uint64_t(int8_t(a)); }},
      {"cvt.sat.u8.s32 %%d, %%a;", 32, 32, false,
       [](auto a, auto, auto) { return uint64_t(std::clamp(s32(a), 0, 255)); }},
      {"cvt.u16.u64 %%d, %%a;", 16, 64, false,
       [](auto a, auto, auto) { return a; }},
  };
  uint64_t seed = 100;
  for (const Spec &spec : specs)
    check(spec, seed++);
}

TEST_CASE("floating-point instructions") {
  auto flush = [](float x) {
    return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x;
  };
  auto minimum = [](float a, float b) {
    if (a != a)
      return b;
    if (b != b)
      return a;
    if (a == b)
      return std::signbit(a) ? a : b;
    return a < b ? a : b;
  };
  const Spec specs[] = {
      {"add.rn.f32 %%d, %%a, %%b;", 32, 32, true,
       [](auto a, auto b, auto) { return bits(f32(a) + f32(b)); }},
      {"sub.f32 %%d, %%a, %%b;", 32, 32, true,
       [](auto a, auto b, auto) { return bits(f32(a) - f32(b)); }},
      {"mul.rn.ftz.f32 %%d, %%a, %%b;", 32, 32, true,
       [&](auto a, auto b, auto) {
         return bits(flush(flush(f32(a)) * flush(f32(b))));
       }},
      {"add.sat.f32 %%d, %%a, %%b;", 32, 32, true,
       [](auto a, auto b, auto) {
         float r = f32(a) + f32(b);
         return bits(r != r ? 0.0f : std::min(std::max(r, 0.0f), 1.0f));
       }},
      {"fma.rn.f32 %%d, %%a, %%b, %%c;", 32, 32, true,
       [](auto a, auto b, auto c) {
         return bits(std::fma(f32(a), f32(b), f32(c)));
       }},
      {"fma.rn.f64 %%d, %%a, %%b, %%c;", 64, 64, true,
       [](auto a, auto b, auto c) {
         return bits(std::fma(f64(a), f64(b), f64(c)));
       }},
      {"div.rn.f32 %%d, %%a, %%b;", 32, 32, true,
       [](auto a, auto b, auto) { return bits(f32(a) / f32(b)); }},
      {"sqrt.rn.f32 %%d, %%a;", 32, 32, true,
       [](auto a, auto, auto) { return bits(std::sqrt(f32(a))); }},
      {"rcp.rn.f32 %%d, %%a;", 32, 32, true,
       [](auto a, auto, auto) { return bits(1.0f / f32(a)); }},
      {"min.f32 %%d, %%a, %%b;", 32, 32, true,
       [&](auto a, auto b, auto) { return bits(minimum(f32(a), f32(b))); }},
      {"max.NaN.f32 %%d, %%a, %%b;", 32, 32, true,
       [](auto a, auto b, auto) {
         float x = f32(a), y = f32(b);
         if (x != x || y != y)
           return uint64_t(0x7FFFFFFF);
         if (x == y)
           return bits(std::signbit(x) ? y : x);
         return bits(x > y ? x : y);
       }},
      {"min.f32 %%d, %%a, %%b, %%c;", 32, 32, true,
       [&](auto a, auto b, auto c) {
         return bits(minimum(minimum(f32(a), f32(b)), f32(c)));
       }},
      {"neg.f32 %%d, %%a; abs.f32 %wb, %%b; add.f32 %%d, %%d, %wb;", 32, 32,
       true,
       [](auto a, auto b, auto) { return bits(-f32(a) + std::fabs(f32(b))); }},
      {"add.rn.f16 %%d, %%a, %%b;", 16, 16, true,
       [](auto a, auto b, auto) { return bits(_Float16(f16(a) + f16(b))); }},
      {"fma.rn.f16 %%d, %%a, %%b, %%c;", 16, 16, true,
       [](auto a, auto b, auto c) {
         // Exact product and sum in long double, one rounding.
         long double r =
             (long double)double(f16(a)) * double(f16(b)) + double(f16(c));
         return bits(_Float16(r));
       }},
      {"mul.rn.f16x2 %%d, %%a, %%b;", 32, 32, true,
       [](auto a, auto b, auto) {
         return bits(_Float16(f16(a) * f16(b))) |
                bits(_Float16(f16(a >> 16) * f16(b >> 16))) << 16;
       }},
      {"add.rn.f32x2 %%d, %%a, %%b;", 64, 64, true,
       [](auto a, auto b, auto) {
         return bits(f32(a) + f32(b)) | bits(f32(a >> 32) + f32(b >> 32)) << 32;
       }},
      {"cvt.rn.f16x2.f32 %%d, %%a, %%b;", 32, 32, true,
       [](auto a, auto b, auto) {
         return bits(_Float16(f32(b))) | bits(_Float16(f32(a))) << 16;
       }},
      {"cvt.rzi.s32.f32 %%d, %%a;", 32, 32, true,
       [](auto a, auto, auto) {
         float x = f32(a);
         return x != x         ? 0
                : x >= 0x1p31f ? 0x7FFFFFFFull
                : x < -0x1p31f ? 0x80000000ull
                               : uint64_t(int64_t(x));
       }},
      {"cvt.rni.u32.f32 %%d, %%a;", 32, 32, true,
       [](auto a, auto, auto) {
         double x = std::nearbyint(double(f32(a)));
         return x != x ? 0 : uint64_t(std::clamp(x, 0.0, 4294967295.0));
       }},
      {"cvt.rn.f32.u32 %%d, %%a;", 32, 32, false,
       [](auto a, auto, auto) { return bits(float(low(a))); }},
      {"cvt.rn.f32.s64 %%d, %%a;", 32, 64, false,
       [](auto a, auto, auto) { return bits(float(s64(a))); }},
      {"cvt.rmi.f32.f32 %%d, %%a;", 32, 32, true,
       [](auto a, auto, auto) { return bits(std::floor(f32(a))); }},
      {"cvt.rn.f32.f64 %%d, %%a;", 32, 64, true,
       [](auto a, auto, auto) { return bits(float(f64(a))); }},
      {"cvt.f32.f16 %%d, %%a;", 32, 16, true,
       [](auto a, auto, auto) { return bits(float(f16(a))); }},
      {"setp.ltu.f32 %p, %%a, %%b; selp.b32 %%d, 1, 0, %p;", 32, 32, true,
       [](auto a, auto b, auto) { return !(f32(a) >= f32(b)); }},
      {"setp.ne.f32 %p, %%a, %%b; selp.b32 %%d, 1, 0, %p;", 32, 32, true,
       [](auto a, auto b, auto) { return f32(a) < f32(b) || f32(a) > f32(b); }},
      {"setp.nan.f64 %p, %%a, %%b; selp.b64 %%d, 1, 0, %p;", 64, 64, false,
       [](auto a, auto b, auto) {
         return f64(a) != f64(a) || f64(b) != f64(b);
       }},
      {"testp.subnormal.f32 %p, %%a; selp.b32 %%d, 1, 0, %p;", 32, 32, true,
       [](auto a, auto, auto) {
         return std::fpclassify(f32(a)) == FP_SUBNORMAL;
       }},
  };
  uint64_t seed = 500;
  for (const Spec &spec : specs)
    check(spec, seed++);
}

TEST_CASE("directed rounding brackets the exact result") {
  // The host rounds likewise; volatile keeps the compiler from doing the sums.
  static auto rounded = [](int mode, auto f, uint64_t a, uint64_t b) {
    volatile float x = f32(a), y = f32(b);
    std::fesetround(mode);
    volatile float r = f(x, y);
    std::fesetround(FE_TONEAREST);
    return bits(float(r));
  };
  const Spec specs[] = {
      {"add.rm.f32 %%d, %%a, %%b;", 32, 32, true,
       [](auto a, auto b, auto) {
         return rounded(
             FE_DOWNWARD,
             [](volatile float &x, volatile float &y) { return x + y; }, a, b);
       }},
      {"sub.rp.f32 %%d, %%a, %%b;", 32, 32, true,
       [](auto a, auto b, auto) {
         return rounded(
             FE_UPWARD,
             [](volatile float &x, volatile float &y) { return x - y; }, a, b);
       }},
      {"mul.rz.f32 %%d, %%a, %%b;", 32, 32, true,
       [](auto a, auto b, auto) {
         return rounded(
             FE_TOWARDZERO,
             [](volatile float &x, volatile float &y) { return x * y; }, a, b);
       }},
  };
  uint64_t seed = 800;
  for (const Spec &spec : specs)
    check(spec, seed++);
}

TEST_CASE("approximate functions stay within PTX's bounds") {
  struct Function {
    const char *name;
    double (*exact)(double);
    double relative, absolute;
    float low, high;
  };
  // PTX ISA 9.7.3: ex2 2 ulp, rcp 1 ulp, rsqrt 2^-22.9, lg2 2^-22 absolute
  // near 1, tanh 2^-11, sin and cos 2^-20.5 absolute in [-2pi, 2pi].
  const Function functions[] = {
      {"ex2.approx.f32", [](double x) { return std::exp2(x); }, 0x1p-22,
       0x1p-149, -130, 127},
      {"rcp.approx.f32", [](double x) { return 1 / x; }, 0x1p-23, 0x1p-149,
       -100, 100},
      {"rsqrt.approx.f32", [](double x) { return 1 / std::sqrt(x); }, 0x1p-22,
       0, 1e-6f, 1e6f},
      {"lg2.approx.f32", [](double x) { return std::log2(x); }, 0x1p-22,
       0x1p-22, 1e-6f, 1e6f},
      {"tanh.approx.f32", [](double x) { return std::tanh(x); }, 0x1p-11, 0, -9,
       9},
      {"sin.approx.f32", [](double x) { return std::sin(x); }, 0, 0x1p-20, -6,
       6},
      {"cos.approx.f32", [](double x) { return std::cos(x); }, 0, 0x1p-20, -6,
       6},
      {"sqrt.approx.f32", [](double x) { return std::sqrt(x); }, 0x1p-22, 0, 0,
       1e9f},
  };
  Random random(3);
  CAPTURE(random.seed);
  for (const Function &f : functions) {
    CAPTURE(f.name);
    GlobalMemory memory;
    Buffer<float> a(memory, 1024), d(memory, 1024);
    for (float &x : a)
      x = f.low + (f.high - f.low) * float(random.bits() >> 11) * 0x1p-53f;
    Launch launch;
    launch.block = {1024, 1, 1};
    mustRun(kernel(2, std::string(R"(
  .reg .b64 %rd<4>; .reg .b32 %r<4>;
  ld.param.b64 %rd1, [p0]; ld.param.b64 %rd2, [p1];
  mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;
  ld.global.b32 %r2, [%rd1];
  )") + f.name + " %r3, %r2;\n st.global.b32 [%rd2], %r3; ret;"),
            memory, pack({a.address(), d.address()}), launch);
    for (unsigned i = 0; i < 1024; ++i) {
      double exact = f.exact(a[i]);
      double error = std::fabs(d[i] - exact);
      if (error > f.relative * std::fabs(exact) + f.absolute)
        CHECK(error == 0);
    }
  }
}

TEST_CASE("narrow formats are packed first source high") {
  GlobalMemory memory;
  Buffer<uint32_t> d(memory, 8);
  mustRun(kernel(1, R"(
  .reg .b64 %rd1; .reg .b32 %r<9>; .reg .b16 %h<4>;
  ld.param.b64 %rd1, [p0];
  cvt.rn.satfinite.e4m3x2.f32 %h1, 0f44FA0000, 0fBF800000;  // 2000, -1
  cvt.u32.u16 %r1, %h1;
  st.global.b32 [%rd1], %r1;
  cvt.rn.f16x2.e4m3x2 %r2, %h1;
  st.global.b32 [%rd1+4], %r2;
  cvt.rna.tf32.f32 %r3, 0f3F801000;  // 1 + 2^-11: a tie, away from zero
  st.global.b32 [%rd1+8], %r3;
  cvt.rn.relu.bf16x2.f32 %r4, 0fBF800000, 0f40490FDB;  // -1, pi
  st.global.b32 [%rd1+12], %r4;
  cvt.rn.satfinite.e5m2x2.f32 %h2, 0f7F800000, 0f00000000;
  cvt.u32.u16 %r5, %h2;
  st.global.b32 [%rd1+16], %r5;
  ret;)"),
          memory, pack({d.address()}));
  CHECK(d[0] == 0x7EB8);     // 448 above, -1 below
  CHECK(d[1] == 0x5F00BC00); // 448 and -1 as f16
  CHECK(d[2] == 0x3F802000);
  CHECK(d[3] == 0x00004049); // relu(-1) = 0, pi
  CHECK(d[4] == 0x7B00);     // 57344 and 0
}
