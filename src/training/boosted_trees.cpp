#include "wattfill/training/boosted_trees.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

constexpr std::size_t most_values = 256;

struct Bin {
  double weight = 0, sum = 0;
};

struct Split {
  int feature = -1;
  std::uint8_t most = 0;
  double gain = 1e-12;  // less is rounding
};

double score(Bin const& b, double lambda) { return b.sum * b.sum / (b.weight + lambda); }

/// The split of some rows that lowers the squared error most.
Split best_split(std::span<SettingRow const> rows, std::span<double const> residuals, std::span<double const> weights, std::span<std::size_t const> members,
                 double lambda) {
  Split best;
  Bin all;
  for (auto i : members) {
    all.weight += weights[i];
    all.sum += weights[i] * residuals[i];
  }
  auto const whole = score(all, lambda);
  for (std::size_t f = 0; f < rows.front().size(); ++f) {
    std::array<Bin, most_values> bins{};
    std::size_t last = 0;
    for (auto i : members) {
      auto& bin = bins[rows[i][f]];
      bin.weight += weights[i];
      bin.sum += weights[i] * residuals[i];
      last = std::max<std::size_t>(last, rows[i][f]);
    }
    Bin left;
    for (std::size_t v = 0; v < last; ++v) {
      if (bins[v].weight == 0) continue;
      left.weight += bins[v].weight;
      left.sum += bins[v].sum;
      Bin const right{all.weight - left.weight, all.sum - left.sum};
      auto const gain = score(left, lambda) + score(right, lambda) - whole;
      if (right.weight > 0 && gain > best.gain) best = {static_cast<int>(f), static_cast<std::uint8_t>(v), gain};
    }
  }
  return best;
}

}  // namespace

BoostedTrees::BoostedTrees(std::span<SettingRow const> rows, std::span<double const> values, std::span<double const> given, Shape const& shape) {
  if (rows.empty() || rows.size() != values.size() || (!given.empty() && given.size() != rows.size()))
    throw InputError("a surrogate needs as many values as settings, and at least one");
  std::vector<double> weights(given.begin(), given.end());
  if (weights.empty()) weights.assign(rows.size(), 1.0);
  double total = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    base_ += weights[i] * values[i];
    total += weights[i];
  }
  base_ /= total;
  std::vector<double> residuals(values.begin(), values.end());
  for (auto& r : residuals) r -= base_;
  for (int round = 0; round < shape.rounds; ++round) {
    grow(rows, residuals, weights, shape);
    for (std::size_t i = 0; i < rows.size(); ++i) residuals[i] -= leaf(roots_.size() - 1, rows[i]);
  }
}

void BoostedTrees::grow(std::span<SettingRow const> rows, std::span<double const> residuals, std::span<double const> weights, Shape const& shape) {
  struct Work {
    std::size_t branch;
    std::vector<std::size_t> members;
    int depth;
  };
  roots_.push_back(branches_.size());
  branches_.emplace_back();
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (weights[i] > 0) all.push_back(i);
  std::vector<Work> open{{roots_.back(), std::move(all), 0}};
  while (!open.empty()) {
    auto const work = std::move(open.back());
    open.pop_back();
    auto const split = work.depth < shape.depth ? best_split(rows, residuals, weights, work.members, shape.lambda) : Split{};
    if (split.feature < 0) {
      Bin bin;
      for (auto i : work.members) {
        bin.weight += weights[i];
        bin.sum += weights[i] * residuals[i];
      }
      branches_[work.branch].value = shape.rate * bin.sum / (bin.weight + shape.lambda);
      continue;
    }
    auto const first = branches_.size();
    branches_[work.branch] = {split.feature, split.most, static_cast<int>(first), 0};
    branches_.resize(first + 2);
    Work left{first, {}, work.depth + 1}, right{first + 1, {}, work.depth + 1};
    for (auto i : work.members) (rows[i][static_cast<std::size_t>(split.feature)] <= split.most ? left : right).members.push_back(i);
    open.push_back(std::move(right));
    open.push_back(std::move(left));
  }
}

double BoostedTrees::leaf(std::size_t tree, SettingRow const& row) const {
  auto at = roots_[tree];
  while (branches_[at].feature >= 0)
    at = static_cast<std::size_t>(branches_[at].children) + (row[static_cast<std::size_t>(branches_[at].feature)] <= branches_[at].most ? 0U : 1U);
  return branches_[at].value;
}

double BoostedTrees::predict(SettingRow const& row) const {
  auto sum = base_;
  for (std::size_t t = 0; t < roots_.size(); ++t) sum += leaf(t, row);
  return sum;
}

}  // namespace wattfill
