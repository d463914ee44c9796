#include "wattfill/facility/facility_spec.hpp"

#include <iterator>

namespace wattfill {

std::array<ComponentInfo, component_count> const& component_table() {
  static constexpr std::array<ComponentInfo, component_count> table{{
      {"gpu", "the GPUs"},
      {"host", "CPUs and DRAM of the nodes"},
      {"board", "NICs, NVLink switches, storage and management of the nodes"},
      {"fans", "fans or pumps of the nodes"},
      {"psu", "loss of the nodes' power supplies"},
      {"fabric", "network switches outside of the nodes"},
      {"ups", "loss of UPS or rectifiers"},
      {"distribution", "loss of transformers, PDUs and cables"},
      {"chiller", "compressors of the cooling plant"},
      {"air", "fans and pumps of the cooling plant"},
      {"fixed", "lights, offices, security"},
  }};
  return table;
}

std::span<FacilityNumber const> facility_numbers() {
  constexpr double most = 1e12;
  static FacilityNumber const table[]{
      {"gpus", "", "GPUs of a node", "8", 0, most, true, [](FacilitySpec& s) -> double& { return s.gpus; }},
      {"gpu_idle_w", "W", "draw of one idle GPU", "75", 0, most, false, [](FacilitySpec& s) -> double& { return s.gpu_idle_w; }},
      {"host_idle_w", "W", "CPUs and DRAM of a node while its GPUs idle", "350", 0, most, false, [](FacilitySpec& s) -> double& { return s.host_idle_w; }},
      {"host_per_gpu_watt", "", "rise of the same for each GPU watt above idle", "0.06", 0, 1e3, false,
       [](FacilitySpec& s) -> double& { return s.host_per_gpu_watt; }},
      {"board_w", "W", "NICs, NVLink switches, storage and management of a node", "650", 0, most, false, [](FacilitySpec& s) -> double& { return s.board_w; }},
      {"fans_rated_w", "W", "node fans (or pumps) at full flow; power follows the cube of flow", "1200", 0, most, false,
       [](FacilitySpec& s) -> double& { return s.fans.rated_w; }},
      {"fans_rated_heat_w", "W", "heat of GPUs, host and board that needs full flow", "7300", 0, most, true,
       [](FacilitySpec& s) -> double& { return s.fans.rated_heat_w; }},
      {"fans_least_flow", "", "least flow, a share of full flow", "0.5", 0, 1, false, [](FacilitySpec& s) -> double& { return s.fans.least_flow; }},
      {"supplies", "", "power supplies of a node that share the load, redundant ones included (N+N: 2 N)", "6", 0, most, true,
       [](FacilitySpec& s) -> double& { return s.supplies; }},
      {"supply_rating_w", "W", "rating of one supply", "3300", 0, most, true, [](FacilitySpec& s) -> double& { return s.supply_rating_w; }},
      {"supply_loss_fixed", "", "loss of a supply without load, a share of its rating", "0.005", 0, 1e3, false,
       [](FacilitySpec& s) -> double& { return s.supply.fixed; }},
      {"supply_loss_linear", "", "its rise with load / rating", "0.01", 0, 1e3, false, [](FacilitySpec& s) -> double& { return s.supply.linear; }},
      {"supply_loss_quadratic", "", "and with the square of that", "0.012", 0, 1e3, false, [](FacilitySpec& s) -> double& { return s.supply.quadratic; }},
      {"fabric_w", "W", "a node's share of the switches outside of it", "250", 0, most, false, [](FacilitySpec& s) -> double& { return s.fabric_w; }},
      {"ups_rating_w", "W", "UPS rating for each node", "10500", 0, most, true, [](FacilitySpec& s) -> double& { return s.ups_rating_w; }},
      {"ups_loss_fixed", "", "UPS loss without load, a share of its rating", "0.008", 0, 1e3, false, [](FacilitySpec& s) -> double& { return s.ups.fixed; }},
      {"ups_loss_linear", "", "its rise with load / rating", "0.008", 0, 1e3, false, [](FacilitySpec& s) -> double& { return s.ups.linear; }},
      {"ups_loss_quadratic", "", "and with the square of that", "0.016", 0, 1e3, false, [](FacilitySpec& s) -> double& { return s.ups.quadratic; }},
      {"distribution_loss", "", "loss of transformers, PDUs and cables, a share of what passes", "0.015", 0, 1e3, false,
       [](FacilitySpec& s) -> double& { return s.distribution_loss; }},
      {"chiller_capacity_w", "W", "heat that the chiller takes at full load, for each node", "9240", 0, most, true,
       [](FacilitySpec& s) -> double& { return s.chiller.capacity_w; }},
      {"chiller_cop", "", "heat / power at full load and 35 deg C", "5.5", 0, most, true, [](FacilitySpec& s) -> double& { return s.chiller.cop; }},
      {"chiller_per_kelvin", "1/K", "rise of chiller power with outdoor temperature", "0.02", 0, 1, false,
       [](FacilitySpec& s) -> double& { return s.chiller.per_kelvin; }},
      {"chiller_part_constant", "", "part-load curve: constant", "0.17", 0, 1e3, false, [](FacilitySpec& s) -> double& { return s.chiller.part_load[0]; }},
      {"chiller_part_linear", "", "part-load curve: linear in load / capacity", "0.59", 0, 1e3, false,
       [](FacilitySpec& s) -> double& { return s.chiller.part_load[1]; }},
      {"chiller_part_quadratic", "", "part-load curve: quadratic", "0.24", 0, 1e3, false, [](FacilitySpec& s) -> double& { return s.chiller.part_load[2]; }},
      {"chiller_least_part_load", "", "below this share of capacity the chiller cycles", "0.1", 0, 1, false,
       [](FacilitySpec& s) -> double& { return s.chiller.least_part_load; }},
      {"outdoor_c", "deg C", "outdoor temperature", "15", -90, 70, false, [](FacilitySpec& s) -> double& { return s.outdoor_c; }},
      {"free_below_c", "deg C", "at and below this outdoor temperature the chiller rests", "8", -273.15, 100, false,
       [](FacilitySpec& s) -> double& { return s.free_below_c; }},
      {"free_range_k", "K", "over this range above it the chiller takes over, linearly", "10", 0, 100, false,
       [](FacilitySpec& s) -> double& { return s.free_range_k; }},
      {"air_rated_w", "W", "fans and pumps of the cooling plant at full flow, for each node", "460", 0, most, false,
       [](FacilitySpec& s) -> double& { return s.air.rated_w; }},
      {"air_rated_heat_w", "W", "heat that needs full flow, for each node", "9240", 0, most, true,
       [](FacilitySpec& s) -> double& { return s.air.rated_heat_w; }},
      {"air_least_flow", "", "least flow, a share of full flow", "0.4", 0, 1, false, [](FacilitySpec& s) -> double& { return s.air.least_flow; }},
      {"fixed_w", "W", "lights, offices, security, for each node", "84", 0, most, false, [](FacilitySpec& s) -> double& { return s.fixed_w; }},
      {"fan_lag_s", "s", "time constant of the node fans, in timelines", "20", 0, most, false, [](FacilitySpec& s) -> double& { return s.fan_lag_s; }},
      {"cooling_lag_s", "s", "time constant of the cooling plant, in timelines", "300", 0, most, false,
       [](FacilitySpec& s) -> double& { return s.cooling_lag_s; }},
  };
  static_assert(std::size(table) == facility_number_count);
  return table;
}

FacilityNumber const* mistake_in(FacilitySpec const& spec) {
  auto copy = spec;
  for (auto const& number : facility_numbers()) {
    auto const value = number.of(copy);
    if (!((number.open ? number.low < value : number.low <= value) && value <= number.high)) return &number;
  }
  return nullptr;
}

FacilitySpec without(FacilitySpec s, Component component) {
  switch (component) {
    case Component::host: s.host_idle_w = s.host_per_gpu_watt = 0; break;
    case Component::board: s.board_w = 0; break;
    case Component::fans: s.fans.rated_w = 0; break;
    case Component::psu: s.supply = {}; break;
    case Component::fabric: s.fabric_w = 0; break;
    case Component::ups: s.ups = {}; break;
    case Component::distribution: s.distribution_loss = 0; break;
    case Component::chiller: s.chiller.part_load = {0, 0, 0}; break;
    case Component::air: s.air.rated_w = 0; break;
    case Component::fixed: s.fixed_w = 0; break;
    case Component::gpu:
    case Component::count: break;
  }
  return s;
}

namespace {

/// The building around nodes of `it_w` full load each. Not measured at one site: each number is a usual one, stated with its source.
void add_building(FacilitySpec& s, double it_w) {
  s.fabric_w = 0.03 * it_w;        // leaf and spine switches and optics: assumption
  s.ups_rating_w = it_w / 0.8;     // loaded to 80 % when all nodes run at their full load: assumption
  s.ups = {0.008, 0.008, 0.016};   // double conversion: 96.5 % at 50 %, 96.9 % at 100 %; the usual 96-97 % of current datasheets
  s.distribution_loss = 0.015;     // transformers about 1 %, cables and PDUs about 0.5 %: assumption
  auto const heat_w = 1.1 * it_w;  // IT load and the losses above, with a little to spare
  s.chiller.capacity_w = heat_w;
  s.chiller.cop = 5.5;          // large water-cooled machines must reach about 5.8-6.3 by ASHRAE 90.1 at milder conditions than 35 deg C: assumption
  s.chiller.per_kelvin = 0.02;  // compressor power by condensing temperature, 2 % per kelvin: rule of thumb
  s.chiller.part_load = {0.17149273, 0.58820208, 0.23737257};  // DOE-2 centrifugal chiller, EIR-FPLR (COMNET Modeling Guidelines, table of default curves)
  s.chiller.least_part_load = 0.1;
  s.outdoor_c = 15;                      // assumption
  s.free_below_c = 8;                    // water-side economiser carries everything below: assumption
  s.free_range_k = 10;                   // and part of it up to 18 deg C
  s.air = {0.05 * heat_w, heat_w, 0.4};  // air handlers, pumps and tower fans, 5 % of the heat at full flow, floor 40 %: assumption
  s.fixed_w = 0.01 * it_w;               // lights, offices, security: assumption
  s.cooling_lag_s = 300;                 // minutes, by the water in the loops: assumption
}

}  // namespace

FacilitySpec h200_node() {
  FacilitySpec s;
  s.gpus = 8;
  s.gpu_idle_w = 75;           // idle H100 and H200 SXM boards show 65-80 W in nvidia-smi: assumption
  s.host_idle_w = 350;         // 2 x Xeon 8480C (TDP 350 W each) at about 100 W idle, 32 DDR5 DIMMs at about 5 W: assumption
  s.host_per_gpu_watt = 0.06;  // 276 W more at training load, CPUs then at about two thirds of TDP: assumption
  s.board_w = 650;             // 10 NICs at 400 Gb/s of about 25 W, 4 NVSwitches of about 75 W, 10 NVMe drives and management about 100 W: assumption
  s.fans = {1200, 7300, 0.5};  // full flow at the heat of 8 GPUs at TDP with host and board; 16 % of it in power, as air-cooled 8U nodes have: assumption
  s.fan_lag_s = 20;            // fan control follows temperatures: assumption
  s.supplies = 6;              // DGX H100/H200 user guide: six 3.3 kW supplies, 4 + 2
  s.supply_rating_w = 3300;
  s.supply = {0.005, 0.010,
              0.012};     // shape above 80 PLUS Titanium's minima (90/94/96/91 % at 10/20/50/100 %); level calibrated to AC/DC 0.970 (MLPerf v4.0 power)
  add_building(s, 8400);  // highest measured draw of an 8 x H100 node, arXiv:2412.08602
  return s;
}

FacilitySpec a100_node() {
  FacilitySpec s;
  s.gpus = 8;
  s.gpu_idle_w = 63;           // Acme (NSDI'24): 10 % quantile of GPU power in Seren and Kalos
  s.host_idle_w = 350;         // 2 x 32-core Xeon (TDP 240 W each) at about 90 W idle, 32 DDR4 DIMMs at about 5 W: assumption
  s.host_per_gpu_watt = 0.08;  // 224 W more at full load: assumption
  s.board_w = 410;             // 5 NICs of about 20 W, 6 NVSwitches of about 35 W, drives and management 100 W: assumption
  // Full flow at the heat of 8 GPUs at 400 W with host and board and a little to spare: assumption, chosen with Acme's server power in view.
  s.fans = {700, 4600, 0.55};
  s.fan_lag_s = 20;
  s.supplies = 4;  // 3 kW, 2 + 2: assumption for an 8 x A100 server (NVIDIA's own has six, 3 + 3)
  s.supply_rating_w = 3000;
  s.supply = {0.00997, 0.0088, 0.02585};  // the quadratic through 80 PLUS Titanium's minima at 10, 20 and 50 % load (90, 94, 96 %)
  add_building(s, 5500);                  // 99 % quantile of server power in Acme: 5.45 kW
  return s;
}

}  // namespace wattfill
