#pragma once
#include <string>
#include <vector>

#include "wattfill/core/text.hpp"
#include "wattfill/study/study.hpp"

namespace wattfill {

/// The `cut` cell of a target: empty where the target is a limit in watts.
inline std::string cut_cell(Target const& target) { return target.kind == Target::Kind::cut ? number_text(target.value) : std::string(); }

/// ",a,b": cells that follow others.
inline std::string more_cells(std::vector<std::string> const& cells) {
  std::string text;
  for (auto const& cell : cells) text += "," + csv_cell(cell);
  return text;
}

}  // namespace wattfill
