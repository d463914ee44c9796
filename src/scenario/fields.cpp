#include "wattfill/scenario/fields.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "wattfill/core/quotation.hpp"
#include "wattfill/scenario/document.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill {
namespace {

constexpr std::size_t most_problems = 10'000;  // of which InputError shows the first 20

Node type_schema(std::string name) { return Node::map().add("type", Node::quote(std::move(name))); }

std::string needed(std::string const& range) { return range.empty() ? "" : " (" + range + " is needed)"; }

std::string whole_range(std::uint64_t low, std::uint64_t high) {
  return high == std::numeric_limits<std::uint64_t>::max() ? std::to_string(low) + " or more" : std::to_string(low) + " to " + std::to_string(high);
}

/// The finite number of a scalar, else a problem.
std::optional<double> finite_number(Node const& node, std::string const& key, std::string const& range, Reading& reading) {
  if (node.kind != Node::Kind::scalar) {
    reading.refuse(node.at, key, described(node) + " stands where a number belongs" + needed(range) + "; write one number");
    return std::nullopt;
  }
  auto const value = node.quoted ? std::nullopt : spelled_number(node.text);
  if (!value)
    reading.refuse(node.at, key, described(node) + " is not a number" + needed(range) + "; write digits, '.' for decimals, and no unit");
  else if (!std::isfinite(*value))
    reading.refuse(node.at, key, described(node) + " is not a finite number (one such value poisons every result); write a finite one");
  else
    return value;
  return std::nullopt;
}

void refuse_range(Node const& node, std::string const& key, std::string const& range, Reading& reading) {
  reading.refuse(node.at, key, node.text + " is out of range (" + range + " is possible); choose a value in the range");
}

bool text_node(Node const& node, std::string const& key, Reading& reading) {
  if (node.kind != Node::Kind::scalar) {
    reading.refuse(node.at, key, described(node) + " stands where text belongs; write one word or a text in quotes");
    return false;
  }
  if (!node.quoted && (spelled_number(node.text) || node.text == "true" || node.text == "false")) {
    reading.refuse(node.at, key, shortened(node.text) + " is not text (it reads as a number or truth value); write it in quotes: " + quotation(node.text));
    return false;
  }
  return true;
}

bool identifier_character(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-'; }

}  // namespace

void Reading::refuse(Location const& at, std::string const& key, std::string what) {
  if (problems.size() < most_problems) problems.push_back({at, key, std::move(what)});
}

void Reading::finish() const {
  if (!problems.empty()) throw InputError(problems);
}

std::string Range::text() const {
  auto const bounded_below = std::isfinite(low), bounded_above = std::isfinite(high);
  if (!bounded_below && !bounded_above) return "";
  if (!bounded_below) return "up to " + number_text(high);
  if (!bounded_above) return open ? "above " + number_text(low) : number_text(low) + " or more";
  return (open ? "above " + number_text(low) + " up to " : number_text(low) + " to ") + number_text(high);
}

Format<double> number(Range range, std::string unit) {
  Format<double> format;
  format.type = "number";
  format.unit = std::move(unit);
  format.range = range.text();
  format.schema = type_schema("number");
  if (std::isfinite(range.low)) format.schema.add(range.open ? "exclusiveMinimum" : "minimum", Node::plain(number_text(range.low)));
  if (std::isfinite(range.high)) format.schema.add("maximum", Node::plain(number_text(range.high)));
  format.reads([range, text = format.range](Node const& node, std::string const& key, double& into, Reading& reading) {
    auto const value = finite_number(node, key, text, reading);
    if (!value) return;
    if (!range.holds(*value)) return refuse_range(node, key, text, reading);
    into = *value;
  });
  format.echoes([](double value) { return Node::plain(number_text(value)); });
  return format;
}

Format<std::uint64_t> integer(std::uint64_t low, std::uint64_t high) {
  Format<std::uint64_t> format;
  format.type = "whole number";
  format.range = whole_range(low, high);
  format.schema = type_schema("integer").add("minimum", Node::plain(std::to_string(low))).add("maximum", Node::plain(std::to_string(high)));
  format.reads([low, high, text = format.range](Node const& node, std::string const& key, std::uint64_t& into, Reading& reading) {
    auto const value = finite_number(node, key, text, reading);
    if (!value) return;
    std::uint64_t whole = 0;
    auto const [end, error] = std::from_chars(node.text.data(), node.text.data() + node.text.size(), whole);
    if (error != std::errc() || end != node.text.data() + node.text.size()) {  // -1, 1e6, 2.5 or beyond 2^64
      if (*value != std::floor(*value)) return reading.refuse(node.at, key, node.text + " is not a whole number (" + text + " is possible); round it");
      if (!(0 <= *value && *value <= 9007199254740992.0)) return refuse_range(node, key, text, reading);
      whole = static_cast<std::uint64_t>(*value);
    }
    if (!(low <= whole && whole <= high)) return refuse_range(node, key, text, reading);
    into = whole;
  });
  format.echoes([](std::uint64_t value) { return Node::plain(std::to_string(value)); });
  return format;
}

Format<bool> truth() {
  Format<bool> format;
  format.type = "true or false";
  format.schema = type_schema("boolean");
  format.reads([](Node const& node, std::string const& key, bool& into, Reading& reading) {
    auto const is_plain = node.kind == Node::Kind::scalar && !node.quoted;
    if (is_plain && (node.text == "true" || node.text == "false"))
      into = node.text == "true";
    else
      reading.refuse(node.at, key, described(node) + " is neither true nor false; write true or false");
  });
  format.echoes([](bool value) { return Node::plain(value ? "true" : "false"); });
  return format;
}

Format<std::string> text() {
  Format<std::string> format;
  format.type = "text";
  format.schema = type_schema("string").add("minLength", Node::plain("1"));
  format.reads([](Node const& node, std::string const& key, std::string& into, Reading& reading) {
    if (!text_node(node, key, reading)) return;
    if (node.text.empty()) return reading.refuse(node.at, key, "the text is empty; write it or remove the key");
    into = node.text;
  });
  format.echoes([](std::string const& value) { return value.empty() ? Node() : Node::quote(value); });
  return format;
}

Format<std::string> text_or_nothing() {
  auto format = text();
  format.schema = type_schema("string");
  format.reads([](Node const& node, std::string const& key, std::string& into, Reading& reading) {
    if (text_node(node, key, reading)) into = node.text;
  });
  return format;
}

Format<std::string> identifier() {
  auto format = text();
  format.range = "letters, digits, `.`, `_`, `-`";
  format.schema = type_schema("string").add("pattern", Node::quote("^[A-Za-z0-9_-][A-Za-z0-9._-]*$")).add("maxLength", Node::plain("100"));
  format.reads([plain = format](Node const& node, std::string const& key, std::string& into, Reading& reading) {
    plain.read(node, key, into, reading);
    if (into.size() > 100 || into.starts_with('.') || !std::ranges::all_of(into, identifier_character))
      reading.refuse(node.at, key,
                     described(node) + " cannot be part of a file name; use at most 100 letters, digits, '.', '_' and '-', not starting with '.'");
  });
  return format;
}

Format<Node> anything() {
  Format<Node> format;
  format.type = "value";
  format.schema = Node::plain("true");
  format.reads([](Node const& node, std::string const&, Node& into, Reading&) { into = node; });
  format.echoes([](Node const& value) { return value; });
  return format;
}

bool checked_name(std::string const& name, Location const& at, std::string const& key, Reading& reading) {
  auto const bad = [](char c) { return c == '.' || c == ',' || c == '"' || static_cast<unsigned char>(c) < 0x20; };
  if (!name.empty() && !std::ranges::any_of(name, bad)) return true;
  reading.refuse(at, key, "the name " + quotation(name) + " cannot be used (names stand in key paths and in columns); leave out dots, commas and quotes");
  return false;
}

std::optional<std::size_t> chosen(Node const& node, std::string const& key, std::vector<std::string> const& names, Reading& reading) {
  if (node.kind != Node::Kind::scalar) {
    reading.refuse(node.at, key, described(node) + " stands where one of a few words belongs; write one of: " + listed(names));
    return std::nullopt;
  }
  auto const found = std::ranges::find(names, node.text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  reading.refuse(node.at, key, described(node) + " is not known here" + suggestion(node.text, names, "write one of"));
  return std::nullopt;
}

bool is_list(Node const& node, std::string const& key, Reading& reading) {
  if (node.kind == Node::Kind::list) return true;
  reading.refuse(node.at, key, described(node) + " stands where a list belongs; write [first, second, ...]");
  return false;
}

bool is_map(Node const& node, std::string const& key, Reading& reading) {
  if (node.kind == Node::Kind::map) return true;
  reading.refuse(node.at, key, described(node) + " stands where a map belongs; write key: value pairs");
  return false;
}

bool in_length(Node const& node, std::string const& key, std::size_t least, std::size_t most, Reading& reading) {
  auto const length = node.members.size();
  if (least <= length && length <= most) return true;
  reading.refuse(node.at, key,
                 length == 0 ? "the list is empty (there would be nothing to do); give at least " + std::to_string(least)
                             : "the list has " + std::to_string(length) + " entries (" + std::to_string(least) + " to " + std::to_string(most) +
                                   " are possible); change their number");
  return false;
}

void unknown_key(Member const& member, std::string const& path, std::vector<std::string> const& keys, Reading& reading) {
  reading.refuse(member.key_at, joined_key(path, member.key), "unknown key (it would have no effect)" + suggestion(member.key, keys, "the keys here are"));
}

std::string joined_key(std::string const& path, std::string const& key) { return path.empty() ? key : path + "." + key; }

Node annotated(Node schema, std::string const& meaning, std::string const& unit, Node const& fallback, std::string const& example) {
  auto const described_as = Node::quote(meaning + (unit.empty() ? "" : " [" + unit + "]"));
  if (auto* known = schema.find("description"))
    *known = described_as;
  else if (schema.kind == Node::Kind::map)
    schema.add("description", described_as);
  else
    schema = Node::map().add("description", described_as);
  if (!unit.empty()) schema.add("x-unit", Node::quote(unit));
  if (fallback.kind != Node::Kind::null) schema.add("default", fallback);
  if (!example.empty()) {
    auto value = parse_document(example, "example");
    schema.add("examples", Node::list().add(std::move(value)));
  }
  return schema;
}

}  // namespace wattfill
