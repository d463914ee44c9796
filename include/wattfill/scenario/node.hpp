#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wattfill/core/error.hpp"

namespace wattfill {

struct Member;

/// A value of an input document (YAML in, YAML or JSON out): nothing, a single value, a list or a map in the order written. Plain data; knows its
/// place.
struct Node {
  enum class Kind { null, scalar, list, map };

  Kind kind = Kind::null;
  bool quoted = false;  ///< scalar: text for certain, never a number or a truth value
  std::string text;     ///< scalar
  Location at;
  std::vector<Member> members;  ///< list (keys empty) or map

  static Node plain(std::string text);  ///< a number or a truth value, as written
  static Node number(double value);     ///< nothing (null) where it is not finite
  static Node quote(std::string text);  ///< text
  static Node list();
  static Node map();

  /// Value of a key of a map, nullptr if there is none.
  Node const* find(std::string_view key) const;
  Node* find(std::string_view key);
  /// Adds to a map or (without a key) to a list; returns *this, so that trees read as they nest.
  Node& add(std::string key, Node value);
  Node& add(Node value);
  /// Nodes in this tree, itself included.
  std::size_t size() const;
};

struct Member {
  std::string key;
  Location key_at;
  Node value;
};

/// The number a scalar spells (also .nan and .inf), if it spells one.
std::optional<double> spelled_number(std::string_view text);

/// `"abc"`, "a list", "a map", "nothing": for messages.
std::string described(Node const&);

/// One line of YAML in flow style.
std::string to_flow(Node const&);
/// YAML in block style, short inner parts in flow style; ends with a line break.
std::string to_yaml(Node const&);
/// JSON, indented by two; ends with a line break.
std::string to_json(Node const&);

}  // namespace wattfill
