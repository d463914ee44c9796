#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "wattfill/scenario/node.hpp"

namespace wattfill {

/// Where a value of the input stands: for errors found after reading.
struct Place {
  Location at;
  std::string key;
};

/// A value with its place.
template <class T>
struct Placed {
  T value{};
  Place place;
};

/// An entry of a map whose keys are the user's own names.
template <class T>
struct Named {
  std::string name;
  T value{};
  Place place;
};

/// The mistakes found so far in one reading.
struct Reading {
  std::vector<Problem> problems;

  void refuse(Location const& at, std::string const& key, std::string what);
  void refuse(Place const& place, std::string what) { refuse(place.at, place.key, std::move(what)); }
  /// Throws InputError if there are any.
  void finish() const;
};

/// One table of keys on the generated page.
struct TableDoc {
  struct Row {
    std::string key, type, unit, range, fallback, example, meaning;
  };
  std::string title, meaning;
  std::vector<std::string> paths;  ///< where in the document it is used
  std::vector<Row> rows;
};
using Docs = std::vector<TableDoc>;

/// How values of type T are written in a document: everything that reader, echo, schema and docs page know of it.
template <class T>
struct Format {
  std::string type;  ///< for the docs page
  std::string unit, range;
  std::function<void(Node const&, std::string const& key, T&, Reading&)> read;
  std::function<Node(T const&)> echo;  ///< null: left out of the echo
  Node schema;
  std::function<void(std::string const& path, Docs&)> document = [](std::string const&, Docs&) {};
};

/// Functions of a format hold the formats inside of it by pointer: by value, each level would copy all levels below several times.
template <class T>
std::shared_ptr<Format<T> const> shared(Format<T> format) {
  return std::make_shared<Format<T> const>(std::move(format));
}

/// Numbers that are possible. NaN never is.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool open = false;  ///< low itself is not possible

  bool holds(double x) const { return (open ? low < x : low <= x) && x <= high; }
  std::string text() const;
};
inline Range between(double low, double high) { return {low, high, false}; }
inline Range from(double low) { return {low, std::numeric_limits<double>::infinity(), false}; }
inline Range above(double low) { return {low, std::numeric_limits<double>::infinity(), true}; }

Format<double> number(Range range, std::string unit = "");
Format<std::uint64_t> integer(std::uint64_t low, std::uint64_t high);
Format<bool> truth();
Format<std::string> text();
Format<std::string> text_or_nothing();  ///< "" says "not stated"
/// Text that becomes part of a file or column name: letters, digits, '.', '_' and '-', not starting with '.'.
Format<std::string> identifier();
/// Any value, as it stands.
Format<Node> anything();
/// Checks a name that the user gives to an entry of a map.
bool checked_name(std::string const& name, Location const& at, std::string const& key, Reading&);
/// The one of `names` that the node spells, else a problem.
std::optional<std::size_t> chosen(Node const&, std::string const& key, std::vector<std::string> const& names, Reading&);
/// Expects a list or a map, else a problem.
bool is_list(Node const&, std::string const& key, Reading&);
bool is_map(Node const&, std::string const& key, Reading&);
bool in_length(Node const&, std::string const& key, std::size_t least, std::size_t most, Reading&);
/// The mistake of a key that no field has.
void unknown_key(Member const&, std::string const& path, std::vector<std::string> const& keys, Reading&);
std::string joined_key(std::string const& path, std::string const& key);
/// Adds description, unit, default and example to the schema of a field.
Node annotated(Node schema, std::string const& meaning, std::string const& unit, Node const& fallback, std::string const& example);

template <class E>
struct Choice {
  std::string name;
  E value;
  std::string meaning;
};

/// One of a few words.
template <class E>
Format<E> choice(std::vector<Choice<E>> choices) {
  Format<E> format;
  std::vector<std::string> names;
  auto values = Node::list();
  for (auto const& c : choices) {
    names.push_back(c.name);
    values.add(Node::quote(c.name));
    format.range += (format.range.empty() ? "`" : "; `") + c.name + "`" + (c.meaning.empty() ? "" : ": " + c.meaning);
  }
  format.type = "one of";
  format.schema = Node::map().add("enum", std::move(values));
  format.read = [choices, names](Node const& node, std::string const& key, E& into, Reading& reading) {
    if (auto const i = chosen(node, key, names, reading)) into = choices[*i].value;
  };
  format.echo = [choices](E const& value) {
    for (auto const& c : choices)
      if (c.value == value) return Node::quote(c.name);
    return Node();
  };
  return format;
}

