#include "study/metered_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "wattfill/study/firm_capacity.hpp"

namespace wattfill {
namespace {

/// Tells one observer all, keeps the meter's readings and tells another what could be given.
class Listener final : public TimelineObserver {
 public:
  Listener(TimelineObserver* next, FirmProbe* probe) : next_(next), probe_(probe) {}

  void power(PowerRow const& row) override {
    if (next_ != nullptr) next_->power(row);
  }
  void event(double time_s, EventKind kind, std::uint32_t job, double value) override {
    if (next_ != nullptr) next_->event(time_s, kind, job, value);
  }
  void job(std::uint32_t job, JobRow const& row) override {
    if (next_ != nullptr) next_->job(job, row);
  }
  void components(std::array<double, component_count> const& energy_j) override {
    if (next_ != nullptr) next_->components(energy_j);
  }
  void meter(std::span<double const> means_w) override {
    means_w_.assign(means_w.begin(), means_w.end());
    if (probe_ != nullptr) probe_->meter(means_w);
  }
  void probe(ProbeRow const& row) override {
    if (probe_ != nullptr) probe_->probe(row);
  }
  std::vector<double> const& means_w() const { return means_w_; }

 private:
  TimelineObserver* next_;
  FirmProbe* probe_;
  std::vector<double> means_w_;
};

MeterSeries series_of(TimelineStudySpec const& study, std::vector<double> const& means_w) {
  auto const reading_s = study.run.metering->reading_s;
  std::vector<MeterSeries::Reading> readings;
  readings.reserve(means_w.size());
  for (std::size_t k = 0; k < means_w.size(); ++k) readings.push_back({study.start + static_cast<double>(k) * reading_s, means_w[k]});
  return MeterSeries(std::move(readings), reading_s);
}

/// The limit of the meter that delivers what is owed: in every settlement interval the baseline of a run without events less the obligation.
std::vector<LimitStep> dispatched(TimelineStudySpec const& study, MeterSeries const& series) {
  auto const& contract = study.contract->terms;
  constexpr double none = std::numeric_limits<double>::infinity();
  std::vector<LimitStep> limit;
  for (auto const& event : contract.events) {
    Baseline const baseline(contract, series, event);
    if (!baseline.exists() || !(event.start < event.end)) continue;
    auto const first = limit.size();
    for (auto from = event.start; from < event.end;) {
      auto const to = std::min((std::floor(from / contract.interval_s) + 1) * contract.interval_s, event.end);
      limit.push_back({from - study.start, std::max(baseline.mean_w(from, to) - required_w(contract, event, from, to), 0.0)});
      from = to;
    }
    auto const lead = std::max(limit[first].time_s - study.contract->lead_s, first > 0 ? limit[first - 1].time_s : 0.0);
    limit[first].time_s = std::min(lead, limit[first].time_s);
    limit.push_back({event.end - study.start, none});
  }
  // An event that begins where the one before ends needs no moment between.
  for (std::size_t i = 1; i < limit.size();)
    limit[i].time_s > limit[i - 1].time_s ? void(++i) : void(limit.erase(limit.begin() + static_cast<std::ptrdiff_t>(i) - 1));
  return limit;
}

}  // namespace

TimelineMetrics metered_run(TimelineStudySpec const& study, Timeline const& timeline, TimelinePolicySpec const& policy, TimelineObserver* observer,
                            TimelineAside* aside) {
  std::optional<FirmProbe> probe;
  std::optional<ContractSpec> const terms = study.contract ? std::optional(study.contract->terms) : std::nullopt;
  if (study.firm && aside != nullptr) probe.emplace(*study.firm, terms, study.start, study.run.metering->reading_s);
  std::optional<Timeline> with_events;
  if (study.contract && study.contract->follow) {
    Listener before(nullptr, nullptr);
    timeline.run(policy, &before);
    auto spec = timeline.spec();
    if (!before.means_w().empty()) spec.meter_limit = dispatched(study, series_of(study, before.means_w()));
    with_events.emplace(std::move(spec));
  }
  Listener listener(observer, probe ? &*probe : nullptr);
  auto metrics = (with_events ? *with_events : timeline).run(policy, &listener);
  if (probe) aside->given.push_back(probe->given());
  if (!study.contract) return metrics;
  Settlement settlement;
  if (!listener.means_w().empty()) settlement = settle(*terms, series_of(study, listener.means_w()));
  double required = 0, delivered = 0, shortfall = 0, rrmse = 0;
  std::size_t placed = 0;
  for (auto const& event : settlement.events) {
    required += event.required_wh;
    delivered += event.delivered_wh;
    shortfall += event.shortfall_wh;
    if (!event.rrmse) continue;
    rrmse += *event.rrmse;
    ++placed;
  }
  metrics[metric::settled_required_wh] = required;
  metrics[metric::settled_delivered_wh] = delivered;
  metrics[metric::settled_shortfall_wh] = shortfall;
  metrics[metric::settled_performance] = settlement.performance;
  metrics[metric::settled_usd] = settlement.total_usd();
  metrics[metric::baseline_rrmse] = placed > 0 ? rrmse / static_cast<double>(placed) : std::numeric_limits<double>::quiet_NaN();
  if (aside != nullptr) aside->settlements.push_back(std::move(settlement));
  return metrics;
}

}  // namespace wattfill
