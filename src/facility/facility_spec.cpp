#include "wattfill/facility/facility_spec.hpp"

#include <initializer_list>

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

SpecMistake mistake_in(FacilitySpec const& s) {
  struct Check {
    std::string_view key;
    double value, low, high;
    bool open;  ///< low itself is not possible
  };
  constexpr double most = 1e12;
  for (auto const& c : std::initializer_list<Check>{
           {"gpus", s.gpus, 0, most, true},
           {"gpu_idle_w", s.gpu_idle_w, 0, most, false},
           {"host_idle_w", s.host_idle_w, 0, most, false},
           {"host_per_gpu_watt", s.host_per_gpu_watt, 0, 1e3, false},
           {"board_w", s.board_w, 0, most, false},
           {"fans.rated_w", s.fans.rated_w, 0, most, false},
           {"fans.rated_heat_w", s.fans.rated_heat_w, 0, most, true},
           {"fans.least_flow", s.fans.least_flow, 0, 1, false},
           {"supplies", s.supplies, 0, most, true},
           {"supply_rating_w", s.supply_rating_w, 0, most, true},
           {"supply_loss.fixed", s.supply.fixed, 0, 1e3, false},
           {"supply_loss.linear", s.supply.linear, 0, 1e3, false},
           {"supply_loss.quadratic", s.supply.quadratic, 0, 1e3, false},
           {"fabric_w", s.fabric_w, 0, most, false},
           {"ups_rating_w", s.ups_rating_w, 0, most, true},
           {"ups_loss.fixed", s.ups.fixed, 0, 1e3, false},
           {"ups_loss.linear", s.ups.linear, 0, 1e3, false},
           {"ups_loss.quadratic", s.ups.quadratic, 0, 1e3, false},
           {"distribution_loss", s.distribution_loss, 0, 1e3, false},
           {"chiller.capacity_w", s.chiller.capacity_w, 0, most, true},
           {"chiller.cop", s.chiller.cop, 0, most, true},
           {"chiller.per_kelvin", s.chiller.per_kelvin, 0, 1, false},
           {"chiller.part_load.0", s.chiller.part_load[0], 0, 1e3, false},
           {"chiller.part_load.1", s.chiller.part_load[1], 0, 1e3, false},
           {"chiller.part_load.2", s.chiller.part_load[2], 0, 1e3, false},
           {"chiller.least_part_load", s.chiller.least_part_load, 0, 1, false},
           {"outdoor_c", s.outdoor_c, -90, 70, false},
           {"free_below_c", s.free_below_c, -273.15, 100, false},
           {"free_range_k", s.free_range_k, 0, 100, false},
           {"air.rated_w", s.air.rated_w, 0, most, false},
           {"air.rated_heat_w", s.air.rated_heat_w, 0, most, true},
           {"air.least_flow", s.air.least_flow, 0, 1, false},
           {"fixed_w", s.fixed_w, 0, most, false},
           {"fan_lag_s", s.fan_lag_s, 0, most, false},
           {"cooling_lag_s", s.cooling_lag_s, 0, most, false},
       })
    if (!((c.open ? c.low < c.value : c.low <= c.value) && c.value <= c.high))
      return {c.key, c.open ? "must be above 0 (the model divides by it)" : "is out of its range (power would not rise with load)"};
  return {};
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
  s.fans = {700, 4600, 0.55};  // full flow at the heat of 8 GPUs at 400 W with host and board and a little to spare: assumption
  s.fan_lag_s = 20;
  s.supplies = 4;  // 3 kW, 2 + 2: assumption for an 8 x A100 server (NVIDIA's own has six, 3 + 3)
  s.supply_rating_w = 3000;
  s.supply = {0.00997, 0.0088, 0.02585};  // the quadratic through 80 PLUS Titanium's minima at 10, 20 and 50 % load (90, 94, 96 %)
  add_building(s, 5500);                  // 99 % quantile of server power in Acme: 5.45 kW
  return s;
}

}  // namespace wattfill