/// A list of `least` to `most` values.
template <class T>
Format<std::vector<T>> list_of(Format<T> of, std::size_t least = 0, std::size_t most = 1'000'000) {
  auto const item = shared(std::move(of));
  Format<std::vector<T>> format;
  format.type = "list of " + item->type;
  format.unit = item->unit;
  format.range = item->range;
  format.schema = Node::map()
                      .add("type", Node::quote("array"))
                      .add("items", item->schema)
                      .add("minItems", Node::plain(std::to_string(least)))
                      .add("maxItems", Node::plain(std::to_string(most)));
  format.read = [item, least, most](Node const& node, std::string const& key, std::vector<T>& into, Reading& reading) {
    if (!is_list(node, key, reading) || !in_length(node, key, least, most, reading)) return;
    into.clear();
    for (std::size_t i = 0; i < node.members.size(); ++i) item->read(node.members[i].value, joined_key(key, std::to_string(i)), into.emplace_back(), reading);
  };
  format.echo = [item](std::vector<T> const& values) {
    auto node = Node::list();
    for (auto const& value : values) node.add(item->echo(value));
    return node;
  };
  format.document = [item](std::string const& path, Docs& docs) { item->document(path + ".N", docs); };
  return format;
}

/// A map from names of the user's choice, kept in order.
template <class T>
Format<std::vector<Named<T>>> map_of(Format<T> of, bool names_are_paths = false) {
  auto const item = shared(std::move(of));
  Format<std::vector<Named<T>>> format;
  format.type = "map from name to " + item->type;
  format.unit = item->unit;
  format.range = item->range;
  format.schema = Node::map().add("type", Node::quote("object")).add("additionalProperties", item->schema);
  format.read = [item, names_are_paths](Node const& node, std::string const& key, std::vector<Named<T>>& into, Reading& reading) {
    if (!is_map(node, key, reading)) return;
    into.clear();
    for (auto const& member : node.members) {
      auto const path = joined_key(key, member.key);
      if (!names_are_paths && !checked_name(member.key, member.key_at, path, reading)) continue;
      into.push_back({member.key, {}, {member.key_at, path}});
      item->read(member.value, path, into.back().value, reading);
    }
  };
  format.echo = [item](std::vector<Named<T>> const& entries) {
    auto node = Node::map();
    for (auto const& entry : entries) node.add(entry.name, item->echo(entry.value));
    return entries.empty() ? Node() : node;
  };
  format.document = [item](std::string const& path, Docs& docs) { item->document(path + ".NAME", docs); };
  return format;
}

/// The same value, with its place kept.
template <class T>
Format<Placed<T>> placed(Format<T> of) {
  auto const plain = shared(std::move(of));
  Format<Placed<T>> format{plain->type, plain->unit, plain->range, {}, {}, plain->schema, plain->document};
  format.read = [plain](Node const& node, std::string const& key, Placed<T>& into, Reading& reading) {
    into.place = {node.at, key};
    plain->read(node, key, into.value, reading);
  };
  format.echo = [plain](Placed<T> const& value) { return plain->echo(value.value); };
  return format;
}

/// A value that has a short form (a single value or a list) beside its map. `widen` makes the whole of the short form, `narrow` gives the short form
/// where it says all there is, for the echo.
template <class T, class Short>
Format<T> with_short_form(Format<Short> short_form, Format<T> of, std::function<void(Short const&, Place const&, T&)> widen,
                          std::function<std::optional<Short>(T const&)> narrow) {
  auto const brief = shared(std::move(short_form));
  auto const full = shared(std::move(of));
  auto format = *full;
  format.type = brief->type + " or " + full->type;
  if (format.range.empty()) format.range = brief->range;
  if (format.unit.empty()) format.unit = brief->unit;
  format.schema = Node::map().add("anyOf", Node::list().add(brief->schema).add(full->schema));
  format.read = [brief, full, widen](Node const& node, std::string const& key, T& into, Reading& reading) {
    if (node.kind == Node::Kind::map) return full->read(node, key, into, reading);
    Short value{};
    auto const before = reading.problems.size();
    brief->read(node, key, value, reading);
    if (reading.problems.size() == before) widen(value, {node.at, key}, into);
  };
  format.echo = [brief, full, narrow](T const& value) {
    auto const short_value = narrow(value);
    return short_value ? brief->echo(*short_value) : full->echo(value);
  };
  return format;
}

