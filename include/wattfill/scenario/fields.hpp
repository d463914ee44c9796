#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
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

/// How values of one type are written in a document: everything that reader, echo, schema and docs page know of it. `void*` points at a value of that type:
/// one code for all types, as a template for each combination of list, map and table takes minutes to compile. Format<T> is the face with types.
struct AnyFormat {
  std::string type;  ///< for the docs page
  std::string unit, range;
  std::function<void(Node const&, std::string const& key, void* into, Reading&)> reader;
  std::function<Node(void const*)> echoer;  ///< null: left out of the echo
  Node schema;
  std::function<void(std::string const& path, Docs&)> documenter;  ///< may be empty

  AnyFormat();
  AnyFormat(AnyFormat const&);
  AnyFormat(AnyFormat&&) noexcept;
  AnyFormat& operator=(AnyFormat const&);
  AnyFormat& operator=(AnyFormat&&) noexcept;
  ~AnyFormat();

  void document(std::string const& path, Docs&) const;
};
/// Functions of a format hold the formats inside of it by pointer: by value, each level would copy all levels below several times.
using SharedFormat = std::shared_ptr<AnyFormat const>;
SharedFormat shared(AnyFormat format);

template <class T>
struct Format : AnyFormat {
  Format() = default;
  explicit Format(AnyFormat any) : AnyFormat(std::move(any)) {}

  void read(Node const& node, std::string const& key, T& into, Reading& reading) const { reader(node, key, &into, reading); }
  Node echo(T const& value) const { return echoer(&value); }

  /// Sets how it is read: (Node const&, std::string const& key, T& into, Reading&) -> void.
  template <class F>
  void reads(F how) {
    reader = [how = std::move(how)](Node const& node, std::string const& key, void* into, Reading& reading) {
      how(node, key, *static_cast<T*>(into), reading);
    };
  }
  /// Sets how it is echoed: T const& -> Node.
  template <class F>
  void echoes(F how) {
    echoer = [how = std::move(how)](void const* value) { return how(*static_cast<T const*>(value)); };
  }
};

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
  format.reads([choices, names](Node const& node, std::string const& key, E& into, Reading& reading) {
    if (auto const i = chosen(node, key, names, reading)) into = choices[*i].value;
  });
  format.echoes([choices](E const& value) {
    for (auto const& c : choices)
      if (c.value == value) return Node::quote(c.name);
    return Node();
  });
  return format;
}

/// What code that does not know the type does with a vector.
struct ListAccess {
  void (*clear)(void*);
  void* (*append)(void*);
  std::size_t (*size)(void const*);
  void const* (*at)(void const*, std::size_t);
};
template <class T>
inline constexpr ListAccess list_access{[](void* list) { static_cast<std::vector<T>*>(list)->clear(); },
                                        [](void* list) -> void* { return &static_cast<std::vector<T>*>(list)->emplace_back(); },
                                        [](void const* list) { return static_cast<std::vector<T> const*>(list)->size(); },
                                        [](void const* list, std::size_t i) -> void const* { return &(*static_cast<std::vector<T> const*>(list))[i]; }};
AnyFormat any_list(SharedFormat const& item, ListAccess const&, std::size_t least, std::size_t most);

/// A list of `least` to `most` values.
template <class T>
Format<std::vector<T>> list_of(Format<T> const& of, std::size_t least = 0, std::size_t most = 1'000'000) {
  return Format<std::vector<T>>(any_list(shared(of), list_access<T>, least, most));
}

struct EntryHead {
  std::string const* name;
  void const* value;
};
struct MapAccess {
  void (*clear)(void*);
  void* (*append)(void*, std::string const& name, Place);
  std::size_t (*size)(void const*);
  EntryHead (*at)(void const*, std::size_t);
};
template <class T>
inline constexpr MapAccess map_access{[](void* map) { static_cast<std::vector<Named<T>>*>(map)->clear(); },
                                      [](void* map, std::string const& name, Place place) -> void* {
                                        auto& entry = static_cast<std::vector<Named<T>>*>(map)->emplace_back();
                                        entry.name = name;
                                        entry.place = std::move(place);
                                        return &entry.value;
                                      },
                                      [](void const* map) { return static_cast<std::vector<Named<T>> const*>(map)->size(); },
                                      [](void const* map, std::size_t i) {
                                        auto const& entry = (*static_cast<std::vector<Named<T>> const*>(map))[i];
                                        return EntryHead{&entry.name, &entry.value};
                                      }};
AnyFormat any_map(SharedFormat const& item, MapAccess const&, bool names_are_paths);

/// A map from names of the user's choice, kept in order.
template <class T>
Format<std::vector<Named<T>>> map_of(Format<T> const& of, bool names_are_paths = false) {
  return Format<std::vector<Named<T>>>(any_map(shared(of), map_access<T>, names_are_paths));
}

struct PlacedAccess {
  Place& (*place)(void*);
  void* (*value)(void*);
  void const* (*shown)(void const*);
};
template <class T>
inline constexpr PlacedAccess placed_access{[](void* placed) -> Place& { return static_cast<Placed<T>*>(placed)->place; },
                                            [](void* placed) -> void* { return &static_cast<Placed<T>*>(placed)->value; },
                                            [](void const* placed) -> void const* { return &static_cast<Placed<T> const*>(placed)->value; }};
