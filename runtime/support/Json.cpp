//===- Json.cpp - JSON text that must be well-formed ------------*- C++ -*-===//
#include "support/Json.h"

#include <set>
#include <vector>

using namespace tirx::rt;
using nlohmann::json;

namespace {

/// Watches the events on the way to the DOM, which alone would keep the last of
/// two equal keys and any nesting that memory holds.
class DomWithChecks final : public json::json_sax_t {
public:
  DomWithChecks(json &root, int maxDepth)
      : dom(root, false), maxDepth(maxDepth) {}

  std::string failure;

  bool null() override { return dom.null(); }
  bool boolean(bool value) override { return dom.boolean(value); }
  bool number_integer(number_integer_t value) override {
    return dom.number_integer(value);
  }
  bool number_unsigned(number_unsigned_t value) override {
    return dom.number_unsigned(value);
  }
  bool number_float(number_float_t value, const string_t &text) override {
    return dom.number_float(value, text);
  }
  bool string(string_t &value) override { return dom.string(value); }
  bool binary(binary_t &value) override { return dom.binary(value); }
  bool start_object(std::size_t size) override {
    keys.emplace_back();
    return enter() && dom.start_object(size);
  }
  bool key(string_t &name) override {
    if (!keys.back().insert(name).second) {
      failure = fmt::format("the key \"{}\" occurs twice in one object", name);
      return false;
    }
    return dom.key(name);
  }
  bool end_object() override {
    --depth;
    keys.pop_back();
    return dom.end_object();
  }
  bool start_array(std::size_t size) override {
    return enter() && dom.start_array(size);
  }
  bool end_array() override {
    --depth;
    return dom.end_array();
  }
  bool parse_error(std::size_t position, const std::string &lastToken,
                   const json::exception &error) override {
    failure = fmt::format("byte {}: {}", position, error.what());
    return false;
  }

private:
  nlohmann::detail::json_sax_dom_parser<json> dom;
  const int maxDepth;
  int depth = 0;
  std::vector<std::set<std::string>> keys;

  bool enter() {
    if (++depth <= maxDepth)
      return true;
    failure = fmt::format("nested deeper than {} levels", maxDepth);
    return false;
  }
};

} // namespace

Expected<json> tirx::rt::parseJson(std::string_view text, int maxDepth) {
  json root;
  DomWithChecks handler(root, maxDepth);
  if (!json::sax_parse(text.begin(), text.end(), &handler))
    return makeError("malformed JSON: {}", handler.failure);
  return root;
}
