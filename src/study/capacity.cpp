#include "wattfill/study/capacity.hpp"

#include <algorithm>

#include "wattfill/core/bytes.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/study/quantile_ranks.hpp"

namespace wattfill {

Capacity::Capacity(StudySpec const& study, CapacitySpec spec, RowSink* next)
    : study_(study),
      spec_(std::move(spec)),
      next_(next),
      scores_(study.metering ? score::metered_count : score::count),
      watts_(study.metering ? score::meter_w : score::power_w) {
  WATTFILL_ASSERT(!study.cuts.empty() && study.cuts.front() == 0 && study.limits_w.empty());
  for (auto const& mix : study.mixes) given_.emplace_back(mix.listed.empty() ? mix.replications : 1);
}

void Capacity::format(std::size_t mix, std::uint64_t first, std::uint64_t count, std::span<double const> scores, RowText& text) const {
  auto const policies = study_.policies.size(), targets = study_.cuts.size(), losses = spec_.speed_losses.size();
  text.aside.clear();
  ByteWriter to(text.aside);
  to.number(mix);
  to.number(first);
  to.number(count);
  for (std::uint64_t r = 0; r < count; ++r) {
    Given given{0, std::vector<double>(policies * losses), std::vector<double>(policies * losses)};
    for (std::size_t p = 0; p < policies; ++p) {
      auto const at = [&](std::size_t t, std::size_t s) { return scores[((r * policies + p) * targets + t) * scores_ + s]; };
      auto const full = at(0, score::objective), uncapped_w = at(0, watts_);
      given.uncapped_w = uncapped_w;
      for (std::size_t l = 0; l < losses; ++l) {
        auto const least = (1 - spec_.speed_losses[l]) * full;
        std::size_t t = 1;
        while (t < targets && at(t, score::objective) >= least) ++t;
        auto w = at(t - 1, watts_);
        if (t < targets) {
          auto const above = at(t - 1, score::objective), below = at(t, score::objective);
          w += (above - least) / (above - below) * (at(t, watts_) - w);
        }
        given.reduction_w[p * losses + l] = uncapped_w - w;
        given.censored[p * losses + l] = t == targets && !(at(t - 1, score::shortfall_w) > 0) ? 1 : 0;  // at the floors nothing is left to give
      }
    }
    to.doubles({&given.uncapped_w, 1});
    to.doubles(given.reduction_w);
    to.doubles(given.censored);
  }
  RowText more;
  more.rows.swap(text.rows);
  if (next_ != nullptr) next_->format(mix, first, count, scores, more);
  to.text(more.aside);
  text.rows.swap(more.rows);
}

void Capacity::write(std::string_view aside, std::string_view rows) {
  ByteReader from(aside);
  auto const columns = study_.policies.size() * spec_.speed_losses.size();
  while (from.left() > 0) {  // one stretch of replications after the other
    std::uint64_t mix = 0, first = 0, count = 0;
    bool good = from.number(mix) && from.number(first) && from.number(count) && mix < given_.size() && first <= given_[mix].size() &&
                count <= given_[mix].size() - first;
    for (std::uint64_t r = 0; good && r < count; ++r) {
      Given given{0, std::vector<double>(columns), std::vector<double>(columns)};
      good = from.doubles({&given.uncapped_w, 1}) && from.doubles(given.reduction_w) && from.doubles(given.censored);
      given_[mix][first + r] = std::move(given);
    }
    std::string_view more;
    if (!good || !from.text(more)) throw InputError("what was kept of this study's promises does not fit it; remove it and run again");
    if (next_ != nullptr) next_->write(more, {});
  }
  if (next_ != nullptr) next_->write({}, rows);
}

std::vector<Promise> Capacity::promises() const {
  std::vector<Promise> all;
  auto const losses = spec_.speed_losses.size();
  for (std::size_t m = 0; m < given_.size(); ++m) {
    auto const& given = given_[m];
    auto const n = given.size();
    double uncapped_w = 0;
    for (auto const& g : given) uncapped_w += g.uncapped_w;
    for (std::size_t p = 0; p < study_.policies.size(); ++p)
      for (std::size_t l = 0; l < losses; ++l) {
        std::vector<double> reductions;
        double censored = 0;
        for (auto const& g : given) {
          reductions.push_back(g.reduction_w[p * losses + l]);
          censored += g.censored[p * losses + l];
        }
        std::ranges::sort(reductions);
        for (double const confidence : spec_.confidences) {
          Promise promise{m, p, spec_.speed_losses[l], confidence, n, uncapped_w / static_cast<double>(n), censored / static_cast<double>(n), {}};
          if (auto const ranks = quantile_ranks(n, 1 - confidence))
            promise.reduction_w = Estimate{reductions[ranks->estimate - 1], reductions[ranks->low - 1], reductions[ranks->high - 1]};
          all.push_back(promise);
        }
      }
  }
  return all;
}

}  // namespace wattfill
