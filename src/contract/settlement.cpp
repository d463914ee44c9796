#include "wattfill/contract/settlement.hpp"

#include <algorithm>

#include "contract/intervals.hpp"

namespace wattfill {
namespace {

constexpr double w_per_mw = 1e6;

SettledInterval settle_interval(ContractSpec const& c, ContractEvent const& event, Baseline const& baseline, MeterSeries const& series, Instant from,
                                Instant to) {
  SettledInterval i{};
  i.from = from;
  i.to = to;
  auto const seen = series.mean(from, to);
  i.coverage = seen.coverage;
  i.metered_w = seen.mean_w;
  i.baseline_w = baseline.exists() ? baseline.mean_w(from, to) : 0;
  i.required_w = required_w(c, event, from, to);
  i.delivered_w = baseline.exists() && seen.coverage >= c.least_coverage && seen.coverage > 0 ? i.baseline_w - i.metered_w : 0;
  i.shortfall_w = std::max(0.0, i.required_w - i.delivered_w);
  auto const mwh = [&](double watts) { return watts * i.hours() / w_per_mw; };
  i.payment_usd = c.performance_usd_per_mwh * mwh(std::clamp(i.delivered_w, 0.0, (1 + c.paid_excess) * i.required_w));
  i.penalty_usd = c.penalty_usd_per_mwh * mwh(std::max(0.0, i.shortfall_w - c.tolerance * i.required_w));
  return i;
}

}  // namespace

double required_w(ContractSpec const& contract, ContractEvent const& event, Instant from, Instant to) {
  auto const committed = event.committed_w.value_or(contract.committed_w);
  auto const start = event.notified ? std::max(event.start, *event.notified + contract.notice_s) : event.start;
  // Integral of min(1, max(0, (t - start) / ramp)) up to t.
  auto const owed = [&](Instant t) {
    auto const since = std::max(0.0, t - start);
    if (!(contract.ramp_s > 0)) return since;
    return since < contract.ramp_s ? since * since / (2 * contract.ramp_s) : since - contract.ramp_s / 2;
  };
  return from < to ? committed * (owed(to) - owed(from)) / (to - from) : 0;
}

Settlement settle(ContractSpec const& contract, MeterSeries const& series) {
  Settlement all;
  double required = 0, kept = 0;
  for (auto const& event : contract.events) {
    Baseline const baseline(contract, series, event);
    SettledEvent total{};
    total.committed_w = event.committed_w.value_or(contract.committed_w);
    total.factor = baseline.factor();
    total.days = baseline.days().size();
    total.problem = baseline.problem();
    bool full = false;
    for (auto const& [from, to] : intervals_of(event.start, event.end, contract.interval_s)) {
      auto i = settle_interval(contract, event, baseline, series, from, to);
      i.event = all.events.size();
      total.required_wh += i.required_w * i.hours();
      total.delivered_wh += i.delivered_w * i.hours();
      total.shortfall_wh += i.shortfall_w * i.hours();
      total.payment_usd += i.payment_usd;
      total.penalty_usd += i.penalty_usd;
      kept += std::clamp(i.delivered_w, 0.0, i.required_w) * i.hours();
      if (i.required_w >= total.committed_w * (1 - 1e-12)) {
        total.least_delivered_w = full ? std::min(total.least_delivered_w, i.delivered_w) : i.delivered_w;
        full = true;
      }
      all.intervals.push_back(i);
    }
    auto const errors = placebos(contract, series, event);
    total.rrmse = rrmse(errors);
    total.placebos = errors.size();
    required += total.required_wh;
    all.payment_usd += total.payment_usd;
    all.penalty_usd += total.penalty_usd;
    all.events.push_back(std::move(total));
  }
  if (required > 0) all.performance = kept / required;
  all.availability_usd = contract.availability_usd_per_mw_h * contract.available_h * contract.committed_w / w_per_mw * all.performance;
  return all;
}

}  // namespace wattfill
