#include "wattfill/contract/meter_series.hpp"

#include <algorithm>

#include "wattfill/core/error.hpp"

namespace wattfill {

MeterSeries::MeterSeries(std::vector<Reading> readings, std::optional<double> reading_s) : readings_(std::move(readings)), reading_s_(reading_s) {
  WATTFILL_ASSERT(std::ranges::adjacent_find(readings_, [](Reading const& a, Reading const& b) { return !(a.at < b.at); }) == readings_.end());
}

Instant MeterSeries::end_of(std::size_t i) const {
  auto const at = readings_[i].at;
  if (i + 1 == readings_.size()) return at + reading_s_.value_or(i > 0 ? at - readings_[i - 1].at : 0);
  auto const next = readings_[i + 1].at;
  return reading_s_ ? std::min(next, at + *reading_s_) : next;
}

Metered MeterSeries::mean(Instant from, Instant to) const {
  if (!(from < to)) return {0, 1};
  auto const first = std::ranges::upper_bound(readings_, from, {}, &Reading::at);
  double energy = 0, seen = 0;
  for (auto i = static_cast<std::size_t>(first - readings_.begin()) - (first == readings_.begin() ? 0 : 1); i < readings_.size() && readings_[i].at < to; ++i) {
    auto const length = std::min(end_of(i), to) - std::max(readings_[i].at, from);
    if (!(length > 0)) continue;
    energy += readings_[i].watts * length;
    seen += length;
  }
  if (!(seen > 0)) return {};
  return {energy / seen, seen / (to - from)};
}

}  // namespace wattfill
