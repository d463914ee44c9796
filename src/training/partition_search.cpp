#include "wattfill/training/partition_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "wattfill/core/error.hpp"
#include "wattfill/core/fixed_math.hpp"
#include "wattfill/core/random.hpp"
#include "wattfill/training/boosted_trees.hpp"

namespace wattfill {
namespace {

constexpr double beyond_worst = 1.1, enough_gain = 1e-3;
constexpr int bootstraps = 5;

/// Uniform in 0 .. n-1 without bias.
std::size_t below(CounterRandom& random, std::size_t n) {
  auto const bound = static_cast<std::uint32_t>(n);
  auto const reject = (0U - bound) % bound;
  for (;;)
    if (auto const word = random(); word >= reject) return word % bound;
}

std::vector<std::size_t> shuffled(CounterRandom& random, std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[below(random, i)]);
  return order;
}

CounterRandom stream(std::uint64_t seed, char const* name) { return CounterRandom({seed, name, 0, Stream::partition_search}); }

/// Each setting by the numbers of its values.
std::vector<SettingRow> rows_of(std::vector<PartitionSetting> const& settings) {
  auto const values = [](PartitionSetting const& s) {
    return std::vector<double>{s.clock_mhz, static_cast<double>(s.start), static_cast<double>(s.end), static_cast<double>(s.sms), static_cast<double>(s.block)};
  };
  std::vector<std::set<double>> distinct(5);
  for (auto const& s : settings)
    for (std::size_t f = 0; f < distinct.size(); ++f) distinct[f].insert(values(s)[f]);
  for (auto const& d : distinct)
    if (d.size() > 256) throw InputError("a knob with " + std::to_string(d.size()) + " values; a search takes at most 256");
  std::vector<SettingRow> rows;
  for (auto const& s : settings) {
    SettingRow row;
    auto const of = values(s);
    for (std::size_t f = 0; f < distinct.size(); ++f) row.push_back(static_cast<std::uint8_t>(std::distance(distinct[f].begin(), distinct[f].find(of[f]))));
    rows.push_back(std::move(row));
  }
  return rows;
}

struct Prediction {
  double time_s, dynamic_j, doubt;
};

class Search {
 public:
  Search(std::vector<PartitionSetting> const& settings, std::function<PartitionCost(std::size_t)> const& measure, SearchSpec const& spec)
      : rows_(rows_of(settings)), measure_(measure), spec_(spec), random_(stream(spec.seed, "partition search")), measured_(settings.size(), false) {}

  std::vector<std::size_t> run() {
    auto const order = shuffled(random_, rows_.size());
    for (std::size_t i = 0; i < std::min(order.size(), static_cast<std::size_t>(spec_.size.start)); ++i) take(order[i]);
    int idle = 0;
    for (int batch = 0; batch < spec_.size.batches && taken_.size() < rows_.size() && idle < 2; ++batch) {
      auto const before = area();
      for (auto i : choose()) take(i);
      auto const gained = area() / before - 1;
      idle = spec_.stop_early && gained < enough_gain ? idle + 1 : 0;
    }
    return taken_;
  }

 private:
  void take(std::size_t i) {
    measured_[i] = true;
    taken_.push_back(i);
    costs_.push_back(measure_(i));
  }
  TwoObjectives reference(int pass) const {
    TwoObjectives worst{0, 0};
    for (auto const& c : costs_) {
      worst.first = std::max(worst.first, c.time_s);
      worst.second = std::max(worst.second, second(pass, c.time_s, c.dynamic_j(spec_.static_w)));
    }
    return {worst.first * beyond_worst, worst.second * beyond_worst};
  }
  /// What stands beside time in a pass: all energy, dynamic, static.
  double second(int pass, double time_s, double dynamic_j) const {
    auto const static_j = spec_.static_w * time_s;
    return pass == 0 ? static_j + dynamic_j : pass == 1 ? dynamic_j : static_j;
  }
  double area() const {
    ParetoFront front(reference(0));
    for (auto const& c : costs_) front.add({c.time_s, c.energy_j});
    return front.area();
  }

