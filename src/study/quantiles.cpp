#include "wattfill/study/quantiles.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

constexpr unsigned mantissa_bits = 52;

/// Numbers in the order of the doubles; both zeros are one.
std::int64_t rank_of(double x) {
  auto const bits = std::bit_cast<std::int64_t>(x == 0 ? 0.0 : x);
  return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}
double value_of(std::int64_t rank) { return std::bit_cast<double>(rank >= 0 ? rank : std::numeric_limits<std::int64_t>::min() - rank); }

}  // namespace

void ValueCounts::add(double x, std::uint64_t times) {
  if (std::isnan(x)) {
    has_nan_ = true;
    return;
  }
  count_ += times;
  bins_[rank_of(x) >> dropped_] += times;
  while (bins_.size() > most_bins) widen();
}

void ValueCounts::add(ValueCounts const& others) {
  has_nan_ = has_nan_ || others.has_nan_;
  count_ += others.count_;
  while (dropped_ < others.dropped_) widen();
  for (auto const& [bin, times] : others.bins_) bins_[bin >> (dropped_ - others.dropped_)] += times;
  while (bins_.size() > most_bins) widen();
}

void ValueCounts::widen() {
  std::map<std::int64_t, std::uint64_t> wider;
  for (auto const& [bin, times] : bins_) wider[bin >> 1] += times;
  bins_ = std::move(wider);
  ++dropped_;
}

double ValueCounts::quantile(double q) const {
  if (count_ == 0 || has_nan_) return std::numeric_limits<double>::quiet_NaN();
  auto const rank = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::ceil(q * static_cast<double>(count_) - 1e-9)), 1, count_);
  std::uint64_t below = 0;
  for (auto const& [bin, times] : bins_) {
    below += times;
    if (below < rank) continue;
    auto const first = value_of(bin << dropped_);
    if (dropped_ == 0) return first;
    auto const last = value_of((bin << dropped_) + ((std::int64_t{1} << dropped_) - 1));
    return first + (last - first) / 2;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

double ValueCounts::relative_error() const {
  return dropped_ == 0 ? 0 : std::bit_cast<double>((1023 + static_cast<std::uint64_t>(dropped_) - mantissa_bits - 1) << mantissa_bits);  // 2^(dropped - 53)
}

void ValueCounts::save(ByteWriter& to) const {
  to.number(dropped_);
  to.number(has_nan_ ? 1 : 0);
  to.number(bins_.size());
  for (auto const& [bin, times] : bins_) {
    to.number(static_cast<std::uint64_t>(bin));
    to.number(times);
  }
}

bool ValueCounts::load(ByteReader& from) {
  std::uint64_t dropped = 0, nan = 0, size = 0;
  if (!from.number(dropped) || !from.number(nan) || !from.number(size) || dropped > mantissa_bits || nan > 1 || size > most_bins) return false;
  *this = {};
  dropped_ = static_cast<unsigned>(dropped);
  has_nan_ = nan == 1;
  for (std::uint64_t i = 0; i < size; ++i) {
    std::uint64_t bin = 0, times = 0;
    if (!from.number(bin) || !from.number(times)) return false;
    bins_[static_cast<std::int64_t>(bin)] += times;
    count_ += times;
  }
  return true;
}

Quantiles::Quantiles(StudySpec const& study, RowSink* next)
    : next_(next),
      policies_(study.policies.size()),
      targets_(targets_of(study).size()),
      scores_(study.metering ? score::metered_count : score::count),
      counts_(study.mixes.size(), std::vector<ValueCounts>(policies_ * targets_ * scores_)) {}

void Quantiles::format(std::size_t mix, std::uint64_t first, std::uint64_t count, std::span<double const> scores, RowText& text) const {
  text.aside.clear();
  ByteWriter to(text.aside);
  to.number(mix);
  auto const columns = policies_ * targets_ * scores_;
  for (std::size_t c = 0; c < columns; ++c) {
    ValueCounts counts;
    for (std::uint64_t r = 0; r < count; ++r) counts.add(scores[r * columns + c]);
    counts.save(to);
  }
  RowText more;
  more.rows.swap(text.rows);
  if (next_ != nullptr) next_->format(mix, first, count, scores, more);
  to.text(more.aside);
  text.rows.swap(more.rows);
}

void Quantiles::write(std::string_view aside, std::string_view rows) {
  ByteReader from(aside);
  while (from.left() > 0) {  // one stretch of replications after the other
    std::uint64_t mix = 0;
    bool good = from.number(mix) && mix < counts_.size();
    for (std::size_t c = 0; good && c < counts_[mix].size(); ++c) {
      ValueCounts counts;
      good = counts.load(from);
      counts_[mix][c].add(counts);
    }
    std::string_view more;
    if (!good || !from.text(more)) throw InputError("what was kept of this study's quantiles does not fit it; remove it and run again");
    if (next_ != nullptr) next_->write(more, {});
  }
  if (next_ != nullptr) next_->write({}, rows);
}

}  // namespace wattfill
