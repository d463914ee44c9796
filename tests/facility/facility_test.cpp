#include "wattfill/facility/facility.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "support/catch.hpp"
#include "support/draws.hpp"
#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

/// Any valid facility, kinks and switched-off parts included.
FacilitySpec any_spec(testing::Draws& draw) {
  auto const some = [&](double most) { return draw.between(0, 1) < 0.2 ? 0 : draw.between(0, most); };
  FacilitySpec s;
  s.gpus = std::floor(draw.between(1, 17));
  s.gpu_idle_w = some(90);
  s.host_idle_w = some(600);
  s.host_per_gpu_watt = some(0.3);
  s.board_w = some(900);
  s.fans = {some(1500), draw.between(500, 9000), draw.between(0, 1)};
  s.supplies = std::floor(draw.between(1, 9));
  s.supply_rating_w = draw.between(500, 4000);
  s.supply = {some(0.02), some(0.03), some(0.05)};
  s.fabric_w = some(300);
  s.ups_rating_w = draw.between(1000, 20000);
  s.ups = {some(0.02), some(0.03), some(0.05)};
  s.distribution_loss = some(0.04);
  s.chiller = {draw.between(2000, 20000), draw.between(2, 8), some(0.04), {some(0.4), some(1), some(0.6)}, draw.between(0, 1)};
  s.outdoor_c = draw.between(-10, 40);
  s.free_below_c = draw.between(-10, 20);
  s.free_range_k = some(15);
  s.air = {some(900), draw.between(500, 20000), draw.between(0, 1)};
  s.fixed_w = some(200);
  return s;
}

}  // namespace

TEST_CASE("every component is what its formula gives") {
  FacilitySpec s;
  s.gpus = 4;
  s.gpu_idle_w = 50;
  s.host_idle_w = 300;
  s.host_per_gpu_watt = 0.1;
  s.board_w = 200;
  s.fans = {500, 4000, 0.2};
  s.supplies = 4;
  s.supply_rating_w = 1000;
  s.supply = {0.01, 0.02, 0.03};
  s.fabric_w = 40;
  s.ups_rating_w = 5000;
  s.ups = {0.01, 0, 0.04};
  s.distribution_loss = 0.02;
  s.chiller = {10000, 5, 0.02, {0.1, 0.3, 0.6}, 0.2};
  s.outdoor_c = 25;
  s.free_below_c = 10;
  s.free_range_k = 20;
  s.air = {100, 10000, 0.5};
  s.fixed_w = 60;
  auto const at = Facility(s).ledger(1, 1200);
  CHECK(at[Component::gpu] == 1200);
  CHECK(at[Component::host] == Approx(300 + 0.1 * (1200 - 200)));          // 400
  CHECK(at[Component::fans] == Approx(500 * std::pow(1800.0 / 4000, 3)));  // heat 1200 + 400 + 200
  auto const dc = 1800 + at[Component::fans];                              // 1845.5625
  CHECK(at[Component::psu] == Approx(4 * 1000 * (0.01 + 0.02 * dc / 4000 + 0.03 * std::pow(dc / 4000, 2))));
  auto const it = dc + at[Component::psu] + 40;
  CHECK(at.it_w() == Approx(it));
  CHECK(at[Component::ups] == Approx(5000 * (0.01 + 0.04 * std::pow(it / 5000, 2))));
  CHECK(at[Component::distribution] == Approx(0.02 * (it + at[Component::ups])));
  auto const heat = 1.02 * (it + at[Component::ups]);
  // 25 deg C: 15 of 20 kelvin above the threshold; 10 K below 35 deg C: 0.8 of the power; part load 0.75 heat / 10000 is under 0.2: it cycles
  CHECK(0.75 * heat / 10000 < 0.2);
  CHECK(at[Component::chiller] == Approx(2000 * 0.8 * (0.1 + 0.3 * 0.2 + 0.6 * 0.04) * (0.75 * heat / 2000)));
  CHECK(at[Component::air] == Approx(100 * 0.125));  // at its floor of half the flow
  CHECK(at.meter_w() == Approx(heat + at[Component::chiller] + at[Component::air] + 60));
  // Twice the nodes with twice the watts are twice everything.
  CHECK(Facility(s).meter_w(2, 2400) == Approx(2 * at.meter_w()).epsilon(1e-15));
}

