// Formats made of formats (lists, maps, tables), for any type of value.
#include <algorithm>

#include "wattfill/scenario/fields.hpp"

namespace wattfill {

AnyFormat::AnyFormat() = default;
AnyFormat::AnyFormat(AnyFormat const&) = default;
AnyFormat::AnyFormat(AnyFormat&&) noexcept = default;
AnyFormat& AnyFormat::operator=(AnyFormat const&) = default;
AnyFormat& AnyFormat::operator=(AnyFormat&&) noexcept = default;
AnyFormat::~AnyFormat() = default;

void AnyFormat::document(std::string const& path, Docs& docs) const {
  if (documenter) documenter(path, docs);
}

SharedFormat shared(AnyFormat format) { return std::make_shared<AnyFormat const>(std::move(format)); }

AnyFormat any_list(SharedFormat const& item, ListAccess const& access, std::size_t least, std::size_t most) {
  AnyFormat format;
  format.type = "list of " + item->type;
  format.unit = item->unit;
  format.range = item->range;
  format.schema = Node::map()
                      .add("type", Node::quote("array"))
                      .add("items", item->schema)
                      .add("minItems", Node::plain(std::to_string(least)))
                      .add("maxItems", Node::plain(std::to_string(most)));
  format.reader = [item, &access, least, most](Node const& node, std::string const& key, void* into, Reading& reading) {
    if (!is_list(node, key, reading) || !in_length(node, key, least, most, reading)) return;
    access.clear(into);
    for (std::size_t i = 0; i < node.members.size(); ++i) item->reader(node.members[i].value, joined_key(key, std::to_string(i)), access.append(into), reading);
  };
  format.echoer = [item, &access, least](void const* values) {
    auto node = Node::list();
    for (std::size_t i = 0; i < access.size(values); ++i) node.add(item->echoer(access.at(values, i)));
    return node.members.empty() && least > 0 ? Node() : node;  // a list that was not given: written as empty it would be refused
  };
  format.documenter = [item](std::string const& path, Docs& docs) { item->document(path + ".N", docs); };
  return format;
}

AnyFormat any_map(SharedFormat const& item, MapAccess const& access, bool names_are_paths) {
  AnyFormat format;
  format.type = "map from name to " + item->type;
  format.unit = item->unit;
  format.range = item->range;
  format.schema = Node::map().add("type", Node::quote("object")).add("additionalProperties", item->schema);
  format.reader = [item, &access, names_are_paths](Node const& node, std::string const& key, void* into, Reading& reading) {
    if (!is_map(node, key, reading)) return;
    access.clear(into);
    for (auto const& member : node.members) {
      auto const path = joined_key(key, member.key);
      if (!names_are_paths && !checked_name(member.key, member.key_at, path, reading)) continue;
      item->reader(member.value, path, access.append(into, member.key, {member.key_at, path}), reading);
    }
  };
  format.echoer = [item, &access](void const* entries) {
    auto node = Node::map();
    for (std::size_t i = 0; i < access.size(entries); ++i) {
      auto const entry = access.at(entries, i);
      node.add(*entry.name, item->echoer(entry.value));
    }
    return node.members.empty() ? Node() : node;
  };
  format.documenter = [item](std::string const& path, Docs& docs) { item->document(path + ".NAME", docs); };
  return format;
}

AnyFormat any_placed(SharedFormat const& plain, PlacedAccess const& access) {
  auto format = *plain;
  format.reader = [plain, &access](Node const& node, std::string const& key, void* into, Reading& reading) {
    access.place(into) = {node.at, key};
    plain->reader(node, key, access.value(into), reading);
  };
  format.echoer = [plain, &access](void const* value) { return plain->echoer(access.shown(value)); };
  return format;
}

AnyFormat any_optional(SharedFormat const& plain, OptionalAccess const& access) {
  auto format = *plain;
  format.reader = [plain, &access](Node const& node, std::string const& key, void* into, Reading& reading) {
    plain->reader(node, key, access.emplace(into), reading);
  };
  format.echoer = [plain, &access](void const* value) {
    auto const* there = access.get(value);
    return there == nullptr ? Node() : plain->echoer(there);
  };
  return format;
}

SharedField any_field(std::string key, AnyFormat const& of, std::ptrdiff_t offset, void const* fresh, std::string meaning, std::string example) {
  auto const fallback = of.echoer(fresh);
  auto const is_shown = fallback.kind != Node::Kind::null && !(fallback.members.empty() && fallback.text.empty());
  auto schema = annotated(of.schema, meaning, of.unit, is_shown ? fallback : Node(), example);
  return std::make_shared<AnyField>(AnyField{std::move(key), shared(of), offset, false, std::move(meaning), std::move(example),
                                             is_shown ? to_flow(fallback) : std::string(), std::move(schema)});
}

void require(AnyField& field) {
  field.is_required = true;
  field.fallback = "required";
  std::erase_if(field.schema.members, [](Member const& member) { return member.key == "default"; });  // there is none
}

AnyFormat any_table(std::string const& title, std::string const& meaning, std::vector<SharedField> of, Place& (*place)(void*)) {
  auto const fields = std::make_shared<std::vector<SharedField> const>(std::move(of));
  AnyFormat format;
  format.type = "map: " + title;
  std::vector<std::string> keys;
  auto properties = Node::map();
  auto needed = Node::list();
  for (auto const& f : *fields) {
    keys.push_back(f->key);
    properties.add(f->key, f->schema);
    if (f->is_required) needed.add(Node::quote(f->key));
  }
  format.schema = Node::map().add("type", Node::quote("object")).add("description", Node::quote(meaning)).add("properties", std::move(properties));
  if (!needed.members.empty()) format.schema.add("required", std::move(needed));
  format.schema.add("additionalProperties", Node::plain("false"));

  format.reader = [fields, keys, place](Node const& node, std::string const& path, void* into, Reading& reading) {
    if (place != nullptr) place(into) = {node.at, path};
    if (!is_map(node, path, reading)) return;
    for (auto const& member : node.members) {
      auto const i = static_cast<std::size_t>(std::find(keys.begin(), keys.end(), member.key) - keys.begin());
      if (i == keys.size()) {
        unknown_key(member, path, keys, reading);
        continue;
      }
      auto const& f = *(*fields)[i];
      f.format->reader(member.value, joined_key(path, member.key), static_cast<char*>(into) + f.offset, reading);
    }
    for (auto const& f : *fields)
      if (f->is_required && node.find(f->key) == nullptr)
        reading.refuse(node.at, joined_key(path, f->key), "this key is missing (" + f->meaning + "); add it, for example " + f->key + ": " + f->example);
  };
  format.echoer = [fields](void const* from) {
    auto node = Node::map();
    for (auto const& f : *fields)
      if (auto value = f->format->echoer(static_cast<char const*>(from) + f->offset); value.kind != Node::Kind::null) node.add(f->key, std::move(value));
    return node;
  };
  format.documenter = [fields, title, meaning](std::string const& path, Docs& docs) {
    for (auto& known : docs)
      if (known.title == title) return known.paths.push_back(path);
    docs.push_back({title, meaning, {path}, {}});
    for (auto const& f : *fields) docs.back().rows.push_back({f->key, f->format->type, f->format->unit, f->format->range, f->fallback, f->example, f->meaning});
    for (auto const& f : *fields) f->format->document(joined_key(path, f->key), docs);
  };
  return format;
}

}  // namespace wattfill
