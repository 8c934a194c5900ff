//===- OpTable.cpp - matching opcodes, printing the table -------*- C++ -*-===//

#include "OpTable.h"
#include "tirx/Runtime/Simulator.h"

#include <fmt/format.h>
#include <unordered_map>

namespace tirx::rt::sim {
namespace {

struct Group {
  bool optional = false;
  std::vector<std::string_view> choices;
};
struct Pattern {
  const OpRow *row;
  std::vector<Group> groups;
};

struct Section {
  const char *title;
  std::span<const OpRow> rows;
};

std::vector<Section> sections() {
  return {{"Integer, logic, moves, comparison", integerRows()},
          {"Floating point", floatRows()},
          {"Conversion", convertRows()},
          {"Memory", memoryRows()},
          {"Control flow and warp", controlRows()},
          {"Synchronisation", syncRows()},
          {"Asynchronous and bulk copies", bulkRows()},
          {"Tensor memory and tensor cores", tensorRows()}};
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    size_t end = text.find(at);
    if (end != 0)
      parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos)
      return parts;
    text = text.substr(end + 1);
  }
}

using Index = std::unordered_map<std::string_view, std::vector<Pattern>>;

Index buildIndex() {
  Index index;
  for (const Section &section : sections())
    for (const OpRow &row : section.rows) {
      std::vector<std::string_view> words = split(row.pattern, ' ');
      Pattern pattern{&row, {}};
      for (size_t i = 1; i < words.size(); ++i) {
        Group group;
        std::string_view word = words[i];
        if (word.front() == '[') {
          group.optional = true;
          word = word.substr(1, word.size() - 2);
        }
        group.choices = split(word, '|');
        pattern.groups.push_back(std::move(group));
      }
      for (std::string_view mnemonic : split(words[0], '|'))
        index[mnemonic].push_back(pattern);
    }
  return index;
}

bool contains(const Group &group, const std::string &modifier) {
  for (std::string_view choice : group.choices)
    if (choice == modifier)
      return true;
  return false;
}

struct Match {
  size_t length = 0;   ///< modifiers that fit, from the first on
  bool groups = false; ///< every required group was there
  bool whole = false;  ///< and nothing is left
};

Match matchModifiers(const Pattern &pattern,
                     const std::vector<std::string> &modifiers) {
  Match match;
  for (const Group &group : pattern.groups) {
    if (match.length < modifiers.size() &&
        contains(group, modifiers[match.length]))
      ++match.length;
    else if (!group.optional)
      return match;
  }
  match.groups = true;
  match.whole = match.length == modifiers.size();
  return match;
}

} // namespace

const OpRow *findRow(const ast::Instruction &instruction, std::string &reason) {
  static const Index index = buildIndex();
  auto found = index.find(instruction.mnemonic);
  if (found == index.end()) {
    reason = fmt::format("unknown instruction '{}'", instruction.mnemonic);
    return nullptr;
  }
  size_t longest = 0;
  const OpRow *refused = nullptr;
  for (const Pattern &pattern : found->second) {
    Match match = matchModifiers(pattern, instruction.modifiers);
    if (match.whole)
      return pattern.row;
    // What is unsupported is so with whatever modifiers follow.
    if (match.groups && pattern.row->fidelity == Fidelity::unsupported)
      refused = pattern.row;
    longest = std::max(longest, match.length);
  }
  if (refused)
    return refused;
  if (longest < instruction.modifiers.size())
    reason = fmt::format("'{}': modifier '.{}' is unknown here, or not "
                         "supported by the simulator",
                         instruction.opcode(), instruction.modifiers[longest]);
  else
    reason = fmt::format("'{}' lacks a modifier", instruction.opcode());
  return nullptr;
}

std::optional<NumType> numType(std::string_view name) {
  static const std::unordered_map<std::string_view, NumType> types = {
      {"b8", NumType::u8},   {"u8", NumType::u8},     {"s8", NumType::s8},
      {"b16", NumType::u16}, {"u16", NumType::u16},   {"s16", NumType::s16},
      {"b32", NumType::u32}, {"u32", NumType::u32},   {"s32", NumType::s32},
      {"b64", NumType::u64}, {"u64", NumType::u64},   {"s64", NumType::s64},
      {"f16", NumType::f16}, {"bf16", NumType::bf16}, {"f32", NumType::f32},
      {"f64", NumType::f64}, {"b128", NumType::b128},
  };
  auto found = types.find(name);
  if (found == types.end())
    return std::nullopt;
  return found->second;
}

std::string fidelityTable() {
  std::string out;
  auto print = [&](const char *name) {
    std::string text;
    for (const char *c = name; *c; ++c)
      text += *c == '|' ? std::string("\\|") : std::string(1, *c);
    return text;
  };
  for (const Section &section : sections()) {
    out += fmt::format("\n### {}\n\n| instruction | fidelity | PTX ISA | note "
                       "|\n|---|---|---|---|\n",
                       section.title);
    for (const OpRow &row : section.rows) {
      static constexpr const char *names[] = {"exact", "approximate",
                                              "unsupported"};
      std::string pattern;
      for (std::string_view word : split(row.pattern, ' ')) {
        std::string group(word);
        std::string shown = print(group.c_str());
        if (pattern.empty())
          pattern = shown;
        else if (group.front() == '[')
          pattern += "[." + shown.substr(1);
        else if (group.find('|') != std::string::npos)
          pattern += ".{" + shown + "}";
        else
          pattern += "." + shown;
      }
      out += fmt::format("| `{}` | {} | {} | {} |\n", pattern,
                         names[static_cast<unsigned>(row.fidelity)], row.source,
                         row.note);
    }
  }
  return out;
}

} // namespace tirx::rt::sim