AnyFormat any_placed(SharedFormat const& plain, PlacedAccess const&);

/// The same value, with its place kept.
template <class T>
Format<Placed<T>> placed(Format<T> const& of) {
  return Format<Placed<T>>(any_placed(shared(of), placed_access<T>));
}

struct OptionalAccess {
  void* (*emplace)(void*);
  void const* (*get)(void const*);  ///< nullptr: there is none
};
template <class T>
inline constexpr OptionalAccess optional_access{[](void* optional) -> void* { return &static_cast<std::optional<T>*>(optional)->emplace(); },
                                                [](void const* optional) -> void const* {
                                                  auto const& o = *static_cast<std::optional<T> const*>(optional);
                                                  return o ? &*o : nullptr;
                                                }};
AnyFormat any_optional(SharedFormat const& plain, OptionalAccess const&);

/// A value that has a short form (a single value or a list) beside its map. `widen` makes the whole of the short form, `narrow` gives the short form
/// where it says all there is, for the echo.
template <class T, class Short>
Format<T> with_short_form(Format<Short> const& short_form, Format<T> const& of, std::function<void(Short const&, Place const&, T&)> widen,
                          std::function<std::optional<Short>(T const&)> narrow) {
  auto const brief = shared(short_form);
  auto const full = shared(of);
  auto format = of;
  format.type = brief->type + " or " + full->type;
  if (format.range.empty()) format.range = brief->range;
  if (format.unit.empty()) format.unit = brief->unit;
  format.schema = Node::map().add("anyOf", Node::list().add(brief->schema).add(full->schema));
  format.reads([brief, full, widen](Node const& node, std::string const& key, T& into, Reading& reading) {
    if (node.kind == Node::Kind::map) return full->reader(node, key, &into, reading);
    Short value{};
    auto const before = reading.problems.size();
    brief->reader(node, key, &value, reading);
    if (reading.problems.size() == before) widen(value, {node.at, key}, into);
  });
  format.echoes([brief, full, narrow](T const& value) {
    auto const short_value = narrow(value);
    return short_value ? brief->echoer(&*short_value) : full->echoer(&value);
  });
  return format;
}

/// One key of a struct.
struct AnyField {
  std::string key;
  SharedFormat format;
  std::ptrdiff_t offset = 0;  ///< of the member in the struct [bytes]
  bool is_required = false;
  std::string meaning, example;
  std::string fallback;  ///< what holds when the key is absent, for the docs page
  Node schema;
};
using SharedField = std::shared_ptr<AnyField>;
/// `fresh` is the member of a struct that nothing was read into: its echo is the default.
SharedField any_field(std::string key, AnyFormat const& of, std::ptrdiff_t offset, void const* fresh, std::string meaning, std::string example);
void require(AnyField&);

/// One key of a struct S.
template <class S>
struct Field {
  SharedField any;

  Field required() && {
    require(*any);
    return std::move(*this);
  }
  Field otherwise(std::string what) && {
    any->fallback = std::move(what);
    return std::move(*this);
  }
};

/// A key for a part of S that is no member by itself, such as an element of an array: `part` lies inside of `fresh` (and not in memory that it points to).
template <class S, class T>
Field<S> field_at(std::string key, S const& fresh, T const& part, Format<T> const& of, std::string meaning, std::string example) {
  auto const offset = reinterpret_cast<char const*>(&part) - reinterpret_cast<char const*>(&fresh);
  WATTFILL_ASSERT(0 <= offset && static_cast<std::size_t>(offset) + sizeof(T) <= sizeof(S));
  return {any_field(std::move(key), of, offset, &part, std::move(meaning), std::move(example))};
}
template <class S, class T>
Field<S> field_at(std::string key, S const& fresh, std::optional<T> const& part, Format<T> const& of, std::string meaning, std::string example) {
  return field_at(std::move(key), fresh, part, Format<std::optional<T>>(any_optional(shared(of), optional_access<T>)), std::move(meaning), std::move(example));
}

template <class S, class M, class T>
Field<S> field(char const* key, M S::*member, Format<T> const& of, char const* meaning, char const* example) {
  S const fresh{};
  return field_at(key, fresh, fresh.*member, of, meaning, example);
}

/// `place` finds the member `Place place` of the struct, if it has one.
AnyFormat any_table(std::string const& title, std::string const& meaning, std::vector<SharedField> fields, Place& (*place)(void*));

/// The format of a map with the given keys and no others. A member `Place place` of S is filled in.
template <class S>
Format<S> table(std::string const& title, std::string const& meaning, std::vector<Field<S>> const& of) {
  std::vector<SharedField> fields;
  for (auto const& f : of) fields.push_back(f.any);
  Place& (*place)(void*) = nullptr;
  if constexpr (requires(S & s) { s.place = Place{}; }) place = [](void* s) -> Place& { return static_cast<S*>(s)->place; };
  return Format<S>(any_table(title, meaning, std::move(fields), place));
}

}  // namespace wattfill
