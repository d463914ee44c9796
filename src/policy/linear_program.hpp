#pragma once
#include <optional>
#include <vector>

namespace wattfill {

/// max gain . x with 0 <= x <= most and, for each row, sum of its entries x value <= limit.
struct LinearProgram {
  struct Entry {
    std::size_t row, column;
    double value;
  };
  std::vector<double> gain, most;  ///< per column
  std::vector<double> limit;       ///< per row
  std::vector<Entry> entries;      ///< no place twice
};

/// Built with a solver (GLPK).
bool have_solver();
/// The optimum; nothing without a solver or where it gives up.
std::optional<std::vector<double>> maximum(LinearProgram const& program);

}  // namespace wattfill
