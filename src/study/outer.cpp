#include "study/outer.hpp"

#include <algorithm>
#include <array>
#include <boost/random/uniform_int_distribution.hpp>
#include <cmath>
#include <map>
#include <mutex>
#include <tuple>

#include "wattfill/core/bytes.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/random.hpp"

namespace wattfill {
namespace {

/// What has a spread over curves.
constexpr std::array spread{score::objective, score::share_below_min, score::shortfall_w};

/// Their means, [policy][target][of spread], of one mix; empty where the resampled curves admit no belief (a fit through too few distinct points).
std::vector<double> means_of(StudySpec const& study, MixSpec const& mix, RunOptions const& options) {
  if (options.stop != nullptr && *options.stop) throw Interrupted();  // plans may take long to prepare
  try {
    Snapshot const snapshot(mix, study.policies, targets_of(study), study.belief, study.objective, study.seed, study.metering, study.racks);
    Snapshot::Worker worker(snapshot);
    auto const columns = snapshot.policies() * snapshot.targets();
    std::vector<double> scores, sums(columns * spread.size(), 0.0);
    for (std::uint64_t r = 0; r < snapshot.replications(); r += Snapshot::batch) {
      if (options.stop != nullptr && *options.stop) throw Interrupted();
      auto const some = std::min<std::uint64_t>(snapshot.replications() - r, Snapshot::batch);
      scores.resize(some * snapshot.scores_per_replication());
      snapshot.replicate(r, some, worker, scores);
      for (std::size_t i = 0; i < some * columns; ++i)
        for (std::size_t s = 0; s < spread.size(); ++s) sums[i % columns * spread.size() + s] += scores[i * snapshot.scores() + spread[s]];
    }
    for (auto& sum : sums) sum /= static_cast<double>(snapshot.replications());
    return sums;
  } catch (InputError const&) {
    return {};
  }
}

void keep(Pieces& pieces, std::uint64_t piece, std::vector<double> const& means) {
  std::string payload;
  ByteWriter(payload).doubles(means);
  pieces.keep(piece, payload);
}

std::vector<double> taken(Pieces& pieces, std::uint64_t piece, std::size_t columns) {
  auto const payload = pieces.take(piece).payload;
  std::vector<double> means(payload.empty() ? 0 : columns);
  ByteReader from(payload);
  if (!from.doubles(means) || from.left() > 0) refuse_payload(piece);
  return means;
}

/// 95 % range of the values that are numbers.
Estimate range(std::vector<double> values) {
  std::erase_if(values, [](double v) { return std::isnan(v); });
  if (values.size() < 2) return Estimate::none();
  double sum = 0;
  for (double v : values) sum += v;
  auto const mean = sum / static_cast<double>(values.size());
  return {mean, quantile(values, 0.025), quantile(values, 0.975)};
}

}  // namespace

MixSpec resample_clusters(MixSpec mix, std::uint64_t seed, std::uint64_t draw) {
  auto groups = std::vector<DrawGroup*>();
  for (auto& group : mix.draw) groups.push_back(&group);
  std::ranges::sort(groups, {}, &DrawGroup::name);  // the order of the file changes nothing
  CounterRandom random({seed, mix.name, draw, Stream::outer_clusters});
  for (auto* group : groups) {
    std::map<std::tuple<std::string, std::string>, std::vector<Curve const*>> clusters;
    for (auto const* curve : group->curves) clusters[{curve->model, curve->task}].push_back(curve);
    std::vector<std::vector<Curve const*>> list;
    for (auto& [key, curves] : clusters) {
      std::ranges::sort(curves, {}, &Curve::id);
      list.push_back(curves);
    }
    boost::random::uniform_int_distribution<std::size_t> pick(0, list.size() - 1);
    group->curves.clear();
    for (std::size_t i = 0; i < list.size(); ++i) {
      auto const& chosen = list[pick(random)];
      group->curves.insert(group->curves.end(), chosen.begin(), chosen.end());
    }
  }
  return mix;
}

void run_outer(StudySpec const& study, Executor const& executor, RunOptions const& options, std::uint64_t first_piece, StudyResult& result) {
  auto const draws = study.outer.draws;
  auto const columns = result.policies * result.targets;
  for (std::size_t m = 0; m < study.mixes.size(); ++m) {
    std::vector<std::vector<double>> means(draws);
    constexpr std::uint64_t wave = 32;  // draws between two looks at the progress
    for (std::uint64_t from = 0; from < draws; from += wave) {
      auto const until = std::min(draws, from + wave);
      std::vector<std::uint64_t> mine, kept;
      for (auto draw = from; draw < until; ++draw) {
        auto const task = options.pieces == nullptr ? Pieces::Task::compute : options.pieces->task(first_piece + m * draws + draw);
        if (task == Pieces::Task::compute) mine.push_back(draw);
        if (task == Pieces::Task::take) kept.push_back(draw);
      }
      executor.for_each(mine.size(), [&](std::size_t i, unsigned) {
        auto const draw = mine[i];
        auto const* mix = &study.mixes[m];
        if (!study.outer.members.empty()) {
          CounterRandom random({study.seed, "", draw, Stream::outer_library});
          boost::random::uniform_int_distribution<std::size_t> pick(0, study.outer.members.size() - 1);
          mix = &study.outer.members[pick(random)][m];
        }
        means[draw] = means_of(study, study.outer.clusters ? resample_clusters(*mix, study.seed, draw) : *mix, options);
      });
      for (auto draw : kept) means[draw] = taken(*options.pieces, first_piece + m * draws + draw, columns * spread.size());
      for (auto draw : mine)
        if (options.pieces != nullptr) keep(*options.pieces, first_piece + m * draws + draw, means[draw]);
      if (options.progress) options.progress((mine.size() + kept.size()) * (study.mixes[m].listed.empty() ? study.mixes[m].replications : 1));
    }
    std::erase_if(means, [](auto const& mean) { return mean.empty(); });
    auto& mix = result.mixes[m];
    mix.outer_used = means.size();
    for (std::size_t c = 0; c < columns; ++c) {
      std::vector<double> gap;
      std::array<std::vector<double>, spread.size()> values;
      auto const t = c % result.targets;
      for (auto const& mean : means) {
        auto const of = [&](std::size_t column, std::size_t s) { return mean[column * spread.size() + s]; };
        for (std::size_t s = 0; s < spread.size(); ++s) values[s].push_back(of(c, s));
        if (result.reference && result.oracle)
          gap.push_back(gap_closed(of(c, 0), of(*result.reference * result.targets + t, 0), of(*result.oracle * result.targets + t, 0)));
      }
      mix.objective_outer.push_back(range(values[0]));
      mix.below_min_outer.push_back(range(values[1]));
      mix.shortfall_outer.push_back(range(values[2]));
      mix.gap_closed_outer.push_back(range(gap));
    }
  }
}

}  // namespace wattfill
