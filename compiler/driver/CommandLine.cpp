//===- CommandLine.cpp - options of a command, from a table ---------------===//
#include "CommandLine.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

namespace tirx::driver {

std::optional<std::string> ParsedLine::value(llvm::StringRef option) const {
  auto it = options.find(option.str());
  if (it == options.end())
    return std::nullopt;
  return it->second.back();
}

std::vector<std::string> ParsedLine::values(llvm::StringRef option) const {
  auto it = options.find(option.str());
  return it == options.end() ? std::vector<std::string>() : it->second;
}

std::vector<std::string> ParsedLine::list(llvm::StringRef option) const {
  std::vector<std::string> items;
  for (const std::string &value : values(option)) {
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef(value).split(parts, ',');
    for (llvm::StringRef part : parts)
      items.push_back(part.str());
  }
  return items;
}

std::optional<std::string> nearest(llvm::StringRef name,
                                   llvm::ArrayRef<llvm::StringRef> known) {
  std::optional<std::string> best;
  unsigned bestDistance = std::max<unsigned>(2, name.size() / 3) + 1;
  for (llvm::StringRef candidate : known)
    if (unsigned distance = name.edit_distance(candidate);
        distance < bestDistance) {
      bestDistance = distance;
      best = candidate.str();
    }
  return best;
}

static tl::unexpected<rt::Error> unknownOption(const CommandSpec &command,
                                               llvm::StringRef name) {
  std::vector<llvm::StringRef> names = {"--help"};
  for (const OptionSpec &option : command.options)
    names.push_back(option.name);
  if (auto near = nearest(name, names))
    return rt::makeError("unknown option '{}'; did you mean '{}'?", name.str(),
                         *near);
  return rt::makeError("unknown option '{}'; --help lists the options",
                       name.str());
}

rt::Expected<ParsedLine>
parseCommandLine(const CommandSpec &command,
                 llvm::ArrayRef<std::string> arguments) {
  ParsedLine line;
  while (!arguments.empty()) {
    llvm::StringRef argument = arguments.front();
    arguments = arguments.drop_front();
    if (argument == "--") {
      llvm::append_range(line.positional, arguments);
      break;
    }
    if (!argument.starts_with("-") || argument == "-") {
      line.positional.push_back(argument.str());
      continue;
    }
    auto [name, value] = argument.split('=');
    bool attached = name.size() != argument.size();
    const OptionSpec *option =
        llvm::find_if(command.options, [name = name](const OptionSpec &o) {
          return o.name == name;
        });
    if (option == command.options.end()) {
      if (name != "--help")
        return unknownOption(command, name);
      line.options["--help"].push_back("");
      continue;
    }
    if (option->value.empty()) {
      if (attached)
        return rt::makeError("option '{}' takes no value, but got '{}'",
                             name.str(), value.str());
    } else if (!attached) {
      if (arguments.empty())
        return rt::makeError("option '{}' needs a value: {} {}", name.str(),
                             name.str(), option->value.str());
      value = arguments.front();
      arguments = arguments.drop_front();
    }
    std::vector<std::string> &values = line.options[name.str()];
    if (!values.empty() && !option->repeats)
      return rt::makeError("option '{}' is given twice", name.str());
    values.push_back(value.str());
  }
  return line;
}

std::string renderHelp(const CommandSpec &command) {
  std::string text = fmt::format("usage: {}\n\n{}\n", command.usage.str(),
                                 command.summary.str());
  if (!command.options.empty())
    text += "\noptions:\n";
  for (const OptionSpec &option : command.options) {
    std::string left = option.name.str();
    if (!option.value.empty())
      left += (option.name.starts_with("--") ? "=" : " ") + option.value.str();
    llvm::SmallVector<llvm::StringRef> lines;
    option.help.split(lines, '\n');
    text += left.size() < 24 ? fmt::format("  {:<24}", left)
                             : fmt::format("  {}\n{:26}", left, "");
    for (auto [index, help] : llvm::enumerate(lines))
      text +=
          fmt::format("{}{}\n", index ? std::string(26, ' ') : "", help.str());
  }
  return text;
}

rt::Expected<double> parseTolerance(llvm::StringRef option,
                                    llvm::StringRef text) {
  double value;
  if (text.getAsDouble(value) || !std::isfinite(value) || value < 0)
    return rt::makeError("{}={}: a number of 0 or more was expected",
                         option.str(), text.str());
  return value;
}

rt::Expected<uint64_t> parseUnsigned(llvm::StringRef option,
                                     llvm::StringRef text) {
  uint64_t value;
  if (text.getAsInteger(10, value))
    return rt::makeError("{}={}: an integer from 0 to 2^64-1 was expected",
                         option.str(), text.str());
  return value;
}

} // namespace tirx::driver
