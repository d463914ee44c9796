#include "wattfill/sim/limit_events.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <string>

#include "wattfill/core/error.hpp"
#include "wattfill/core/fixed_math.hpp"
#include "wattfill/core/normal_random.hpp"
#include "wattfill/core/random.hpp"

namespace wattfill {
namespace {

constexpr double forever = std::numeric_limits<double>::infinity();
constexpr std::size_t most_events = 1'000'000;

/// Uniform in [0, 1) with 53 random bits.
double uniform(CounterRandom& words) {
  auto const high = words() >> 5, low = words() >> 6;
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

/// At every x the highest (or lowest) value of the steps in [x - back_s, x + ahead_s].
std::vector<LimitStep> extreme_in_window(std::span<LimitStep const> steps, double back_s, double ahead_s, bool highest) {
  if (steps.empty()) return {};
  std::vector<double> times;
  for (auto const& step : steps) {
    times.push_back(step.time_s - ahead_s);
    times.push_back(step.time_s + back_s);
  }
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  std::vector<LimitStep> result;
  std::deque<std::size_t> best;  // values that may still be the extreme, which is in front; 0: before the first step, i: step i - 1
  auto const value = [&](std::size_t i) { return i > 0 ? steps[i - 1].limit_w : steps.front().time_s <= 0 ? steps.front().limit_w : forever; };
  auto const end = [&](std::size_t i) { return i < steps.size() ? steps[i].time_s : forever; };
  std::size_t next = 0;
  for (double x : times) {
    for (; next <= steps.size() && (next == 0 || steps[next - 1].time_s - ahead_s <= x); ++next) {
      while (!best.empty() && (highest ? value(best.back()) <= value(next) : value(best.back()) >= value(next))) best.pop_back();
      best.push_back(next);
    }
    while (end(best.front()) + back_s <= x) best.pop_front();
    auto const now = value(best.front());
    if (result.empty() ? now < forever : now != result.back().limit_w) result.push_back({x, now});
  }
  return result;
}

}  // namespace

std::vector<LimitStep> draw_limit(LimitEventsSpec const& spec, std::uint64_t seed, std::uint64_t replication) {
  CounterRandom words({seed, "limit", replication, Stream::limit_events});
  NormalRandom normal({seed, "limit", replication, Stream::limit_lengths});
  auto const sigma = spec.mean_s > spec.median_s ? std::sqrt(2 * fixed_log(spec.mean_s / spec.median_s)) : 0.0;  // mean = median x exp(sigma^2 / 2)
  std::vector<LimitStep> limit{{0, spec.base_w}};
  for (double t = 0;;) {
    t -= spec.mean_gap_s * fixed_log(1 - uniform(words));
    if (!(t < spec.until_s)) return limit;
    if (limit.size() > 2 * most_events)
      throw InputError({{}, "limit.random", "there are more than a million events; raise mean_gap_s, or end them earlier (until_s)"});
    auto const cut = spec.cut_low + (spec.cut_high - spec.cut_low) * uniform(words);
    limit.push_back({t, spec.base_w * (1 - cut)});
    t += sigma > 0 ? spec.median_s * fixed_exp(sigma * normal()) : spec.median_s;
    limit.push_back({t, spec.base_w});
  }
}

std::vector<LimitStep> owed_limit(std::span<LimitStep const> announced, LimitTerms const& terms) {
  if (terms.ramp_s == 0) return {announced.begin(), announced.end()};
  return extreme_in_window(announced, terms.ramp_s, 0, true);
}

std::vector<LimitStep> aimed_limit(std::span<LimitStep const> announced, LimitTerms const& terms) {
  if (terms.lead_s == 0) return {announced.begin(), announced.end()};
  return terms.lead_s > 0 ? extreme_in_window(announced, 0, terms.lead_s, false) : extreme_in_window(announced, -terms.lead_s, 0, true);
}

}  // namespace wattfill
