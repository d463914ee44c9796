#include "wattfill/facility/facility.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

/// A number with its slope against the GPU draw; the same formulas give both.
struct Dual {
  double value, slope;
};
double value_of(double x) { return x; }
double value_of(Dual const& x) { return x.value; }
Dual operator+(Dual const& a, Dual const& b) { return {a.value + b.value, a.slope + b.slope}; }
Dual operator+(double a, Dual const& b) { return {a + b.value, b.slope}; }
Dual operator*(Dual const& a, Dual const& b) { return {a.value * b.value, a.value * b.slope + a.slope * b.value}; }
Dual operator*(double a, Dual const& b) { return {a * b.value, a * b.slope}; }
Dual operator/(Dual const& a, double b) { return {a.value / b, a.slope / b}; }

double above(double x, double least) { return x < least ? 0 : x - least; }
Dual above(Dual const& x, double least) { return x.value < least ? Dual{0, 0} : Dual{x.value - least, x.slope}; }
double constant(double x, double) { return x; }
Dual constant(double x, Dual const&) { return {x, 0}; }

template <class Real>
Real loss(LossSpec const& spec, double rating_w, Real const& output) {
  auto const p = output / rating_w;
  return rating_w * (spec.fixed + spec.linear * p + spec.quadratic * (p * p));
}

template <class Real>
Real flow_power(FlowSpec const& spec, Real const& heat) {
  Real flow = heat / spec.rated_heat_w;
  if (value_of(flow) < spec.least_flow) flow = constant(spec.least_flow, heat);
  if (!(value_of(flow) < 1)) flow = constant(1, heat);
  return spec.rated_w * (flow * flow * flow);
}

template <class Real>
Real chiller_power(ChillerSpec const& spec, double outdoor_c, Real const& heat) {
  auto const curve = [&](Real const& part) { return spec.part_load[0] + spec.part_load[1] * part + spec.part_load[2] * (part * part); };
  auto const at_35 = spec.capacity_w / spec.cop * std::max(0.1, 1 + spec.per_kelvin * (outdoor_c - 35));
  Real const part = heat / spec.capacity_w;
  if (!(value_of(part) < spec.least_part_load)) return at_35 * curve(part);
  return at_35 * value_of(curve(constant(spec.least_part_load, heat))) * (part / spec.least_part_load);
}

/// Share of the heat that the chiller must take.
double chiller_share(FacilitySpec const& s) {
  if (s.outdoor_c <= s.free_below_c) return 0;
  return s.free_range_k > 0 ? std::min(1.0, (s.outdoor_c - s.free_below_c) / s.free_range_k) : 1;
}

template <class Real>
using Parts = std::array<Real, component_count>;

template <class Real>
Real& part(Parts<Real>& parts, Component c) {
  return parts[static_cast<std::size_t>(c)];
}

/// The sum of the first components, always in the same order.
template <class Real>
Real sum_up_to(Parts<Real> const& parts, Component last) {
  Real total = parts[0];
  for (std::size_t c = 1; c <= static_cast<std::size_t>(last); ++c) total = total + parts[c];
  return total;
}

/// Components inside of one node.
template <class Real>
void fill_node(FacilitySpec const& s, Real const& gpu, Parts<Real>& parts) {
  part(parts, Component::gpu) = gpu;
  part(parts, Component::host) = s.host_idle_w + s.host_per_gpu_watt * above(gpu, s.gpus * s.gpu_idle_w);
  part(parts, Component::board) = constant(s.board_w, gpu);
  part(parts, Component::fans) = flow_power(s.fans, sum_up_to(parts, Component::board));
  part(parts, Component::psu) = s.supplies * loss(s.supply, s.supply_rating_w, sum_up_to(parts, Component::fans) / s.supplies);
  part(parts, Component::fabric) = constant(s.fabric_w, gpu);
}

/// The building's components, per node; those of the nodes are there already.
template <class Real>
void fill_plant(FacilitySpec const& s, Parts<Real>& parts) {
  Real const it = sum_up_to(parts, Component::fabric);
  part(parts, Component::ups) = loss(s.ups, s.ups_rating_w, it);
  part(parts, Component::distribution) = s.distribution_loss * sum_up_to(parts, Component::ups);
  Real const heat = sum_up_to(parts, Component::distribution);
  auto const share = chiller_share(s);
  part(parts, Component::chiller) = share > 0 ? chiller_power(s.chiller, s.outdoor_c, share * heat) : constant(0, heat);
  part(parts, Component::air) = flow_power(s.air, heat);
  part(parts, Component::fixed) = constant(s.fixed_w, heat);
}