  /// Of every setting, by surrogates of what was measured.
  std::vector<Prediction> predict() {
    std::vector<SettingRow> rows;
    std::vector<double> times, dynamics;
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      rows.push_back(rows_[taken_[i]]);
      times.push_back(fixed_log(costs_[i].time_s));
      dynamics.push_back(fixed_log(std::max(costs_[i].dynamic_j(spec_.static_w), 1e-9 * costs_[i].energy_j)));
    }
    BoostedTrees const time(rows, times), dynamic(rows, dynamics);
    std::vector<Prediction> result;
    for (auto const& row : rows_) result.push_back({fixed_exp(time.predict(row)), fixed_exp(dynamic.predict(row)), 0});
    std::vector<double> sum(rows_.size() * 2, 0), squares = sum;
    for (int b = 0; b < bootstraps; ++b) {
      std::vector<double> weights(rows.size(), 0);
      for (std::size_t i = 0; i < rows.size(); ++i) weights[below(random_, rows.size())] += 1;
      BoostedTrees const t(rows, times, weights, {}), d(rows, dynamics, weights, {});
      for (std::size_t i = 0; i < rows_.size(); ++i)
        for (int which : {0, 1}) {
          auto const p = which == 0 ? t.predict(rows_[i]) : d.predict(rows_[i]);
          sum[2 * i + static_cast<std::size_t>(which)] += p;
          squares[2 * i + static_cast<std::size_t>(which)] += p * p;
        }
    }
    for (std::size_t i = 0; i < rows_.size(); ++i)  // variances of logarithms: relative
      for (std::size_t k : {2 * i, 2 * i + 1}) result[i].doubt += squares[k] / bootstraps - sum[k] / bootstraps * (sum[k] / bootstraps);
    return result;
  }

  std::vector<std::size_t> choose() {
    auto const predictions = predict();
    auto const size = static_cast<std::size_t>(spec_.size.per_batch);
    std::vector<std::size_t> chosen;
    auto free = measured_;
    auto const pick = [&](auto const& worth, std::size_t upto) {
      while (chosen.size() < upto) {
        std::size_t best = rows_.size();
        double most = 0;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
          if (free[i]) continue;
          auto const w = worth(i);
          if (best == rows_.size() || w > most) {
            best = i;
            most = w;
          }
        }
        if (best == rows_.size() || !(most > 0)) return most;
        free[best] = true;
        chosen.push_back(best);
        return most;
      }
      return 0.0;
    };
    auto const upto = [&](double share) { return static_cast<std::size_t>(std::lround(share * static_cast<double>(size))); };
    double const shares[]{0.4, 0.6, 0.8};
    for (int pass = 0; pass < 3; ++pass) {
      ParetoFront front(reference(pass));
      for (auto const& c : costs_) front.add({c.time_s, second(pass, c.time_s, c.dynamic_j(spec_.static_w))});
      auto const point = [&](std::size_t i) { return TwoObjectives{predictions[i].time_s, second(pass, predictions[i].time_s, predictions[i].dynamic_j)}; };
      while (chosen.size() < upto(shares[pass]) && pick([&](std::size_t i) { return front.improvement(point(i)); }, upto(shares[pass])) > 0)
        front.add(point(chosen.back()));
    }
    while (chosen.size() < size && pick([&](std::size_t i) { return predictions[i].doubt + 1e-300; }, size) > 0) {
    }
    return chosen;
  }

  std::vector<SettingRow> rows_;
  std::function<PartitionCost(std::size_t)> const& measure_;
  SearchSpec const& spec_;
  CounterRandom random_;
  std::vector<bool> measured_;
  std::vector<std::size_t> taken_;
  std::vector<PartitionCost> costs_;  // of those taken, in their order
};

}  // namespace

std::vector<std::size_t> search_partition(std::vector<PartitionSetting> const& settings, std::function<PartitionCost(std::size_t)> const& measure,
                                          SearchSpec const& spec) {
  if (settings.empty()) throw InputError("a partition without settings; give at least one");
  if (spec.size.start < 1 || spec.size.batches < 0 || spec.size.per_batch < 1)
    throw InputError("a search needs a start of at least 1 and batches of at least 1");
  return Search(settings, measure, spec).run();
}

std::vector<std::size_t> random_order(std::size_t settings, std::uint64_t seed) {
  auto random = stream(seed, "random search");
  return shuffled(random, settings);
}

std::vector<double> area_found(std::vector<PartitionCost> const& table, std::vector<std::size_t> const& order) {
  TwoObjectives worst{0, 0};
  for (auto const& c : table) worst = {std::max(worst.first, c.time_s), std::max(worst.second, c.energy_j)};
  TwoObjectives const reference{worst.first * beyond_worst, worst.second * beyond_worst};
  ParetoFront whole(reference), found(reference);
  for (auto const& c : table) whole.add({c.time_s, c.energy_j});
  std::vector<double> shares;
  for (auto i : order) {
    found.add({table[i].time_s, table[i].energy_j});
    shares.push_back(found.area() / whole.area());
  }
  return shares;
}

}  // namespace wattfill
