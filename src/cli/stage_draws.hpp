#pragma once
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "wattfill/scenario/scenario.hpp"
#include "wattfill/study/study.hpp"

namespace wattfill::cli {

/// What each stage draws of every job in `allocations` that is one of `training:` on its frontier. Jobs on GPUs that differ (`silicon:`) are left out: their
/// draws are not the frontier's.
class StageDraws {
 public:
  StageDraws(Scenario const& scenario, std::span<MixAllocation const> allocations);
  /// nullptr where that is not known.
  std::vector<double> const* of(Allocation const& given) const;

 private:
  using Key = std::tuple<std::string, std::string, double>;  ///< library, curve, draw of one GPU
  std::map<Key, std::vector<double>> stages_;
};

}  // namespace wattfill::cli
