#include "wattfill/study/firm_capacity.hpp"

#include <algorithm>
#include <limits>

#include "wattfill/contract/baseline.hpp"
#include "wattfill/study/quantile_ranks.hpp"

namespace wattfill {
namespace {

/// Means and least values of columns that change in steps, over stretches of time.
struct Steps {
  std::vector<double> const& times;

  /// Index of the row that holds at t.
  std::size_t at(double t) const {
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(std::upper_bound(times.begin(), times.end(), t) - times.begin(), 1) - 1);
  }
  /// Calls `visit(row, seconds)` for every row that holds in [from, to).
  template <class F>
  void over(double from, double to, F const& visit) const {
    for (auto i = at(from); i < times.size() && times[i] < to; ++i) {
      auto const begin = std::max(times[i], from), end = std::min(i + 1 < times.size() ? times[i + 1] : to, to);
      if (begin < end) visit(i, end - begin);
    }
  }
};

}  // namespace

double FirmSpec::from_s() const { return day_s + 3600 * std::ranges::min(hours); }
double FirmSpec::to_s() const { return day_s + 3600 * (std::ranges::max(hours) + std::ranges::max(durations_h)); }

std::vector<FirmPlace> firm_places(FirmSpec const& spec) {
  std::vector<FirmPlace> places{{FirmPlace::Kind::gpu}, {FirmPlace::Kind::meter}};
  for (auto const rule : spec.baselines) places.push_back({FirmPlace::Kind::settled, rule});
  return places;
}

std::string to_string(FirmPlace const& place) {
  if (place.kind != FirmPlace::Kind::settled) return place.kind == FirmPlace::Kind::gpu ? "gpu" : "meter";
  switch (place.baseline) {
    case BaselineRule::caiso_10_of_10: return "caiso-10-of-10";
    case BaselineRule::pjm_3_plus_2: return "pjm-3-plus-2";
    case BaselineRule::measured_before: return "measured-before";
    case BaselineRule::firm_level: break;
  }
  return "firm-level";
}

FirmProbe::FirmProbe(FirmSpec const& spec, std::optional<ContractSpec> const& contract, double start, double reading_s)
    : spec_(spec), contract_(contract), start_(start), reading_s_(reading_s) {}

void FirmProbe::probe(ProbeRow const& row) {
  times_.push_back(row.time_s);
  uncapped_gpu_w_.push_back(row.uncapped_gpu_w);
  uncapped_w_.push_back(row.uncapped_meter_w);
  gpu_w_.insert(gpu_w_.end(), row.gpu_w.begin(), row.gpu_w.end());
  meter_w_.insert(meter_w_.end(), row.meter_w.begin(), row.meter_w.end());
}

void FirmProbe::meter(std::span<double const> means_w) { means_w_.assign(means_w.begin(), means_w.end()); }

std::vector<double> FirmProbe::given() const {
  auto const places = firm_places(spec_);
  auto const losses = spec_.speed_losses.size(), hours = spec_.hours.size(), durations = spec_.durations_h.size(), events = hours * durations;
  std::vector<double> given((places.size() * losses + 1) * events, 0.0);
  if (times_.empty()) return given;
  Steps const steps{times_};
  std::vector<MeterSeries::Reading> readings;
  for (std::size_t k = 0; k < means_w_.size(); ++k) readings.push_back({start_ + static_cast<double>(k) * reading_s_, means_w_[k]});
  std::optional<MeterSeries> series;
  if (!readings.empty()) series.emplace(std::move(readings), reading_s_);
  for (std::size_t h = 0; h < hours; ++h)
    for (std::size_t d = 0; d < durations; ++d) {
      auto const from = spec_.day_s + 3600 * spec_.hours[h], to = from + 3600 * spec_.durations_h[d];
      auto const slot = [&](std::size_t place, std::size_t loss) -> double& { return given[((place * losses + loss) * hours + h) * durations + d]; };
      auto const least = [](double& into, double w) { into = std::min(into, w); };
      for (std::size_t p = 0; p < 2; ++p)
        for (std::size_t l = 0; l < losses; ++l) slot(p, l) = std::numeric_limits<double>::infinity();
      double joules = 0;
      steps.over(from, to, [&](std::size_t i, double dt) {
        joules += uncapped_w_[i] * dt;
        for (std::size_t l = 0; l < losses; ++l) {
          least(slot(0, l), uncapped_gpu_w_[i] - gpu_w_[i * losses + l]);
          least(slot(1, l), uncapped_w_[i] - meter_w_[i * losses + l]);
        }
      });
      given[places.size() * losses * events + h * durations + d] = joules / (to - from);
      for (std::size_t p = 2; p < places.size(); ++p) {
        auto contract = *contract_;
        contract.baseline.rule = places[p].baseline;
        ContractEvent const event{start_ + from, start_ + to, std::nullopt, std::nullopt};
        contract.events = {event};
        Baseline const baseline(contract, *series, event);
        for (std::size_t l = 0; l < losses; ++l) {
          if (!baseline.exists()) continue;  // nothing can be proven: 0 W
          auto& into = slot(p, l) = std::numeric_limits<double>::infinity();
          for (auto begin = from; begin < to; begin += spec_.interval_s) {
            auto const end = std::min(begin + spec_.interval_s, to);
            double drawn = 0;
            steps.over(begin, end, [&](std::size_t i, double dt) { drawn += meter_w_[i * losses + l] * dt; });
            least(into, baseline.mean_w(start_ + begin, start_ + end) - drawn / (end - begin));
          }
        }
      }
    }
  return given;
}

std::vector<FirmPromise> firm_promises(FirmSpec const& spec, std::vector<std::vector<std::vector<double>>> const& given) {
  std::vector<FirmPromise> promises;
  auto const places = firm_places(spec).size(), losses = spec.speed_losses.size(), hours = spec.hours.size(), durations = spec.durations_h.size();
  for (std::size_t policy = 0; policy < given.size(); ++policy)
    for (std::size_t place = 0; place < places; ++place)
      for (std::size_t l = 0; l < losses; ++l)
        for (std::size_t h = 0; h < hours; ++h)
          for (std::size_t d = 0; d < durations; ++d) {
            std::vector<double> values;
            double uncapped = 0, sum = 0;
            for (auto const& run : given[policy]) {
              values.push_back(run[((place * losses + l) * hours + h) * durations + d]);
              sum += values.back();
              uncapped += run[places * losses * hours * durations + h * durations + d];
            }
            std::ranges::sort(values);
            auto const n = values.size();
            for (double const confidence : spec.confidences) {
              FirmPromise promise{policy,
                                  place,
                                  spec.speed_losses[l],
                                  spec.hours[h],
                                  spec.durations_h[d],
                                  confidence,
                                  n,
                                  uncapped / static_cast<double>(n),
                                  sum / static_cast<double>(n),
                                  {}};
              if (auto const ranks = quantile_ranks(n, 1 - confidence))
                promise.reduction_w = Estimate{values[ranks->estimate - 1], values[ranks->low - 1], values[ranks->high - 1]};
              promises.push_back(promise);
            }
          }
  return promises;
}

}  // namespace wattfill
