#pragma once
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "wattfill/scenario/csv.hpp"
#include "wattfill/training/cost_model.hpp"
#include "wattfill/training/pipeline.hpp"

namespace wattfill::test {

/// Of every stage and direction.
using Profiles = std::map<std::pair<int, Direction>, std::vector<ProfilePoint>>;

inline Profiles read_profiles(std::filesystem::path const& file) {
  auto const table = CsvTable::read(file);
  auto const stage = table.column("stage"), instruction = table.column("instruction"), clock = table.column("frequency");
  auto const time = table.column("time"), energy = table.column("energy");
  Profiles profiles;
  for (std::size_t row = 0; row < table.rows(); ++row)
    profiles[{static_cast<int>(table.number(row, stage)), table.text(row, instruction) == "forward" ? Direction::forward : Direction::backward}].push_back(
        {table.number(row, clock), table.number(row, time), table.number(row, energy)});
  return profiles;
}

inline std::vector<StageCost> fitted_costs(Profiles const& profiles, double tau_s, double blocking_w) {
  std::vector<StageCost> costs;
  for (auto const& [kind, profile] : profiles) costs.push_back({kind.first, kind.second, fitted_cost_curve(useful_options(profile, tau_s, blocking_w))});
  return costs;
}

}  // namespace wattfill::test
