#include "wattfill/study/regression.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "wattfill/core/sha256.hpp"
#include "wattfill/flexibility/rank_statistics.hpp"

namespace wattfill {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// Whether a record left its tolerance; `rows` of the same metric are tested together.
bool moved(MetricRecord const& before, MetricRecord const& after, Tolerance const& tolerance, double p, double rows) {
  if (before.digest == after.digest && before.count == after.count) return false;
  auto const allowed = tolerance.absolute.value_or(0) + tolerance.relative.value_or(0) * std::fabs(before.mean);
  if (std::isnan(before.mean) != std::isnan(after.mean)) return true;
  if (!(allowed > 0) && !tolerance.significance) return true;
  if (std::isnan(before.mean) || std::fabs(after.mean - before.mean) <= allowed) return false;
  return !tolerance.significance || std::isnan(p) || p * rows < *tolerance.significance;
}

}  // namespace

void MetricRecorder::add(std::string_view text, double value) {
  texts_ += text;
  texts_ += '\n';
  values_.push_back(value);
}

MetricRecord MetricRecorder::record(std::vector<std::string> key, std::string metric) const {
  MetricRecord record{std::move(key), std::move(metric), values_.size(), 0, sha256(texts_).substr(0, 16), {}};
  auto const batches = std::min(values_.size(), most_batches);
  std::vector<double> sums(batches), counts(batches);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    sums[i % batches] += values_[i];
    counts[i % batches] += 1;
    record.mean += values_[i];
  }
  record.mean = values_.empty() ? none : record.mean / static_cast<double>(values_.size());
  if (batches > 1)
    for (std::size_t b = 0; b < batches; ++b) record.batches.push_back(sums[b] / counts[b]);
  return record;
}

double paired_p(std::span<double const> before, std::span<double const> after) {
  if (before.size() != after.size() || before.size() < 2) return none;
  auto const n = static_cast<double>(before.size());
  double mean = 0, squares = 0;
  for (std::size_t i = 0; i < before.size(); ++i) mean += (after[i] - before[i]) / n;
  for (std::size_t i = 0; i < before.size(); ++i) squares += (after[i] - before[i] - mean) * (after[i] - before[i] - mean);
  if (mean == 0) return 1;
  return student_p(mean / std::sqrt(squares / (n - 1) / n), n - 1);
}

std::vector<Move> moves(std::span<MetricRecord const> baseline, std::span<MetricRecord const> now, std::span<MetricTolerance const> tolerances) {
  using Key = std::pair<std::string, std::vector<std::string>>;
  std::map<Key, MetricRecord const*> there;
  std::map<std::string, double> rows;
  for (auto const& record : now) there.emplace(Key{record.metric, record.key}, &record);
  for (auto const& record : baseline) ++rows[record.metric];
  auto const tolerance_of = [&](std::string const& metric) {
    auto const found = std::ranges::find(tolerances, metric, &MetricTolerance::metric);
    return found == tolerances.end() ? nullptr : &found->tolerance;
  };
  std::vector<Move> result;
  for (auto const& before : baseline) {
    auto const* const tolerance = tolerance_of(before.metric);
    if (tolerance == nullptr) continue;
    auto const found = there.find({before.metric, before.key});
    if (found == there.end()) {
      result.push_back({Move::Kind::missing, before.key, before.metric, before.mean, none, none});
      continue;
    }
    auto const& after = *found->second;
    auto const p = paired_p(before.batches, after.batches);
    if (moved(before, after, *tolerance, p, rows[before.metric]))
      result.push_back({Move::Kind::changed, before.key, before.metric, before.mean, after.mean, p});
    there.erase(found);
  }
  for (auto const& record : now)
    if (tolerance_of(record.metric) != nullptr && there.contains({record.metric, record.key}))
      result.push_back({Move::Kind::added, record.key, record.metric, none, record.mean, none});
  return result;
}

}  // namespace wattfill
