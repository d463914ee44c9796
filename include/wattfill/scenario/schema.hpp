#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace wattfill {

/// Formats that have a schema: scenario, curves, pipeline, campaign, contract.
std::vector<std::string> schema_names();

/// JSON Schema (draft 2020-12) of a format, from the same tables that the readers use. Throws InputError for an unknown name.
std::string schema_text(std::string_view name);

/// The generated page of scenarios/: every key with meaning, unit, range, default and example.
std::string keys_page();

}  // namespace wattfill