TEST_CASE("redundant supplies halve the load of each") {
  FacilitySpec s;
  s.supply_rating_w = 2000;
  s.supply = {0, 0, 0.05};
  s.supplies = 1;
  CHECK(Facility(s).ledger(1, 1000)[Component::psu] == Approx(2000 * 0.05 * 0.25));
  s.supplies = 2;  // 1 + 1: each carries 500 W
  CHECK(Facility(s).ledger(1, 1000)[Component::psu] == Approx(2 * 2000 * 0.05 * 0.0625));
}

TEST_CASE("free cooling takes the chiller's work over its range, and outdoor heat makes it dearer") {
  auto s = h200_node();
  auto const chiller = [&](double outdoor_c) {
    s.outdoor_c = outdoor_c;
    return Facility(s).ledger(1, 5000)[Component::chiller];
  };
  CHECK(chiller(-20) == 0);
  CHECK(chiller(8) == 0);
  CHECK(chiller(9) > 0);
  CHECK(chiller(13) > chiller(9));
  CHECK(chiller(38) == Approx(chiller(35) * 1.06));
  s.free_range_k = 0;  // a threshold: all or nothing
  CHECK(chiller(8) == 0);
  CHECK(chiller(8.001) == Approx(chiller(18) * (1 - 0.02 * 26.999) / (1 - 0.02 * 17)));
}

TEST_CASE("the ledger of components is the meter, and each component can be taken out") {
  for (auto const& spec : {h200_node(), a100_node()}) {
    auto const whole = Facility(spec).ledger(16, 60000);
    CHECK(whole.meter_w() == Approx(std::accumulate(whole.watts.begin(), whole.watts.end(), 0.0)).epsilon(1e-15));
    for (std::size_t c = 1; c < component_count; ++c) {
      INFO(component_table()[c].name);
      auto const component = static_cast<Component>(c);
      auto const less = Facility(without(spec, component)).ledger(16, 60000);
      CHECK(whole[component] > 0);
      CHECK(less[component] == 0);
      CHECK(less.meter_w() <= whole.meter_w() - whole[component] * (1 - 1e-12));  // and what it heats and loads
    }
  }
  FacilitySpec const bare;
  CHECK(Facility(bare).meter_w(3, 4321.5) == 4321.5);
  CHECK(Facility(bare).ledger(3, 4321.5).pue() == 1);
}

TEST_CASE("GPU to IT to meter is monotone to the last bit, and the inverse returns to 1e-12, for any valid facility") {
  testing::Draws draw(5);
  for (int trial = 0; trial < 300; ++trial) {
    Facility const facility(any_spec(draw));
    double const nodes = std::floor(draw.between(1, 200));
    double last_it = 0, last_meter = 0;
    for (int k = 0; k <= 40; ++k) {
      double const gpu_w = nodes * 250.0 * k;
      auto const at = facility.ledger(nodes, gpu_w);
      REQUIRE(at.it_w() >= last_it);
      REQUIRE(at.meter_w() >= last_meter);
      last_it = at.it_w();
      last_meter = at.meter_w();
      // Neighbouring doubles, too.
      auto const next = std::nextafter(gpu_w, 1e300);
      REQUIRE(facility.meter_w(nodes, next) >= at.meter_w());
      if (k == 0) continue;
      REQUIRE(facility.gpu_for_it(nodes, at.it_w()) == Approx(gpu_w).epsilon(1e-12));
      auto const back = facility.gpu_for_meter(nodes, at.meter_w());
      REQUIRE(back == Approx(gpu_w).epsilon(1e-12));
      REQUIRE(back >= gpu_w);  // the largest draw that keeps the limit
      REQUIRE(facility.meter_w(nodes, back) <= at.meter_w());
      REQUIRE(facility.meter_w(nodes, std::nextafter(back, 1e300)) > at.meter_w());
    }
    REQUIRE(facility.gpu_for_meter(nodes, facility.meter_w(nodes, 0) * (1 - 1e-9) - 1e-300) == 0);
    // The way in two halves.
    auto const gpu_w = nodes * draw.between(0, 9000);
    auto const it_w = nodes * facility.node_it_w(gpu_w / nodes);
    REQUIRE(it_w == Approx(facility.it_w(nodes, gpu_w)).epsilon(1e-14));
    REQUIRE(facility.meter_for_it(nodes, it_w) == Approx(facility.meter_w(nodes, gpu_w)).epsilon(1e-13));
    REQUIRE(facility.it_for_meter(nodes, facility.meter_for_it(nodes, it_w)) == Approx(it_w).epsilon(1e-12));
  }
}

