//===- CommandLineTest.cpp ------------------------------------------------===//
#include "CommandLine.h"

#include <catch2/catch.hpp>

using namespace tirx::driver;

static const OptionSpec options[] = {
    {"-o", "FILE", "output"},
    {"--target", "GPU", "target"},
    {"--arg", "NAME=VALUE", "argument", true},
    {"--time", "", "a flag"},
};
static const CommandSpec spec = {"tool FILE", "Does it.", options};

static auto parse(std::vector<std::string> arguments) {
  return parseCommandLine(spec, arguments);
}

TEST_CASE("options and operands are told apart", "[command-line]") {
  auto line = parse({"a", "--target=x", "-o", "-", "--time", "--arg", "p=1",
                     "--arg=q=2,r", "-", "--", "--time"});
  REQUIRE(line);
  CHECK(line->positional == std::vector<std::string>{"a", "-", "--time"});
  CHECK(line->value("--target") == "x");
  CHECK(line->value("-o") == "-");
  CHECK(line->has("--time"));
  CHECK(line->values("--arg") == std::vector<std::string>{"p=1", "q=2,r"});
  CHECK(line->list("--arg") == std::vector<std::string>{"p=1", "q=2", "r"});
  CHECK_FALSE(line->value("--absent"));
  CHECK(line->values("--absent").empty());
  CHECK(parse({"--help"})->has("--help"));
}

TEST_CASE("wrong command lines are refused", "[command-line]") {
  struct Case {
    std::vector<std::string> arguments;
    std::string message;
  };
  for (const Case &c : std::vector<Case>{
           {{"--tmie"}, "unknown option '--tmie'; did you mean '--time'?"},
           {{"--completely-other"},
            "unknown option '--completely-other'; --help lists the options"},
           {{"--target"}, "option '--target' needs a value: --target GPU"},
           {{"--time=no"}, "option '--time' takes no value, but got 'no'"},
           {{"-o", "a", "-o", "b"}, "option '-o' is given twice"}}) {
    auto line = parse(c.arguments);
    REQUIRE_FALSE(line);
    CHECK(line.error().message == c.message);
  }
}

TEST_CASE("help lists every option", "[command-line]") {
  std::string help = renderHelp(spec);
  for (const char *text :
       {"usage: tool FILE", "Does it.", "-o FILE", "--target=GPU", "--time"})
    CHECK_THAT(help, Catch::Contains(text));
}

TEST_CASE("numbers are checked", "[command-line]") {
  CHECK(*parseTolerance("--rtol", "1e-3") == 1e-3);
  for (const char *text : {"", "x", "-1", "nan", "inf", "1e-3x"})
    CHECK_FALSE(parseTolerance("--rtol", text));
  CHECK(*parseUnsigned("--seed", "18446744073709551615") == UINT64_MAX);
  for (const char *text : {"", "-1", "1.5", "18446744073709551616"})
    CHECK_FALSE(parseUnsigned("--seed", text));
}
