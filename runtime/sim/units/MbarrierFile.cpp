//===- MbarrierFile.cpp - the mbarrier objects of a CTA ---------*- C++ -*-===//
#include "Mbarrier.h"

#include <cstring>

namespace tirx::rt::sim {
namespace {

Expected<void> checkAddress(SharedSpan shared, uint32_t address,
                            std::string_view operation, const Actor &who) {
  if (address % 8)
    return makeError("{} at shared {:#x} by {}: an mbarrier needs 8-byte "
                     "alignment (PTX ISA, mbarrier)",
                     operation, address, describe(who));
  return checkSharedRange(shared.size(), address, 8, operation);
}

uint64_t readWord(SharedSpan shared, uint32_t address) {
  uint64_t word;
  std::memcpy(&word, shared.data() + address, 8);
  return word;
}

void writeWord(SharedSpan shared, uint32_t address, uint64_t word) {
  std::memcpy(shared.data() + address, &word, 8);
}

// What an invalidated barrier leaves behind; any value that is no barrier.
constexpr uint64_t invalidWord = 0x1BAD1BAD1BAD1BADull;

} // namespace

Expected<Mbarrier *> MbarrierFile::checked(SharedSpan shared, uint32_t address,
                                           std::string_view operation,
                                           const Actor &who) {
  if (auto ok = checkAddress(shared, address, operation, who); !ok)
    return tl::unexpected(ok.error());
  auto found = objects.find(address);
  if (found == objects.end()) {
    if (auto dead = invalidated.find(address); dead != invalidated.end())
      return makeError("{} at shared {:#x} by {}: the mbarrier was invalidated "
                       "by {}",
                       operation, address, describe(who),
                       describe(dead->second));
    return makeError("{} at shared {:#x} by {}: no mbarrier was initialised "
                     "there (the word is {:#018x})",
                     operation, address, describe(who),
                     readWord(shared, address));
  }
  uint64_t word = readWord(shared, address);
  if (word != found->second.word())
    return makeError(
        "{} at shared {:#x} by {}: the mbarrier was overwritten by "
        "an ordinary store or copy (the word is {:#018x}, should "
        "be {:#018x}). Before that: {}",
        operation, address, describe(who), word, found->second.word(),
        found->second.describe());
  return &found->second;
}

Expected<void> MbarrierFile::init(SharedSpan shared, uint32_t address,
                                  uint32_t count, const Actor &who) {
  if (auto ok = checkAddress(shared, address, "mbarrier.init", who); !ok)
    return ok;
  if (auto found = objects.find(address); found != objects.end())
    return makeError("mbarrier.init at shared {:#x} by {}: a live mbarrier is "
                     "there, which only mbarrier.inval may end (PTX ISA, "
                     "mbarrier.init). {}",
                     address, describe(who), found->second.describe());
  if (const Mbarrier *other = overlapping(address, 8))
    return makeError("mbarrier.init at shared {:#x} by {}: overlaps the live "
                     "mbarrier at {:#x}",
                     address, describe(who), other->address());
  auto barrier = Mbarrier::init(address, count, who);
  if (!barrier)
    return tl::unexpected(barrier.error());
  writeWord(shared, address, barrier->word());
  objects.emplace(address, std::move(*barrier));
  invalidated.erase(address);
  return {};
}

Expected<void> MbarrierFile::inval(SharedSpan shared, uint32_t address,
                                   const Actor &who) {
  auto barrier = checked(shared, address, "mbarrier.inval", who);
  if (!barrier)
    return tl::unexpected(barrier.error());
  const MbarrierState &state = (*barrier)->state();
  if (state.pending != state.expected || state.tx != 0)
    return makeError("mbarrier.inval at shared {:#x} by {}: the barrier is in "
                     "use. {}",
                     address, describe(who), (*barrier)->describe());
  writeWord(shared, address, invalidWord);
  objects.erase(address);
  invalidated[address] = who;
  return {};
}

namespace {

/// Runs `operation` on a checked barrier and stores the new word.
template <typename Operation>
auto apply(SharedSpan shared, uint32_t address, Expected<Mbarrier *> barrier,
           Operation operation) -> decltype(operation(**barrier)) {
  if (!barrier)
    return tl::unexpected(barrier.error());
  auto result = operation(**barrier);
  writeWord(shared, address, (*barrier)->word());
  return result;
}

} // namespace

Expected<MbarrierOutcome> MbarrierFile::arrive(SharedSpan shared,
                                               uint32_t address, uint32_t count,
                                               const Actor &who) {
  return apply(shared, address,
               checked(shared, address, "mbarrier.arrive", who),
               [&](Mbarrier &barrier) { return barrier.arrive(count, who); });
}

Expected<void> MbarrierFile::expectTx(SharedSpan shared, uint32_t address,
                                      uint32_t bytes, const Actor &who) {
  return apply(shared, address,
               checked(shared, address, "mbarrier.expect_tx", who),
               [&](Mbarrier &barrier) { return barrier.expectTx(bytes, who); });
}

Expected<MbarrierOutcome> MbarrierFile::completeTx(SharedSpan shared,
                                                   uint32_t address,
                                                   uint32_t bytes,
                                                   const Actor &who) {
  return apply(
      shared, address, checked(shared, address, "mbarrier.complete_tx", who),
      [&](Mbarrier &barrier) { return barrier.completeTx(bytes, who); });
}

Expected<MbarrierOutcome> MbarrierFile::arriveExpectTx(SharedSpan shared,
                                                       uint32_t address,
                                                       uint32_t bytes,
                                                       const Actor &who) {
  return apply(
      shared, address,
      checked(shared, address, "mbarrier.arrive.expect_tx", who),
      [&](Mbarrier &barrier) { return barrier.arriveExpectTx(bytes, who); });
}

Expected<MbarrierOutcome> MbarrierFile::arriveDrop(SharedSpan shared,
                                                   uint32_t address,
                                                   uint32_t count,
                                                   const Actor &who) {
  return apply(
      shared, address, checked(shared, address, "mbarrier.arrive_drop", who),
      [&](Mbarrier &barrier) { return barrier.arriveDrop(count, who); });
}

Expected<MbarrierWait>
MbarrierFile::testParity(SharedSpan shared, uint32_t address, unsigned parity,
                         uint64_t waiter, const Actor &who) {
  auto barrier = checked(shared, address, "mbarrier wait", who);
  if (!barrier)
    return tl::unexpected(barrier.error());
  return (*barrier)->testParity(parity, waiter);
}

Expected<bool> MbarrierFile::testToken(SharedSpan shared, uint32_t address,
                                       uint64_t token, const Actor &who) {
  auto barrier = checked(shared, address, "mbarrier wait", who);
  if (!barrier)
    return tl::unexpected(barrier.error());
  return (*barrier)->testToken(token);
}

const Mbarrier *MbarrierFile::find(uint32_t address) const {
  auto found = objects.find(address);
  return found == objects.end() ? nullptr : &found->second;
}

const Mbarrier *MbarrierFile::overlapping(uint32_t address,
                                          uint32_t bytes) const {
  if (bytes == 0)
    return nullptr;
  auto next = objects.lower_bound(address < 7 ? 0 : address - 7);
  if (next == objects.end() || next->first >= uint64_t(address) + bytes)
    return nullptr;
  return &next->second;
}

} // namespace tirx::rt::sim
