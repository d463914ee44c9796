#include "sim/control_loop.hpp"

#include <algorithm>
#include <cmath>

#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr std::uint64_t most_readings = 5'000'000;

/// For x in [0, pi/2], to the last digits: the series, smallest terms first.
double sine(double x) {
  double sum = 0;
  for (int k = 25; k >= 3; k -= 2) sum = (1 - sum) * x * x / (k * (k - 1));
  return x * (1 - sum);
}

[[noreturn]] void refuse_readings() {
  throw InputError({{}, "control.sensor.period_s", "more than 5000000 readings are taken in one run; raise period_s, or end the run earlier (duration_s)"});
}

}  // namespace

double delay_bound(std::uint32_t lag) {
  return 2 * sine(pi / (2 * (2 * static_cast<double>(lag) + 1)));  // cos(d pi / (2 d + 1)) = sin(pi/2 - d pi / (2 d + 1))
}

ControlLoop::ControlLoop(SensorSpec const& sensor, CorrectionSpec const& correction, std::uint64_t seed, std::uint64_t replication, double end_s)
    : sensor_(sensor),
      spec_(correction),
      noise_({seed, "sensor", replication, Stream::sensor_noise}),
      losses_({seed, "sensor", replication, Stream::sensor_losses}) {
  if (std::isfinite(end_s) && end_s / sensor.period_s > most_readings) refuse_readings();
}

void ControlLoop::set(double t, double power_w, double limit_w, Reach reach) {
  reach_ = reach;
  auto const limited = std::isfinite(limit_w);
  power_.set(t, power_w);
  limit_.set(t, limited ? limit_w : 0);
  unlimited_.set(t, limited ? 0 : 1);
}

bool ControlLoop::is_lost(double t) {
  auto const by_chance = static_cast<double>(losses_()) < sensor_.lost * 0x1p32;  // drawn whether it matters or not
  return by_chance || std::ranges::any_of(sensor_.outages, [&](auto const& outage) { return outage.first <= t && t < outage.second; });
}

ControlLoop::Told ControlLoop::act(double t, double limit_w, Reach reach) {
  if (!looking_) {
    since_ = totals(t);
    opened_ = t;
    looking_ = true;
    return Told::nothing;
  }
  looking_ = false;
  if (++reading_ > most_readings) refuse_readings();
  auto const now = totals(t);
  auto const length = t - opened_;
  auto const seen = (now.power - since_.power) / length * (1 + sensor_.noise * noise_());
  auto const limited = now.unlimited == since_.unlimited;
  under_way_.push_back(
      {limited ? std::optional((now.limit - since_.limit) / length - seen) : std::nullopt, is_lost(t), correction_ <= reach_.low, correction_ >= reach_.high});
  if (under_way_.size() <= sensor_.lag) return Told::nothing;
  auto const reading = under_way_.front();
  under_way_.pop_front();
  if (reading.lost) {
    if (++missing_ < spec_.fail_safe_after || safe_) return Told::lost;
    safe_ = true;
    if (std::isfinite(limit_w)) correction_ = std::min(correction_, -spec_.fail_safe_margin * limit_w);
    return Told::fail_safe;
  }
  auto const back = safe_;
  missing_ = 0;
  safe_ = false;
  if (reading.error && std::isfinite(limit_w) && std::abs(*reading.error) > spec_.deadband * limit_w) {
    auto const most = spec_.rate_w_per_s * sensor_.period_s;
    auto const step = std::clamp(spec_.gain * *reading.error, -most, most);
    if (step > 0 ? reading.uncapped : reading.at_floors) return back ? Told::back : Told::reading;  // a reading of what could not be otherwise
    correction_ = step > 0 ? std::max(correction_, std::min(correction_ + step, reach.high)) : std::min(correction_, std::max(correction_ + step, reach.low));
  }
  return back ? Told::back : Told::reading;
}

}  // namespace wattfill
