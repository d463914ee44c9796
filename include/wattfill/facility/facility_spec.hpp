#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace wattfill {

/// Where watts go between the GPUs and the meter, in the order of the way. Up to `fabric` they are IT load, from `ups` on they are the building's.
enum class Component : std::size_t {
  gpu,           ///< the GPUs themselves
  host,          ///< CPUs and DRAM
  board,         ///< NICs, NVLink switches, storage and management of the node
  fans,          ///< fans (or pumps) of the node
  psu,           ///< loss of the node's power supplies
  fabric,        ///< the node's share of network switches outside of it
  ups,           ///< loss of UPS or rectifiers
  distribution,  ///< loss of transformers, PDUs and cables
  chiller,       ///< compressors
  air,           ///< fans and pumps of the cooling plant
  fixed,         ///< lights, offices, security
  count
};
inline constexpr std::size_t component_count = static_cast<std::size_t>(Component::count);

struct ComponentInfo {
  std::string_view name;
  std::string_view meaning;
};
/// Name (as in scenarios and result files) and meaning of every component.
std::array<ComponentInfo, component_count> const& component_table();

/// Loss of a converter as a share of its rating, at output p (share of its rating): fixed + linear p + quadratic p^2; all >= 0.
struct LossSpec {
  double fixed = 0, linear = 0, quadratic = 0;
};

/// Fans or pumps by the affinity laws: flow follows heat, power follows the cube of flow. Flow never falls below `least_flow` nor rises above 1.
struct FlowSpec {
  double rated_w = 0;       ///< power at full flow [W], >= 0
  double rated_heat_w = 1;  ///< heat that needs full flow [W], > 0
  double least_flow = 0;    ///< share of full flow, in [0, 1]
};

/// Chiller as EnergyPlus' Chiller:Electric:EIR: power = capacity / COP x temperature curve x part-load curve. The temperature curve is
/// 1 + per_kelvin (T - 35 deg C), at least 0.1; the part-load curve is the quadratic `part_load` of load / capacity. Below `least_part_load` the
/// machine cycles: power falls in proportion to load. Above capacity the curve goes on.
struct ChillerSpec {
  double capacity_w = 1;              ///< heat [W], > 0
  double cop = 5;                     ///< heat / power at capacity and 35 deg C outdoors, > 0
  double per_kelvin = 0;              ///< change of power by outdoor temperature [1/K], >= 0
  std::array<double, 3> part_load{};  ///< constant, linear, quadratic; each >= 0, which makes it monotone
  double least_part_load = 0;         ///< in [0, 1]
};

/// From the GPUs of one node to its share of the meter. Everything is per node: a cluster is a number of nodes with a plant sized to it.
/// Components that are not described draw and lose nothing. `facility_numbers` says what values are possible.
struct FacilitySpec {
  double gpus = 8;               ///< GPUs of a node, > 0
  double gpu_idle_w = 0;         ///< draw of one idle GPU [W]: what a paused job or an empty node draws
  double host_idle_w = 0;        ///< CPUs and DRAM while the GPUs idle [W]
  double host_per_gpu_watt = 0;  ///< rise of the same for each GPU watt above idle
  double board_w = 0;            ///< NICs, NVLink switches, storage, management [W]
  FlowSpec fans;                 ///< heat: GPUs, host and board
  double supplies = 1;           ///< power supplies that share the load, redundant ones included (N+N: 2 N), > 0
  double supply_rating_w = 1;    ///< of one supply [W], > 0
  LossSpec supply;               ///< of one supply
  double fabric_w = 0;           ///< share of switches outside of the node [W]
  double ups_rating_w = 1;       ///< per node [W], > 0
  LossSpec ups;
  double distribution_loss = 0;   ///< share of the power that passes, >= 0
  ChillerSpec chiller;            ///< heat: IT load, UPS and distribution losses
  double outdoor_c = 15;          ///< outdoor temperature [deg C]
  double free_below_c = -273.15;  ///< at and below this the chiller rests
  double free_range_k = 0;        ///< over so many kelvin above it the chiller takes over, linearly; >= 0
  FlowSpec air;                   ///< heat: the same
  double fixed_w = 0;             ///< [W]
  double fan_lag_s = 0;           ///< time constants of the dynamic response [s], >= 0
  double cooling_lag_s = 0;
};

/// One number of a FacilitySpec: its key in scenarios, what it means, and what is possible.
struct FacilityNumber {
  std::string_view key, unit, meaning, example;
  double low, high;
  bool open;  ///< low itself is not possible
  double& (*of)(FacilitySpec&);
};
inline constexpr std::size_t facility_number_count = 35;
/// All numbers, in the order of the model.
std::span<FacilityNumber const> facility_numbers();

/// The first number that is not possible; nullptr: none.
FacilityNumber const* mistake_in(FacilitySpec const& spec);

/// The same facility with one component taken out: it draws or loses nothing. `gpu` cannot be taken out.
FacilitySpec without(FacilitySpec spec, Component component);

/// 8 x H200 SXM (DGX/HGX H200, air-cooled) in a hall with a water-cooled plant. The source of every number is beside it in facility_spec.cpp.
FacilitySpec h200_node();
/// 8 x A100 SXM (400 W).
FacilitySpec a100_node();
}  // namespace wattfill