/// The largest x >= 0 with f(x) <= limit for a non-decreasing f with f(x) >= x, by bisection of the doubles themselves; 0 if there is none.
template <class F>
double largest_below(F const& f, double limit) {
  if (!(f(0.0) <= limit)) return 0;
  if (f(limit) <= limit) return limit;  // nothing is lost on the way
  double low = 0, high = limit;         // f(low) <= limit < f(high)
  // A few chords first: the way is nearly straight.
  double at_low = f(low), at_high = f(high);
  for (int k = 0; k < 6; ++k) {
    auto const guess = low + (limit - at_low) / (at_high - at_low) * (high - low);
    for (double const x : {guess * (1 - 1e-14 * static_cast<double>(1 << 2 * k)), guess * (1 + 1e-14 * static_cast<double>(1 << 2 * k))}) {
      if (!(low < x && x < high)) continue;
      auto const y = f(x);
      (y <= limit ? low : high) = x;
      (y <= limit ? at_low : at_high) = y;
    }
  }
  auto bits_low = std::bit_cast<std::uint64_t>(low), bits_high = std::bit_cast<std::uint64_t>(high);
  while (bits_high - bits_low > 1) {
    auto const middle = bits_low + (bits_high - bits_low) / 2;
    (f(std::bit_cast<double>(middle)) <= limit ? bits_low : bits_high) = middle;
  }
  return std::bit_cast<double>(bits_low);
}

}  // namespace

double Ledger::it_w() const { return sum_up_to(watts, Component::fabric); }
double Ledger::meter_w() const { return sum_up_to(watts, Component::fixed); }

Facility::Facility(FacilitySpec const& spec) : spec_(spec) {
  if (auto const* const wrong = mistake_in(spec); wrong != nullptr)
    throw InputError({{}, "facility." + std::string(wrong->key), "is out of its range (power would not rise with load); choose a possible value"});
}

double Facility::node_it_w(double gpu_w) const {
  Parts<double> parts{};
  fill_node(spec_, gpu_w, parts);
  return sum_up_to(parts, Component::fabric);
}

double Facility::meter_for_it(double nodes, double it_w) const {
  Parts<double> parts{};
  part(parts, Component::gpu) = it_w / nodes;
  fill_plant(spec_, parts);
  return nodes * sum_up_to(parts, Component::fixed);
}

double Facility::it_for_meter(double nodes, double limit_w) const {
  return largest_below([&](double it_w) { return meter_for_it(nodes, it_w); }, limit_w);
}

Ledger Facility::ledger(double nodes, double gpu_w) const {
  WATTFILL_ASSERT(nodes > 0 && gpu_w >= 0);
  Ledger all;
  fill_node(spec_, gpu_w / nodes, all.watts);
  fill_plant(spec_, all.watts);
  for (double& w : all.watts) w *= nodes;
  return all;
}

Ledger Facility::ledger(std::span<NodeLoad const> loads) const {
  Ledger all;
  double nodes = 0;
  for (auto const& load : loads) {
    Ledger one;
    fill_node(spec_, load.gpu_w, one.watts);
    for (std::size_t c = 0; c < component_count; ++c) all.watts[c] += load.nodes * one.watts[c];
    nodes += load.nodes;
  }
  if (!(nodes > 0)) return all;
  for (double& w : all.watts) w /= nodes;
  fill_plant(spec_, all.watts);
  for (double& w : all.watts) w *= nodes;
  return all;
}

double Facility::marginal(double nodes, double gpu_w) const {
  Parts<Dual> parts{};
  fill_node(spec_, Dual{gpu_w / nodes, 1}, parts);
  fill_plant(spec_, parts);
  return sum_up_to(parts, Component::fixed).slope;
}

double Facility::marginal(std::span<NodeLoad const> loads) const {
  Parts<Dual> all{};
  double nodes = 0;
  for (auto const& load : loads) {
    Parts<Dual> one{};
    fill_node(spec_, Dual{load.gpu_w, 1}, one);
    for (std::size_t c = 0; c < component_count; ++c) all[c] = all[c] + load.nodes * one[c];
    nodes += load.nodes;
  }
  if (!(nodes > 0)) return 0;
  for (auto& each : all) each = each / nodes;
  fill_plant(spec_, all);
  return sum_up_to(all, Component::fixed).slope;
}

double Facility::gpu_for_it(double nodes, double limit_w) const {
  return largest_below([&](double gpu_w) { return it_w(nodes, gpu_w); }, limit_w);
}

double Facility::gpu_for_meter(double nodes, double limit_w) const {
  return largest_below([&](double gpu_w) { return meter_w(nodes, gpu_w); }, limit_w);
}

}  // namespace wattfill
