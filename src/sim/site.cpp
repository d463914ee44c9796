#include "sim/site.hpp"

#include <algorithm>
#include <cmath>

#include "wattfill/core/fixed_math.hpp"

namespace wattfill {
namespace {

constexpr double joules_per_mwh = 3.6e9, joules_per_kwh = 3.6e6;
constexpr std::size_t fans = static_cast<std::size_t>(Component::fans), chiller = static_cast<std::size_t>(Component::chiller),
                      air = static_cast<std::size_t>(Component::air);

}  // namespace

Site::Site(TimelineMetering const& metering, double gpus)
    : spec_(metering.facility), facility_(spec_), per_node_(spec_.gpus), nodes_(gpus / spec_.gpus), reading_s_(metering.reading_s) {
  lags_[fans].tau_s = spec_.fan_lag_s;
  lags_[chiller].tau_s = lags_[air].tau_s = spec_.cooling_lag_s;
}

double Site::it_room_w(double limit_it_w, double limit_meter_w) const {
  return std::isfinite(limit_meter_w) ? std::min(limit_it_w, facility_.it_for_meter(nodes_, limit_meter_w)) : limit_it_w;
}

void Site::set_outdoor(double celsius) {
  spec_.outdoor_c = celsius;
  facility_ = Facility(spec_);
}

Ledger Site::steady(std::span<Load const> loads) const {
  scratch_.clear();
  for (auto const& load : loads)
    if (load.gpus > 0) scratch_.push_back({load.gpus / per_node_, load.draw_w * per_node_});
  return facility_.ledger(scratch_);
}

double Site::marginal(std::span<Load const> loads) const {
  scratch_.clear();
  for (auto const& load : loads)
    if (load.gpus > 0) scratch_.push_back({load.gpus / per_node_, load.draw_w * per_node_});
  return facility_.marginal(scratch_);
}

std::array<Site::Way, 2> Site::ways() const {
  auto const& steady = now_.steady.watts;
  return {{{lags_[fans], from_[fans] - steady[fans]}, {lags_[air], (from_[chiller] - steady[chiller]) + (from_[air] - steady[air])}}};
}

double Site::shown_after(double x) const {
  auto w = now_.steady.meter_w();
  for (auto const& way : ways()) w += way.lag.power_after(way.w, 0, x);
  return w;
}

double Site::shown_w(double t) const { return shown_after(t - since_); }

double Site::energy_after(double x) const {
  auto joules = now_.steady.meter_w() * x;
  for (auto const& way : ways()) joules += way.lag.energy_over(way.w, 0, x);
  return joules;
}

void Site::book_excess(double dt) {
  auto const two = ways();
  double bend = 0;  // where the shown power turns, if it does: the slopes of both ways cancel there
  if (auto const [a, b] = two; a.w * b.w < 0 && a.lag.tau_s != b.lag.tau_s && a.lag.tau_s > 0 && b.lag.tau_s > 0)
    bend = fixed_log(-(a.w * b.lag.tau_s) / (b.w * a.lag.tau_s)) / (1 / a.lag.tau_s - 1 / b.lag.tau_s);
  double const stops[] = {0, 0 < bend && bend < dt ? bend : 0, dt};
  peak_w_ = std::max({peak_w_, shown_after(stops[0]), shown_after(stops[1]), shown_after(stops[2])});
  auto const limit = now_.limit_w;
  if (!std::isfinite(limit)) return;
  auto const above = [&](double x) { return shown_after(x) - limit > 1e-9 * limit; };
  for (int piece = 0; piece < 2; ++piece) {
    auto low = stops[piece], high = stops[piece + 1];
    if (!(low < high)) continue;
    auto const at_low = above(low), at_high = above(high);
    if (!at_low && !at_high) continue;
    if (at_low != at_high) {  // the one crossing of the piece
      auto const from = low, to = high;
      for (int k = 0; k < 100; ++k) {
        auto const middle = low + (high - low) / 2;
        if (!(low < middle && middle < high)) break;
        (above(middle) == at_low ? low : high) = middle;
      }
      at_low ? (high = low, low = from) : (low = high, high = to);
    }
    over_s_.add(high - low);
    over_j_.add(energy_after(high) - energy_after(low) - limit * (high - low));
  }
}

void Site::book_readings(double t) {
  double booked = 0;  // seconds after the last reading of the load
  for (;;) {
    auto const edge = static_cast<double>(readings_.size() + 1) * reading_s_;
    if (edge > t) break;
    auto const x = std::max(edge - since_, booked);
    readings_.push_back((open_j_ + (energy_after(x) - energy_after(booked))) / reading_s_);
    open_j_ = 0;
    booked = x;
  }
  open_j_ += energy_after(t - since_) - energy_after(booked);
}

void Site::book(double t) {
  auto const dt = t - since_;
  if (!any_ || !(dt > 0)) return;
  book_excess(dt);
  if (reading_s_ > 0) book_readings(t);
  auto const& steady = now_.steady.watts;
  double it_j = 0;
  for (std::size_t c = 0; c < component_count; ++c) {
    auto const joules = lags_[c].energy_over(from_[c], steady[c], dt);
    joules_[c].add(joules);
    if (c <= static_cast<std::size_t>(Component::fabric)) it_j += joules;
    from_[c] = lags_[c].power_after(from_[c], steady[c], dt);
  }
  it_j_.add(it_j);
  since_ = t;
}

void Site::read(double t, Reading const& now) {
  if (any_ && now.steady.watts == now_.steady.watts && now.limit_w == now_.limit_w && now.uncapped_meter_w == now_.uncapped_meter_w &&
      now.uncapped_gpu_w == now_.uncapped_gpu_w && now.marginal == now_.marginal)
    return;
  if (any_) {
    auto const dt = t - since_;
    meter_j_.add(energy_after(dt));
    saved_gpu_j_.add((now_.uncapped_gpu_w - now_.steady[Component::gpu]) * dt);
    saved_meter_j_.add((now_.uncapped_meter_w - now_.steady.meter_w()) * dt);
    marginal_s_.add(now_.marginal * dt);
    book(t);
  }
  for (std::size_t c = 0; c < component_count; ++c)
    if (!any_ || lags_[c].tau_s == 0) from_[c] = now.steady.watts[c];  // before the first it was as if it had always been so
  since_ = t;
  now_ = now;
  any_ = true;
  peak_w_ = std::max(peak_w_, shown_after(0));
  limited_ = limited_ || std::isfinite(now.limit_w);
}

void Site::set_price(double t, double usd_per_mwh, double g_per_kwh) {
  if (usd_per_mwh == price_ && g_per_kwh == carbon_) return;
  auto const joules = any_ ? meter_j_.value() + energy_after(t - since_) : 0;
  cost_usd_.add((joules - priced_j_) * price_ / joules_per_mwh);
  co2_kg_.add((joules - priced_j_) * carbon_ / joules_per_kwh / 1000);
  priced_j_ = joules;
  price_ = usd_per_mwh;
  carbon_ = g_per_kwh;
}

std::array<double, component_count> Site::report(double end, TimelineMetrics& m) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  auto const limited = limited_;
  auto last = now_;
  last.limit_w = -1;  // other than any, so that what is open is booked
  set_price(end, -1, -1);
  read(end, last);
  std::array<double, component_count> joules{};
  for (std::size_t c = 0; c < component_count; ++c) joules[c] = joules_[c].value();
  m[metric::it_j] = it_j_.value();
  m[metric::meter_j] = meter_j_.value();
  m[metric::pue] = m[metric::it_j] > 0 ? m[metric::meter_j] / m[metric::it_j] : none;
  m[metric::meter_saved_per_gpu_j] = saved_gpu_j_.value() > 1e-9 * joules[0] ? saved_meter_j_.value() / saved_gpu_j_.value() : none;
  m[metric::meter_per_gpu_w] = end > 0 ? marginal_s_.value() / end : last.marginal;
  m[metric::meter_peak_w] = peak_w_;
  m[metric::meter_over_s] = limited ? over_s_.value() : none;
  m[metric::meter_over_j] = limited ? over_j_.value() : none;
  if (!std::isnan(m[metric::cost_usd])) m[metric::cost_usd] = cost_usd_.value();
  if (!std::isnan(m[metric::co2_kg])) m[metric::co2_kg] = co2_kg_.value();
  return joules;
}

}  // namespace wattfill