TEST_CASE("the marginal ratio is the slope of the meter") {
  testing::Draws draw(6);
  for (int trial = 0; trial < 200; ++trial) {
    Facility const facility(any_spec(draw));
    auto const gpu_w = draw.between(2000, 40000), h = gpu_w * 1e-7;
    auto const slope = facility.marginal(8, gpu_w);
    auto const right = (facility.meter_w(8, gpu_w + h) - facility.meter_w(8, gpu_w)) / h;
    auto const left = (facility.meter_w(8, gpu_w) - facility.meter_w(8, gpu_w - h)) / h;
    REQUIRE(slope >= 1);
    REQUIRE(facility.marginal(std::vector<NodeLoad>{{3, gpu_w / 8}, {5, gpu_w / 8}}) == Approx(slope).epsilon(1e-12));
    if (right == Approx(left).epsilon(1e-4)) {  // not at a kink
      REQUIRE(slope == Approx(right).epsilon(1e-4));
    }
  }
}

TEST_CASE("the marginal ratio of nodes that differ is the slope where each GPU watt rises by as much") {
  Facility const facility(h200_node());
  auto const meter = [&](double more_w) { return facility.ledger(std::vector<NodeLoad>{{3, 2000 + more_w}, {5, 4000 + more_w}}).meter_w(); };
  CHECK(facility.marginal(std::vector<NodeLoad>{{3, 2000}, {5, 4000}}) == Approx((meter(0.01) - meter(-0.01)) / (8 * 0.02)).epsilon(1e-6));
  CHECK(facility.marginal(std::vector<NodeLoad>{}) == 0);
}

TEST_CASE("nodes that differ are summed node by node; sharing evenly is a lower bound by convexity") {
  Facility const facility(a100_node());
  std::vector<NodeLoad> const equal{{3, 2000}, {5, 2000}};
  CHECK(facility.ledger(equal).meter_w() == Approx(facility.meter_w(8, 16000)).epsilon(1e-14));
  auto const over_even = [&](double low_w, double high_w) {
    return facility.ledger(std::vector<NodeLoad>{{4, low_w}, {4, high_w}}).meter_w() / facility.meter_w(8, 4 * (low_w + high_w)) - 1;
  };
  CHECK(over_even(2400, 2800) > 0);
  CHECK(over_even(2400, 2800) < 0.001);
  CHECK(over_even(1000, 3200) == Approx(0.03).margin(0.015));  // fans by the cube: where cuts are uneven, who is cut matters at the meter
  CHECK(facility.ledger(std::vector<NodeLoad>{}).meter_w() == 0);
}

