#pragma once
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "wattfill/scenario/fields.hpp"

namespace wattfill {

/// Reads an input file as a document, carries out what `--set` says, and refuses what is no map and what is of a newer format version. `what` it is, for
/// messages: "scenario"; `kinds`: those of our kinds of files that are wanted here. Throws InputError.
Node read_input(std::filesystem::path const& file, std::vector<std::string> const& sets, std::string const& what, std::initializer_list<std::string_view> kinds);

/// The fields of a document by their table of keys. Throws InputError that lists every mistake found.
template <class Fields>
Fields read_fields(Format<Fields> const& format, Node const& document) {
  Fields fields;
  Reading reading;
  format.read(document, "", fields, reading);
  reading.finish();
  return fields;
}

}  // namespace wattfill
