//===- MbarrierTest.cpp - automaton, word and history tests -----*- C++ -*-===//
#include "units/Mbarrier.h"
#include "TestSupport.h"

#include <array>
#include <cstring>
#include <vector>

using namespace tirx::rt::sim;

namespace {
const Actor thread0{0, 0, 0, 10, {}};
const Actor copy{0, 1, 0, 20, "cp.async.bulk.tensor"};
constexpr uint32_t at = 0x408;

Mbarrier fresh(uint32_t count) {
  auto barrier = Mbarrier::init(at, count, thread0);
  REQUIRE(barrier);
  return *barrier;
}
} // namespace

// PTX ISA, mbarrier: a worked sequence.
TEST_CASE("mbarrier: init 2, arrive.expect_tx, complete_tx, arrive") {
  Mbarrier barrier = fresh(2);
  CHECK(barrier.testParity(1, 0).complete);
  CHECK_FALSE(barrier.testParity(0, 0).complete);
  REQUIRE_FALSE(barrier.arriveExpectTx(100, thread0)->phaseCompleted);
  CHECK(barrier.state() == MbarrierState{0, 2, 1, 100});
  REQUIRE_FALSE(barrier.completeTx(100, copy)->phaseCompleted);
  CHECK(barrier.state() == MbarrierState{0, 2, 1, 0});
  REQUIRE(barrier.arrive(1, thread0)->phaseCompleted);
  CHECK(barrier.state() == MbarrierState{1, 2, 2, 0});
  CHECK(barrier.testParity(0, 0).complete);
  CHECK_FALSE(barrier.testParity(1, 0).complete);
}

TEST_CASE("mbarrier: bytes may arrive before they are expected") {
  Mbarrier barrier = fresh(1);
  REQUIRE(barrier.completeTx(64, copy));
  CHECK(barrier.state().tx == -64);
  REQUIRE(barrier.arriveExpectTx(64, thread0)->phaseCompleted);
  // expect_tx alone completes nothing.
  REQUIRE(barrier.expectTx(64, thread0));
  REQUIRE_FALSE(barrier.arrive(1, thread0)->phaseCompleted);
  REQUIRE(barrier.completeTx(64, copy)->phaseCompleted);
  CHECK(barrier.state().phase == 2);
}

TEST_CASE("mbarrier: arrive_drop lowers the count of later phases") {
  Mbarrier barrier = fresh(3);
  REQUIRE_FALSE(barrier.arriveDrop(1, thread0)->phaseCompleted);
  REQUIRE(barrier.arrive(2, thread0)->phaseCompleted);
  CHECK(barrier.state() == MbarrierState{1, 2, 2, 0});
}

TEST_CASE("mbarrier: refused operations name the limit and change nothing") {
  CHECK(failsWith(Mbarrier::init(at, 0, thread0), {"count 0", "1..1048575"}));
  CHECK(failsWith(Mbarrier::init(at, 1 << 20, thread0), {"1048576"}));
  CHECK(Mbarrier::init(at, (1 << 20) - 1, thread0));

  Mbarrier barrier = fresh(2);
  REQUIRE(barrier.arrive(1, thread0));
  MbarrierState before = barrier.state();
  CHECK(failsWith(barrier.arrive(2, thread0),
                  {"over-arrive", "2 arrivals", "waits for 1", "PTX line 10"}));
  CHECK(failsWith(barrier.arrive(0, thread0), {"count 0"}));
  CHECK(failsWith(barrier.arriveDrop(2, thread0), {"arrive_drop", "1..1"}));
  CHECK(barrier.state() == before);

  REQUIRE(barrier.expectTx(mbarrierMaxTx, thread0));
  CHECK(failsWith(barrier.expectTx(1, thread0), {"1048575", "limit"}));
  CHECK(failsWith(barrier.arriveExpectTx(1, thread0), {"limit"}));
  CHECK(barrier.state().tx == mbarrierMaxTx);
  REQUIRE(barrier.completeTx(mbarrierMaxTx, copy));
  REQUIRE(barrier.completeTx(mbarrierMaxTx, copy));
  CHECK(failsWith(barrier.completeTx(1, copy),
                  {"-1048575", "cp.async.bulk.tensor issued by"}));
  CHECK(barrier.state().tx == -mbarrierMaxTx);
}

TEST_CASE("mbarrier: parity aliasing") {
  Mbarrier barrier = fresh(1);
  auto advance = [&] { REQUIRE(barrier.arrive(1, thread0)->phaseCompleted); };
  CHECK_FALSE(barrier.testParity(0, 7).complete);
  advance(); // phase 1
  CHECK(barrier.testParity(0, 7).complete);
  CHECK(barrier.testParity(0, 7).complete); // again, still fine
  advance();                                // phase 2
  MbarrierWait good = barrier.testParity(1, 7);
  CHECK(good.complete);
  CHECK_FALSE(good.aliasing);
  advance(); // phase 3
  advance(); // phase 4
  advance(); // phase 5; the waiter's next phase is 2
  MbarrierWait bad = barrier.testParity(0, 7);
  REQUIRE(bad.aliasing);
  CHECK(bad.aliasing->find("phase 2") != std::string::npos);
  CHECK(bad.aliasing->find("phase 5") != std::string::npos);
  // Another waiter without history is not accused.
  CHECK_FALSE(barrier.testParity(0, 8).aliasing);
}

