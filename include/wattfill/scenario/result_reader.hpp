#pragma once
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wattfill/scenario/node.hpp"

namespace wattfill {

/// What a result folder says of itself in its manifest.json.
struct ResultInfo {
  std::filesystem::path folder;
  std::string name, kind, version, seed;   ///< kind: snapshot, timeline or campaign
  std::vector<std::string> sweep_columns;  ///< key paths
  std::vector<std::string> outputs;        ///< files of the folder
  Node manifest;                           ///< the whole of it

  bool has(std::string_view file) const;
};

/// Throws InputError where the folder is none of ours, or holds a run that did not end.
ResultInfo read_result_info(std::filesystem::path const& folder);

/// Walks over a CSV file that may be larger than memory, row by row. `row` gets the cells of each row after the header.
/// Throws InputError with file and line for a row of another length than the header's, or a quoted cell that is never closed.
using CellsRow = std::function<void(std::span<std::string_view const> cells)>;
void for_each_row(std::filesystem::path const& file, std::function<void(std::span<std::string_view const> header)> const& header, CellsRow const& row);

/// The number of a result cell: NaN where it is empty. Throws InputError where it is no number.
double result_number(std::string_view cell, std::filesystem::path const& file);

}  // namespace wattfill
