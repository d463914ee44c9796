#pragma once
#include <array>
#include <span>

#include "wattfill/facility/facility_spec.hpp"

namespace wattfill {

/// Watts of every component; what the meter shows is their sum.
struct Ledger {
  std::array<double, component_count> watts{};

  double operator[](Component c) const { return watts[static_cast<std::size_t>(c)]; }
  double it_w() const;     ///< GPUs up to and with `fabric`
  double meter_w() const;  ///< all
  double pue() const { return meter_w() / it_w(); }
};

/// Nodes that draw the same.
struct NodeLoad {
  double nodes;
  double gpu_w;  ///< all GPUs of one node together [W], >= 0
};

/// The steady way from GPU watts to IT watts and meter watts, and back. Every step has slope >= 0 in its input and is made of sums, products and quotients of
/// non-negative numbers, so that both directions are monotone to the last bit and the meter rises by at least a watt for each GPU watt. Source: model as in
/// EnergyPlus 23.1 Engineering Reference (chiller, variable-speed fans); supplies by a quadratic loss.
class Facility {
 public:
  /// Throws InputError that names the key if a value of the spec is not possible.
  explicit Facility(FacilitySpec const& spec);

  FacilitySpec const& spec() const { return spec_; }

  /// `nodes` nodes that share `gpu_w` [W] evenly.
  Ledger ledger(double nodes, double gpu_w) const;
  /// Nodes that draw differently, under one plant.
  Ledger ledger(std::span<NodeLoad const> loads) const;
  double it_w(double nodes, double gpu_w) const { return ledger(nodes, gpu_w).it_w(); }
  double meter_w(double nodes, double gpu_w) const { return ledger(nodes, gpu_w).meter_w(); }

  /// The two halves of the way: the IT load of one node whose GPUs draw `gpu_w` [W], and the meter that shows `nodes` nodes of `it_w` [W] together.
  double node_it_w(double gpu_w) const;
  double meter_for_it(double nodes, double it_w) const;
  /// The largest IT load whose meter reading is not above `limit_w`; 0 where the building alone draws more.
  double it_for_meter(double nodes, double limit_w) const;

  /// d(meter)/d(GPU) when all nodes rise together: what a saved GPU watt saves at the meter. From above where the slope jumps.
  double marginal(double nodes, double gpu_w) const;
  /// The same of nodes that draw differently, each of their GPU watts rising by as much.
  double marginal(std::span<NodeLoad const> loads) const;

  /// The largest GPU draw [W] whose IT load (meter reading) is not above `limit_w`; 0 where even idle parts draw more.
  double gpu_for_it(double nodes, double limit_w) const;
  double gpu_for_meter(double nodes, double limit_w) const;

 private:
  FacilitySpec spec_;
};

}  // namespace wattfill