TEST_CASE("mbarrier: state tokens") {
  Mbarrier barrier = fresh(2);
  uint64_t token = barrier.arrive(1, thread0)->token;
  CHECK(*Mbarrier::pendingCount(token) == 2);
  CHECK_FALSE(*barrier.testToken(token));
  REQUIRE(barrier.arrive(1, thread0)->phaseCompleted);
  CHECK(*barrier.testToken(token));
  REQUIRE(barrier.arrive(2, thread0)->phaseCompleted);
  CHECK(failsWith(barrier.testToken(token), {"phase 0", "phase 2"}));
  CHECK(failsWith(barrier.testToken(12345), {"no state"}));
  CHECK(failsWith(Mbarrier::pendingCount(12345), {"no state"}));
}

TEST_CASE("mbarrier: history and description") {
  Mbarrier barrier = fresh(40);
  for (unsigned i = 0; i < 35; ++i)
    REQUIRE(barrier.arrive(1, Actor{1, 2, uint8_t(i % 32), 77, {}}));
  REQUIRE(barrier.expectTx(256, thread0));
  auto events = barrier.events();
  REQUIRE(events.size() == 32);
  CHECK(events.back().kind == MbarrierEventKind::expectTx);
  CHECK(events.back().amount == 256);
  CHECK(events[30].who.lane == 34 % 32);
  std::string text = barrier.describe();
  for (const char *part :
       {"0x408", "phase 0", "5 of 40 arrivals pending", "256 transaction bytes",
        "CTA 1 warp 2 lane 2 (PTX line 77)"}) {
    CAPTURE(text, part);
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("mbarrier word: packs and unpacks every state, refuses the rest") {
  auto rng = makeRng(20);
  for (unsigned i = 0; i < 20000; ++i) {
    MbarrierState state;
    state.phase = rng() % 2;
    state.expected = pick(rng, 0, mbarrierMaxCount);
    state.pending = pick(rng, 0, state.expected);
    state.tx = int32_t(pick(rng, 0, 2 * mbarrierMaxTx)) - mbarrierMaxTx;
    uint32_t address = uint32_t(rng()) % 0x38000 & ~7u;
    uint64_t word = packMbarrier(state, address);
    auto back = unpackMbarrier(word, address);
    REQUIRE(back);
    REQUIRE(*back == state);
  }
  // Memory that no barrier wrote. Two tag bits and the ranges must catch these.
  MbarrierState state{0, 1, 1, 0};
  for (uint32_t address = 0; address < 0x1000; address += 8)
    CHECK_FALSE(unpackMbarrier(packMbarrier(state, address), address + 8) ==
                state);
}

TEST_CASE("mbarrier file: uninitialised, clobbered, invalidated, misplaced") {
  auto memory = poisoned(0x1000);
  SharedSpan shared(memory);
  MbarrierFile file;
  CHECK(failsWith(file.arrive(shared, at, 1, thread0),
                  {"no mbarrier was initialised", "0xa5a5a5a5a5a5a5a5"}));
  CHECK(failsWith(file.init(shared, at + 4, 1, thread0), {"8-byte"}));
  CHECK(failsWith(file.init(shared, 0x1000, 1, thread0), {"0x1000"}));
  REQUIRE(file.init(shared, at, 1, thread0));
  CHECK(failsWith(file.init(shared, at, 1, thread0), {"live mbarrier"}));
  REQUIRE(file.arrive(shared, at, 1, thread0)->phaseCompleted);
  CHECK(file.testParity(shared, at, 0, 1, thread0)->complete);

  CHECK(file.overlapping(at - 7, 7) == nullptr);
  CHECK(file.overlapping(at - 7, 8) != nullptr);
  CHECK(file.overlapping(at + 7, 1) != nullptr);
  CHECK(file.overlapping(at + 8, 100) == nullptr);

  // Busy: refused; idle: ends.
  REQUIRE(file.expectTx(shared, at, 16, thread0));
  CHECK(failsWith(file.inval(shared, at, thread0), {"in use", "16 trans"}));
  REQUIRE(file.completeTx(shared, at, 16, copy));
  uint64_t saved;
  std::memcpy(&saved, memory.data() + at, 8);
  memory[at + 3] ^= std::byte(1);
  CHECK(failsWith(file.arrive(shared, at, 1, thread0),
                  {"overwritten", "phase 1", "PTX line 10"}));
  std::memcpy(memory.data() + at, &saved, 8);
  REQUIRE(file.arrive(shared, at, 1, thread0));
  REQUIRE(file.inval(shared, at, thread0));
  CHECK(failsWith(file.arrive(shared, at, 1, thread0), {"invalidated by"}));
  CHECK(file.find(at) == nullptr);
  REQUIRE(file.init(shared, at, 5, thread0));
  CHECK(file.find(at)->state().expected == 5);
}

// Random legal sequences against a reference written from PTX ISA's text.
TEST_CASE("mbarrier file: equals a reference automaton") {
  struct Reference {
    int phase = 0;
    long expected, pending, tx = 0;
    void settle() {
      if (pending == 0 && tx == 0) {
        ++phase;
        pending = expected;
      }
    }
  };
  auto rng = makeRng(21);
  for (unsigned run = 0; run < 200; ++run) {
    auto memory = poisoned(64);
    SharedSpan shared(memory);
    MbarrierFile file;
    unsigned count = pick(rng, 1, 6);
    REQUIRE(file.init(shared, 8, count, thread0));
    Reference reference{0, count, count, 0};
    for (unsigned step = 0; step < 200; ++step) {
      unsigned n = pick(rng, 1, 3), bytes = 16 * pick(rng, 0, 4);
      switch (pick(rng, 0, 4)) {
      case 0: {
        bool legal = n <= reference.pending;
        REQUIRE(bool(file.arrive(shared, 8, n, thread0)) == legal);
        if (legal) {
          reference.pending -= n;
          reference.settle();
        }
        break;
      }
      case 1:
        REQUIRE(file.expectTx(shared, 8, bytes, thread0));
        reference.tx += bytes;
        break;
      case 2:
        REQUIRE(file.completeTx(shared, 8, bytes, copy));
        reference.tx -= bytes;
        reference.settle();
        break;
      case 3: {
        bool legal = reference.pending >= 1;
        REQUIRE(bool(file.arriveExpectTx(shared, 8, bytes, thread0)) == legal);
        if (legal) {
          reference.tx += bytes;
          reference.pending -= 1;
          reference.settle();
        }
        break;
      }
      default: {
        bool legal = n <= reference.pending && rng() % 8 == 0;
        if (!legal)
          break;
        REQUIRE(file.arriveDrop(shared, 8, n, thread0));
        reference.expected -= n;
        reference.pending -= n;
        reference.settle();
        break;
      }
      }
      const MbarrierState &state = file.find(8)->state();
      REQUIRE(state.phase == uint64_t(reference.phase));
      REQUIRE(state.pending == reference.pending);
      REQUIRE(state.expected == reference.expected);
      REQUIRE(state.tx == reference.tx);
      for (unsigned parity : {0u, 1u})
        REQUIRE(file.testParity(shared, 8, parity, step + 1000 * run, thread0)
                    ->complete == ((reference.phase & 1) != int(parity)));
      if (reference.expected == 0)
        break;
    }
  }
}

// The notes' layout_golden.py, section 7: two stages filled by TMA, one MMA
// barrier. Each wait names a phase that has just completed, and the next one
// has not; over a tile all parities return to 0 exactly if the number of K
// tiles is a multiple of twice the stages.
TEST_CASE("golden script 7: phases of a two-stage software pipeline") {
  struct Trace {
    std::vector<std::array<uint32_t, 4>> rows; // k, stage, tma, mma parity
    uint32_t tmaParity = 0, mmaParity = 0;
  };
  auto run = [](uint32_t tiles) {
    Mbarrier tma[2] = {fresh(1), fresh(1)}, mma = fresh(1);
    Trace trace;
    auto wait = [](Mbarrier &barrier, uint32_t parity) {
      CHECK_FALSE(barrier.testParity(parity, 0).complete);
      REQUIRE(barrier.arrive(1, thread0)->phaseCompleted);
      CHECK(barrier.testParity(parity, 0).complete);
    };
    for (uint32_t k = 0; k < tiles; ++k) {
      uint32_t stage = k % 2;
      trace.rows.push_back({k, stage, trace.tmaParity, trace.mmaParity});
      wait(tma[stage], trace.tmaParity);
      wait(mma, trace.mmaParity);
      trace.mmaParity ^= 1;
      if (stage == 1)
        trace.tmaParity ^= 1;
    }
    return trace;
  };
  CHECK(run(5).rows == std::vector<std::array<uint32_t, 4>>{{0, 0, 0, 0},
                                                            {1, 1, 0, 1},
                                                            {2, 0, 1, 0},
                                                            {3, 1, 1, 1},
                                                            {4, 0, 0, 0}});
  for (uint32_t tiles = 2; tiles < 40; tiles += 2) {
    Trace trace = run(tiles);
    INFO(tiles << " K tiles");
    CHECK((trace.tmaParity == 0 && trace.mmaParity == 0) == (tiles % 4 == 0));
  }
}
