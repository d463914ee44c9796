#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "wattfill/scenario/node.hpp"

namespace wattfill {

/// Bounds of one document; aliases count as what they stand for, so that a few lines cannot unfold into all of memory.
struct DocumentLimits {
  std::size_t bytes = std::size_t{16} << 20;
  std::size_t nodes = 1'000'000;
  std::size_t depth = 64;
};

/// Reads a YAML document strictly: UTF-8 with or without BOM, one document, no key twice, no tags, within the limits. Keys keep their order.
/// Throws InputError with file, line and column.
Node read_document(std::filesystem::path const& file, DocumentLimits const& limits = {});
Node parse_document(std::string text, std::string const& file_name, DocumentLimits const& limits = {});

/// Carries out `path.to.key=value` on a document: the value is YAML, lists are indexed by number from 0, missing maps are made, `null` takes the key
/// away. What follows `sweep.` or `samples.over.` is one key, itself a path. Everything it puts in is located at "--set path.to.key=value".
void set_value(Node& root, std::string_view assignment);
/// The same with a value at hand, whose locations stay.
void set_value(Node& root, std::string_view path, Node value, Location const& asked_at);

}  // namespace wattfill
