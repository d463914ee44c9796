#include "wattfill/workload/mix.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "wattfill/core/error.hpp"
#include "wattfill/core/random.hpp"

namespace wattfill {
namespace {

struct Share {
  JobClass cls;
  double share;  // count, or probability
};

/// What the group's weight means as a share of the jobs in a mix, before normalising.
double job_share(DrawGroup const& group, Weighting weighting) {
  switch (weighting) {
    case Weighting::arrivals: return group.weight;
    case Weighting::in_service: return group.weight * group.mean_duration_s;
    case Weighting::gpu_time: {
      double gpus = 0;
      for (auto const* curve : group.curves) gpus += curve->gpus;
      return group.weight / (gpus / static_cast<double>(group.curves.size()));
    }
  }
  return 0;
}

bool before(JobClass const& a, JobClass const& b) {
  if (a.curve != b.curve) {
    auto const left = a.curve->id(), right = b.curve->id();
    if (left != right) return left < right;
  }
  return a.terms < b.terms;
}

/// Equal classes summed, in canonical order.
std::vector<Share> merged(std::vector<Share> shares) {
  std::ranges::stable_sort(shares, [](Share const& a, Share const& b) { return before(a.cls, b.cls) || (!before(b.cls, a.cls) && a.share < b.share); });
  std::vector<Share> sums;
  for (auto const& s : shares) {
    if (!sums.empty() && !before(sums.back().cls, s.cls))
      sums.back().share += s.share;
    else
      sums.push_back(s);
  }
  return sums;
}

}  // namespace

Mix::Mix(MixSpec const& spec) : replications_(spec.replications) {
  std::vector<Share> shares;
  for (auto const& entry : spec.listed) {
    if (entry.count > 0) shares.push_back({{entry.curve, entry.terms}, static_cast<double>(entry.count)});
  }
  bool const listed = !shares.empty();
  if (!listed) {
    if (replications_ == 0) throw InputError({{}, "mixes." + spec.name, "the mix has no replications; ask for at least one"});
    double total = 0;
    auto groups = spec.draw;
    std::erase_if(groups, [](DrawGroup const& g) { return g.curves.empty() || !(g.weight > 0); });
    std::ranges::stable_sort(groups, {}, &DrawGroup::name);  // sums in one order, whatever the file's
    for (auto const& group : groups) total += job_share(group, spec.weighting);
    if (!(total > 0) || !std::isfinite(total))
      throw InputError({{}, "mixes." + spec.name, "nothing can be drawn (no group has both a curve and a positive weight); give one group a weight above 0"});
    for (auto const& group : groups)
      for (auto const* curve : group.curves)
        shares.push_back({{curve, group.terms}, job_share(group, spec.weighting) / total / static_cast<double>(group.curves.size())});
    jobs_ = spec.jobs;
  }
  for (auto const& s : merged(std::move(shares))) {
    classes_.push_back(s.cls);
    (listed ? listed_ : probabilities_).push_back(s.share);
    if (listed) jobs_ += static_cast<std::uint64_t>(s.share);
  }
  constexpr std::size_t most_classes = 1000;
  if (classes_.size() > most_classes)
    throw InputError({{},
                      "mixes." + spec.name,
                      "the mix can draw " + std::to_string(classes_.size()) + " different classes of jobs, " + std::to_string(most_classes) +
                          " are possible (the tables of its policies grow with their square); narrow where, or split the study"});
  if (jobs_ == 0) throw InputError({{}, "mixes." + spec.name, "the mix has no jobs; ask for at least one"});
  if (listed) return;

  // Alias table: columns of height 1/n, each shared by at most two classes.
  auto const n = classes_.size();
  columns_.resize(n);
  std::vector<double> height(n);
  std::vector<std::size_t> small, large;
  for (std::size_t c = n; c-- > 0;) {
    height[c] = probabilities_[c] * static_cast<double>(n);
    (height[c] < 1 ? small : large).push_back(c);
  }
  while (!small.empty() && !large.empty()) {
    auto const s = small.back(), l = large.back();
    small.pop_back();
    columns_[s] = {static_cast<std::uint32_t>(std::min(height[s] * 4294967296.0, 4294967295.0)), static_cast<std::uint32_t>(l)};
    height[l] -= 1 - height[s];
    if (height[l] < 1) {
      large.pop_back();
      small.push_back(l);
    }
  }
  for (auto const& rest : {small, large})
    for (auto c : rest) columns_[c] = {4294967295U, static_cast<std::uint32_t>(c)};
}

void Mix::count(std::uint64_t key, std::uint64_t replication, std::span<double> counts, std::vector<std::uint32_t>& scratch) const {
  WATTFILL_ASSERT(counts.size() == classes_.size());
  if (!drawn()) {
    std::ranges::copy(listed_, counts.begin());
    return;
  }
  auto const words = (jobs_ + 31) / 32 * 32;
  auto const n = classes_.size();
  scratch.resize(words + n);
  auto const tally = std::span(scratch).last(n);
  std::ranges::fill(tally, 0U);
  fill_random(key, replication, Stream::jobs, std::span(scratch).first(words));
  for (std::uint64_t j = 0; j < jobs_; ++j) {
    // The word as a uniform number in [0, 1) times n: its whole part is the column, its fraction decides within the column.
    auto const scaled = scratch[j] * static_cast<std::uint64_t>(n);
    auto const column = static_cast<std::uint32_t>(scaled >> 32U);
    auto const own = static_cast<std::uint32_t>(scaled) < columns_[column].threshold;
    auto const other = own ? 0U : 0xFFFFFFFFU;  // no branch: it would be guessed wrong as often as not
    ++tally[column ^ ((column ^ columns_[column].alias) & other)];
  }
  for (std::size_t c = 0; c < n; ++c) counts[c] = tally[c];
}

}  // namespace wattfill
