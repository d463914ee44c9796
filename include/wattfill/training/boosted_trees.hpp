#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace wattfill {

/// Settings to learn over: every feature has few distinct values, so a row is the numbers of its values (0, 1, ... in rising order).
using SettingRow = std::vector<std::uint8_t>;

/// Gradient-boosted regression trees on squared error (Friedman 2001; second-order form and shrinkage of leaves as XGBoost, arXiv:1603.02754): depth
/// 6, 100 rounds, learning rate 0.3, lambda 1, the settings that Kareus's search uses. The same rows give the same bits.
class BoostedTrees {
 public:
  struct Shape {
    int rounds = 100, depth = 6;
    double rate = 0.3, lambda = 1;
  };
  /// `weights`: how often each row counts (a bootstrap's draw); empty: once each. Throws InputError without rows or where lengths differ.
  BoostedTrees(std::span<SettingRow const> rows, std::span<double const> values, std::span<double const> weights, Shape const& shape);
  BoostedTrees(std::span<SettingRow const> rows, std::span<double const> values) : BoostedTrees(rows, values, {}, Shape{}) {}

  double predict(SettingRow const& row) const;

 private:
  struct Branch {
    int feature = -1;       ///< -1: a leaf
    std::uint8_t most = 0;  ///< rows with at most this value go to the first child
    int children = 0;       ///< index of the first; the second follows
    double value = 0;       ///< of a leaf
  };
  void grow(std::span<SettingRow const> rows, std::span<double const> residuals, std::span<double const> weights, Shape const& shape);
  double leaf(std::size_t tree, SettingRow const& row) const;

  double base_ = 0;
  std::vector<Branch> branches_;
  std::vector<std::size_t> roots_;
};

}  // namespace wattfill
