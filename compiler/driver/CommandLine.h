//===- CommandLine.h - options of a command, from a table -------*- C++ -*-===//
#pragma once

#include "tirx/Runtime/Error.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <fmt/ranges.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tirx::driver {

struct OptionSpec {
  llvm::StringRef name; ///< "--target", "-o"
  llvm::StringRef
      value; ///< what to call the value; empty: the option is a flag
  llvm::StringRef help;
  bool repeats = false;
};

struct CommandSpec {
  llvm::StringRef usage; ///< "tirxc run FILE [options]"
  llvm::StringRef summary;
  llvm::ArrayRef<OptionSpec> options;
};

/// A command line, split by a CommandSpec.
class ParsedLine {
public:
  std::vector<std::string> positional;

  bool has(llvm::StringRef option) const {
    return options.count(option.str()) != 0;
  }
  /// The value of an option that does not repeat.
  std::optional<std::string> value(llvm::StringRef option) const;
  /// All values of an option, in order.
  std::vector<std::string> values(llvm::StringRef option) const;
  /// values() with each split at commas.
  std::vector<std::string> list(llvm::StringRef option) const;

private:
  friend rt::Expected<ParsedLine> parseCommandLine(const CommandSpec &,
                                                   llvm::ArrayRef<std::string>);
  std::map<std::string, std::vector<std::string>> options;
};

/// Splits `arguments`: `--name=value`, `--name value`, `--flag`, and `--`
/// before operands that start with a dash ("-" alone is an operand). Errors: an
/// unknown option (with the nearest known one), a value too few or too many, an
/// option given twice that does not repeat.
rt::Expected<ParsedLine>
parseCommandLine(const CommandSpec &command,
                 llvm::ArrayRef<std::string> arguments);

/// The text of --help.
std::string renderHelp(const CommandSpec &command);

/// The name in `known` that is most like `name`, if one is close.
std::optional<std::string> nearest(llvm::StringRef name,
                                   llvm::ArrayRef<llvm::StringRef> known);

/// One of a few named values of an option.
template <typename T> struct Choice {
  llvm::StringRef name;
  T value;
};

/// Looks a value up by its name. Error: names the option and its values.
template <typename T, size_t N>
rt::Expected<T> parseChoice(llvm::StringRef option, llvm::StringRef text,
                            const Choice<T> (&choices)[N]) {
  std::vector<std::string> names;
  for (const Choice<T> &choice : choices) {
    if (choice.name == text)
      return choice.value;
    names.push_back(choice.name.str());
  }
  return rt::makeError("{}={}: the values are {}", option.str(), text.str(),
                       fmt::join(names, ", "));
}

/// Parses a non-negative number. Error: names the option and the text.
rt::Expected<double> parseTolerance(llvm::StringRef option,
                                    llvm::StringRef text);
rt::Expected<uint64_t> parseUnsigned(llvm::StringRef option,
                                     llvm::StringRef text);

} // namespace tirx::driver
