#include "sim/meter_scores.hpp"

#include <algorithm>
#include <limits>

namespace wattfill {

MeterScores::MeterScores(MeteringSpec const& spec, std::span<JobClass const> classes)
    : facility_(spec.facility), limit_at_(spec.limit_at), classes_(classes.size()), uncapped_(2 * padded(classes.size()), 0.0) {
  auto const gpus = facility_.spec().gpus;
  for (std::size_t c = 0; c < classes_; ++c) {
    uncapped_[c] = classes[c].curve->curve.max_draw();
    uncapped_[padded(classes_) + c] = facility_.node_it_w(gpus * uncapped_[c]) / gpus;
  }
}

void MeterScores::read(MixView const& mix, std::span<Target const> targets, std::span<PathView const> paths, std::span<MeteredPath const* const> metered,
                       std::span<double> targets_w, std::span<Reading> readings) const {
  FillView const uncapped{uncapped_.data(), padded(classes_), 2};
  auto const nodes = mix.totals[1] / facility_.spec().gpus;
  auto const uncapped_gpu_w = uncapped.power(mix.gpus, 0), uncapped_it_w = uncapped.power(mix.gpus, 1);
  auto const uncapped_meter_w = facility_.meter_for_it(nodes, uncapped_it_w);
  auto const uncapped_w = limit_at_ == LimitAt::gpu ? uncapped_gpu_w : limit_at_ == LimitAt::it ? uncapped_it_w : uncapped_meter_w;
  for (std::size_t t = 0; t < targets.size(); ++t) {
    auto const limit_w = targets[t].kind == Target::Kind::cut ? (1 - targets[t].value) * uncapped_w : targets[t].value;
    auto const limit_it_w = limit_at_ == LimitAt::meter ? facility_.it_for_meter(nodes, limit_w) : limit_w;
    for (std::size_t k = 0; k < paths.size(); ++k) {
      auto const& path = paths[k];
      auto const at = limit_at_ == LimitAt::gpu ? path.draws.locate(mix.gpus, limit_w, 0) : metered[k]->locate(facility_, path, mix, limit_it_w);
      targets_w[k * targets.size() + t] = limit_at_ == LimitAt::gpu ? limit_w : at.power_w;
      auto const it_w = metered[k]->it_w(facility_, path, mix, at), meter_w = facility_.meter_for_it(nodes, it_w);
      auto const read_w = limit_at_ == LimitAt::meter ? meter_w : it_w;
      auto const shortfall_w = limit_at_ == LimitAt::gpu ? at.shortfall_w : at.shortfall_w > 0 ? read_w - limit_w : 0;
      auto const saved_gpu_w = uncapped_gpu_w - at.power_w;
      readings[k * targets.size() + t] = {
          limit_w, shortfall_w, it_w, meter_w,
          saved_gpu_w > 1e-9 * uncapped_gpu_w ? (uncapped_meter_w - meter_w) / saved_gpu_w : std::numeric_limits<double>::quiet_NaN()};
    }
  }
}

void MeterScores::widen(std::span<PathView const> paths, std::size_t targets, std::span<Reading const> readings, std::span<double const> rows,
                        std::span<double> wide) {
  for (std::size_t k = 0; k < paths.size(); ++k) {
    if (paths[k].slot == no_slot) continue;
    for (std::size_t t = 0; t < targets; ++t) {
      auto const row = paths[k].slot * targets + t;
      auto const& reading = readings[k * targets + t];
      double* const to = wide.data() + row * score::metered_count;
      std::copy_n(rows.data() + row * score::count, static_cast<std::size_t>(score::count), to);
      to[score::target_w] = reading.limit_w;
      to[score::shortfall_w] = reading.shortfall_w;
      to[score::it_w] = reading.it_w;
      to[score::meter_w] = reading.meter_w;
      to[score::meter_saved_per_gpu_w] = reading.saved;
    }
  }
}

}  // namespace wattfill
