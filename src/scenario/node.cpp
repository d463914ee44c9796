#include "wattfill/scenario/node.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "wattfill/core/quotation.hpp"
#include "wattfill/core/text.hpp"

namespace wattfill {
namespace {

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

/// Text that YAML reads back as it stands, in flow and in block style.
bool safe_unquoted(std::string_view text) {
  if (text.empty() || text.back() == ' ') return false;
  if (!is_letter_or_digit(text[0]) && text[0] != '.' && text[0] != '-' && text[0] != '_') return false;
  if (text[0] == '-' && (text.size() < 2 || !is_letter_or_digit(text[1]))) return false;
  return std::ranges::all_of(text, [](char c) { return is_letter_or_digit(c) || std::string_view("._/+- ").find(c) != std::string_view::npos; });
}

bool means_something_else(std::string_view text) {
  static constexpr std::array words{"true", "True", "TRUE", "false", "False", "FALSE", "null", "Null", "NULL", "yes", "no", "on", "off"};
  return spelled_number(text).has_value() || std::ranges::find(words, text) != words.end();
}

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (auto const c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      static constexpr auto digits = "0123456789abcdef";
      out += "\\u00";
      out += digits[c >> 4];
      out += digits[c & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string yaml_scalar(std::string const& text, bool quoted) {
  return safe_unquoted(text) && (!quoted || !means_something_else(text)) ? text : in_quotes(text);
}

constexpr std::size_t flow_width = 110;

void write_block(Node const& node, std::string const& indent, std::string& out) {
  for (auto const& member : node.members) {
    out += indent + (node.kind == Node::Kind::list ? "-" : yaml_scalar(member.key, true) + ":");
    auto flow = to_flow(member.value);
    auto const inner = !member.value.members.empty();
    if (!inner || (flow.size() <= flow_width && !indent.empty()) || (flow.size() <= flow_width && flow[0] == '[')) {
      out += " " + flow + "\n";
    } else {
      out += "\n";
      write_block(member.value, indent + "  ", out);
    }
  }
}

void write_json(Node const& node, std::string const& indent, std::string& out) {
  if (node.kind == Node::Kind::null) {
    out += "null";
  } else if (node.kind == Node::Kind::scalar) {
    out += !node.quoted && (node.text == "true" || node.text == "false" || spelled_number(node.text)) ? node.text : in_quotes(node.text);
  } else {
    auto const is_list = node.kind == Node::Kind::list;
    out += is_list ? "[" : "{";
    auto const inner = indent + "  ";
    for (std::size_t i = 0; i < node.members.size(); ++i) {
      out += (i == 0 ? "\n" : ",\n") + inner;
      if (!is_list) out += in_quotes(node.members[i].key) + ": ";
      write_json(node.members[i].value, inner, out);
    }
    if (!node.members.empty()) out += "\n" + indent;
    out += is_list ? "]" : "}";
  }
}

}  // namespace

Node Node::plain(std::string text) {
  Node node;
  node.kind = Kind::scalar;
  node.text = std::move(text);
  return node;
}

Node Node::number(double value) { return std::isfinite(value) ? plain(number_text(value)) : Node(); }

Node Node::quote(std::string text) {
  auto node = plain(std::move(text));
  node.quoted = true;
  return node;
}

Node Node::list() {
  Node node;
  node.kind = Kind::list;
  return node;
}

Node Node::map() {
  Node node;
  node.kind = Kind::map;
  return node;
}

Node const* Node::find(std::string_view key) const {
  if (kind != Kind::map) return nullptr;
  auto const found = std::ranges::find(members, key, &Member::key);
  return found == members.end() ? nullptr : &found->value;
}

Node* Node::find(std::string_view key) { return const_cast<Node*>(static_cast<Node const*>(this)->find(key)); }

Node& Node::add(std::string key, Node value) {
  members.push_back({std::move(key), {}, std::move(value)});
  return *this;
}

Node& Node::add(Node value) { return add("", std::move(value)); }

std::size_t Node::size() const {
  std::size_t n = 1;
  for (auto const& member : members) n += member.value.size();
  return n;
}

std::optional<double> spelled_number(std::string_view text) {
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return std::numeric_limits<double>::quiet_NaN();
  auto const sign = text.starts_with('+') || text.starts_with('-') ? 1U : 0U;
  auto const digits = text.substr(sign);
  if (digits == ".inf" || digits == ".Inf" || digits == ".INF")
    return text.starts_with('-') ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  if (digits.empty() || !(digits[0] == '.' || (digits[0] >= '0' && digits[0] <= '9'))) return std::nullopt;
  double value = 0;
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (end != digits.data() + digits.size() || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) value = std::numeric_limits<double>::infinity();
  return text.starts_with('-') ? -value : value;
}

std::string described(Node const& node) {
  switch (node.kind) {
    case Node::Kind::null: return "nothing";
    case Node::Kind::scalar: return quotation(node.text);
    case Node::Kind::list: return "a list";
    default: return "a map";
  }
}

std::string to_flow(Node const& node) {
  if (node.kind == Node::Kind::null) return "null";
  if (node.kind == Node::Kind::scalar) return yaml_scalar(node.text, node.quoted);
  auto const is_list = node.kind == Node::Kind::list;
  std::string text;
  for (auto const& member : node.members) {
    if (!text.empty()) text += ", ";
    if (!is_list) text += yaml_scalar(member.key, true) + ": ";
    text += to_flow(member.value);
  }
  return (is_list ? "[" : "{") + text + (is_list ? "]" : "}");
}

std::string to_yaml(Node const& node) {
  if (node.members.empty()) return to_flow(node) + "\n";
  std::string out;
  write_block(node, "", out);
  return out;
}

std::string to_json(Node const& node) {
  std::string out;
  write_json(node, "", out);
  return out + "\n";
}

}  // namespace wattfill