/// One key of a struct S.
template <class S>
struct Field {
  std::string key;
  bool is_required = false;
  std::string type, unit, range, meaning, example, fallback;  ///< fallback: what holds when the key is absent, for the docs page
  std::function<void(Node const&, std::string const& path, S&, Reading&)> read;
  std::function<Node(S const&)> echo;
  Node schema;
  std::function<void(std::string const&, Docs&)> document;

  Field required() && {
    is_required = true;
    fallback = "required";
    std::erase_if(schema.members, [](Member const& member) { return member.key == "default"; });  // there is none
    return std::move(*this);
  }
  Field otherwise(std::string what) && {
    fallback = std::move(what);
    return std::move(*this);
  }
};

template <class S, class T>
Field<S> field(char const* key, T S::*member, Format<T> const& of, char const* meaning, char const* example) {
  auto const format = shared(of);
  Field<S> f{key, false, format->type, format->unit, format->range, meaning, example, "", {}, {}, {}, format->document};
  f.read = [member, format](Node const& node, std::string const& path, S& into, Reading& reading) { format->read(node, path, into.*member, reading); };
  f.echo = [member, format](S const& from) { return format->echo(from.*member); };
  auto const fallback = f.echo(S{});
  auto const shown = fallback.kind != Node::Kind::null && !(fallback.members.empty() && fallback.text.empty());
  if (shown) f.fallback = to_flow(fallback);
  f.schema = annotated(format->schema, f.meaning, f.unit, shown ? fallback : Node(), f.example);
  return f;
}

template <class S, class T>
Field<S> field(char const* key, std::optional<T> S::*member, Format<T> const& of, char const* meaning, char const* example) {
  auto const format = shared(of);
  Format<std::optional<T>> optional{format->type, format->unit, format->range, {}, {}, format->schema, format->document};
  optional.read = [format](Node const& node, std::string const& path, std::optional<T>& into, Reading& reading) {
    format->read(node, path, into.emplace(), reading);
  };
  optional.echo = [format](std::optional<T> const& value) { return value ? format->echo(*value) : Node(); };
  return field(key, member, optional, meaning, example);
}

/// The format of a map with the given keys and no others. A member `Place place` of S is filled in.
template <class S>
Format<S> table(std::string const& title, std::string const& meaning, std::vector<Field<S>> of) {
  auto const all = std::make_shared<std::vector<Field<S>> const>(std::move(of));
  Format<S> format;
  format.type = "map: " + title;
  std::vector<std::string> keys;
  auto properties = Node::map();
  auto needed = Node::list();
  for (auto const& f : *all) {
    keys.push_back(f.key);
    properties.add(f.key, f.schema);
    if (f.is_required) needed.add(Node::quote(f.key));
  }
  format.schema = Node::map().add("type", Node::quote("object")).add("description", Node::quote(meaning)).add("properties", std::move(properties));
  if (!needed.members.empty()) format.schema.add("required", std::move(needed));
  format.schema.add("additionalProperties", Node::plain("false"));

  format.read = [all, keys](Node const& node, std::string const& path, S& into, Reading& reading) {
    if constexpr (requires { into.place = Place{}; }) into.place = {node.at, path};
    if (!is_map(node, path, reading)) return;
    for (auto const& member : node.members) {
      auto const i = static_cast<std::size_t>(std::find(keys.begin(), keys.end(), member.key) - keys.begin());
      if (i == keys.size())
        unknown_key(member, path, keys, reading);
      else
        (*all)[i].read(member.value, joined_key(path, member.key), into, reading);
    }
    for (auto const& f : *all)
      if (f.is_required && node.find(f.key) == nullptr)
        reading.refuse(node.at, joined_key(path, f.key), "this key is missing (" + f.meaning + "); add it, for example " + f.key + ": " + f.example);
  };
  format.echo = [all](S const& from) {
    auto node = Node::map();
    for (auto const& f : *all)
      if (auto value = f.echo(from); value.kind != Node::Kind::null) node.add(f.key, std::move(value));
    return node;
  };
  format.document = [all, title, meaning](std::string const& path, Docs& docs) {
    for (auto& known : docs)
      if (known.title == title) return known.paths.push_back(path);
    docs.push_back({title, meaning, {path}, {}});
    for (auto const& f : *all) docs.back().rows.push_back({f.key, f.type, f.unit, f.range, f.fallback, f.example, f.meaning});
    for (auto const& f : *all) f.document(joined_key(path, f.key), docs);
  };
  return format;
}

}  // namespace wattfill