TEST_CASE("the H200 node agrees with published figures") {
  Facility const facility(h200_node());
  // arXiv:2506.14551: 8 x H100 nodes train at about 76 % of their rating of 10.2 kW; within 5 points. GPUs at 93 % of TDP, as dense training runs.
  auto const training = facility.ledger(1, 8 * 0.93 * 700);
  auto const node_w = training.it_w() - training[Component::fabric];
  CHECK(node_w / 10200 == Approx(0.76).margin(0.05));
  // arXiv:2412.08602: at most 8.4 kW "even with GPUs near full utilization"; within 5 points of the rating.
  auto const full = facility.ledger(1, 8 * 700);
  CHECK((full.it_w() - full[Component::fabric]) / 10200 == Approx(8400.0 / 10200).margin(0.05));
  // MLPerf v4.0 power: AC/DC 0.970, within 0.005.
  CHECK(1 - training[Component::psu] / node_w == Approx(0.970).margin(0.005));
  // Supplies better than 80 PLUS Titanium asks for at 10, 20, 50 and 100 % load.
  auto const s = h200_node().supply;
  for (auto [load, least] : std::vector<std::pair<double, double>>{{0.1, 0.90}, {0.2, 0.94}, {0.5, 0.96}, {1.0, 0.91}})
    CHECK(load / (load + s.fixed + s.linear * load + s.quadratic * load * load) >= least);
  // PUE between hyperscale's 1.1 and the industry's mean of 1.58 (Uptime Institute 2023), from cold to hot, at training load.
  auto hot = h200_node();
  hot.outdoor_c = 38;
  auto cold = h200_node();
  cold.outdoor_c = 0;
  CHECK(Facility(cold).ledger(1, 5208).pue() > 1.05);
  CHECK(Facility(cold).ledger(1, 5208).pue() < training.pue());
  CHECK(Facility(hot).ledger(1, 5208).pue() < 1.58);
}

TEST_CASE("the A100 node agrees with the Acme servers") {
  // Matched quantiles of one GPU's and one server's power (github:InternLM/AcmeTrace, CC-BY-4.0; data/utilization/util_pkl, Kalos GPUs):
  // 10 %: 63.0 W and 1512 W, 95 %: 413.3 W and 5040 W. Beside its GPUs a node draws 1.0 kW idle and 1.7 kW loaded; slope 1.26.
  Facility const facility(a100_node());
  auto const node_w = [&](double gpu_w) {
    auto const at = facility.ledger(1, gpu_w);
    return at.it_w() - at[Component::fabric];
  };
  CHECK(node_w(8 * 63.0) == Approx(1512).epsilon(0.10));
  CHECK(node_w(8 * 413.3) == Approx(5040).epsilon(0.10));
  CHECK(node_w(8 * 63.0) - 8 * 63.0 == Approx(1000).epsilon(0.10));
  CHECK(node_w(8 * 413.3) - 8 * 413.3 == Approx(1700).epsilon(0.10));
  CHECK((node_w(8 * 413.3) - node_w(8 * 63.0)) / (8 * 413.3 - 8 * 63.0) == Approx(1.26).epsilon(0.10));
}

TEST_CASE("impossible facilities are refused by key") {
  auto const message = [](auto change) {
    auto s = h200_node();
    change(s);
    try {
      Facility const refused(s);
    } catch (InputError const& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(message([](FacilitySpec&) {}) == "accepted");
  auto const refused = [](std::string const& key) {
    return "facility." + key + ": is out of its range (power would not rise with load); choose a possible value";
  };
  CHECK(message([](FacilitySpec& s) { s.supplies = 0; }) == refused("supplies"));
  CHECK(message([](FacilitySpec& s) { s.fans.rated_w = -1; }) == refused("fans_rated_w"));
  CHECK(message([](FacilitySpec& s) { s.chiller.part_load[1] = std::nan(""); }) == refused("chiller_part_linear"));
  CHECK(message([](FacilitySpec& s) { s.outdoor_c = 1e9; }) == refused("outdoor_c"));
  for (auto const& number : facility_numbers()) CHECK(message([&](FacilitySpec& s) { number.of(s) = -1e13; }) == refused(std::string(number.key)));
}

}  // namespace wattfill
