// The rule `expression`: what a formula may say, and that it says the same on every processor.
#include <cmath>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/curves.hpp"
#include "support/policies.hpp"
#include "wattfill/core/fixed_math.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

struct Jobs {
  std::deque<Curve> curves;
  std::vector<Demand> demands;

  Jobs() {
    Draws draws(42);
    curves.push_back(make_curve("a", {{100.3, 3.7}, {398.7, 41.3}}, 3));
    curves.push_back(make_curve("b", {{151.1, 70.9}, {302.9, 101.7}}, 2));
    curves.push_back(make_curve("c", {{90.7, 1.3}, {699.1, 2.9}}, 7));
    for (auto& curve : curves) {
      curve.telemetry["dram"] = draws.between(0.1, 1);
      Demand d;
      d.believed = &curve;
      d.gpus = curve.gpus;
      d.floor_w = curve.curve.min_draw() + 3.3;
      d.uncapped_w = curve.curve.max_draw();
      d.value = draws.between(1, 9);
      d.priority = draws.between(1, 5);
      d.pfi = draws.between(0.5, 3);
      d.a = draws.between(0.1, 1);
      d.b = draws.between(0.1, 1);
      demands.push_back(d);
    }
  }

  /// The path that `formula` gives equals, to the last bit, the path of these very weights.
  template <class Weight>
  bool gives(std::string const& formula, Weight weight, bool pfi_off = false) {
    for (std::size_t i = 0; i < curves.size(); ++i) curves[i].telemetry["weight"] = weight(demands[i]);
    auto const own = make_policy(labelled(expression(formula), "", pfi_off))->prepare(demands),
               wanted = make_policy(telemetry("weight", true))->prepare(demands);
    if (own.knots() != wanted.knots()) return false;
    for (std::size_t k = 0; k < own.knots(); ++k)
      if (!same_bits(own.draws(k), wanted.draws(k))) return false;
    return true;
  }
  std::string refused(std::string const& formula) const {
    return refusal([&] { make_policy(expression(formula))->prepare(demands); });
  }
};

}  // namespace

TEST_CASE("a formula knows every quantity of a job, its telemetry, and nothing else") {
  Jobs jobs;
  CHECK(jobs.gives("p_max", [](Demand const& d) { return d.gpus * d.uncapped_w; }));
  CHECK(jobs.gives("p_min", [](Demand const& d) { return d.gpus * d.floor_w; }));
  CHECK(jobs.gives("t_max", [](Demand const& d) { return d.believed->curve.max_speed(); }));
  CHECK(jobs.gives("pfi", [](Demand const& d) { return d.pfi; }));
  CHECK(jobs.gives("a", [](Demand const& d) { return d.a; }));
  CHECK(jobs.gives("b", [](Demand const& d) { return d.b; }));
  CHECK(jobs.gives("gpus", [](Demand const& d) { return d.gpus; }));
  CHECK(jobs.gives("value", [](Demand const& d) { return d.value; }));
  CHECK(jobs.gives("priority", [](Demand const& d) { return d.priority; }));
  CHECK(jobs.gives("dram", [](Demand const& d) { return d.believed->telemetry.at("dram"); }));
  auto const text = jobs.refused("p_max * tensor_activity");
  CHECK(contains(text, "\"tensor_activity\" is neither a quantity nor a telemetry feature of lab/a"));
  CHECK(contains(text, "telemetry features"));
}

TEST_CASE("operators, comparisons, the conditional and functions mean what they mean in C++") {
  Jobs jobs;
  CHECK(jobs.gives("p_max - p_min * a + b / 3", [](Demand const& d) { return d.gpus * d.uncapped_w - d.gpus * d.floor_w * d.a + d.b / 3; }));
  CHECK(jobs.gives("2 ^ 3 ^ 0.5 * pfi", [](Demand const& d) { return fixed_pow(2, fixed_pow(3, 0.5)) * d.pfi; }));  // the power binds to the right
  CHECK(jobs.gives("pfi > 1 && gpus <= 3 ? 2 : 1", [](Demand const& d) { return d.pfi > 1 && d.gpus <= 3 ? 2.0 : 1.0; }));
  CHECK(jobs.gives("(pfi < 1 || gpus != 3) + 1", [](Demand const& d) { return double(d.pfi < 1 || d.gpus != 3) + 1; }));
  CHECK(jobs.gives("(gpus == 3) + (gpus >= 3) + 1", [](Demand const& d) { return double(d.gpus == 3) + double(d.gpus >= 3) + 1; }));
  CHECK(jobs.gives("min(pfi, 1.2) + max(a, b)", [](Demand const& d) { return std::min(d.pfi, 1.2) + std::max(d.a, d.b); }));
  CHECK(jobs.gives("abs(-pfi) + sqrt(p_max)", [](Demand const& d) { return d.pfi + std::sqrt(d.gpus * d.uncapped_w); }));
  CHECK(jobs.gives("-(-pfi)", [](Demand const& d) { return d.pfi; }));
}

TEST_CASE("powers, exponentials and logarithms are the ones with fixed bits") {
  Jobs jobs;
  CHECK(jobs.gives("p_max ^ 1.7", [](Demand const& d) { return fixed_pow(d.gpus * d.uncapped_w, 1.7); }));
  CHECK(jobs.gives("p_max ^ 2", [](Demand const& d) { return d.gpus * d.uncapped_w * (d.gpus * d.uncapped_w); }));
  CHECK(jobs.gives("exp(pfi)", [](Demand const& d) { return fixed_exp(d.pfi); }));
  CHECK(jobs.gives("log(p_max)", [](Demand const& d) { return fixed_log(d.gpus * d.uncapped_w); }));
}

TEST_CASE("p_max^2*pfi/value is pfi-aware bit for bit, with PFI on and off") {
  Jobs const jobs;
  for (bool off : {false, true}) {
    auto const own = make_policy(labelled(expression("p_max^2*pfi/value"), "", off))->prepare(jobs.demands);
    auto const wanted = make_policy(labelled(policy("pfi-aware"), "", off))->prepare(jobs.demands);
    REQUIRE(own.knots() == wanted.knots());
    for (std::size_t k = 0; k < own.knots(); ++k) CHECK(same_bits(own.draws(k), wanted.draws(k)));
  }
  Jobs other;
  CHECK(other.gives(
      "p_max * pfi", [](Demand const& d) { return d.gpus * d.uncapped_w; }, true));
}

TEST_CASE("a formula that does not parse, or is not one number, is refused with the formula and what it may use") {
  Jobs const jobs;
  for (auto formula : {"p_max +", "p_max * (pfi", "p_max pfi", ") pfi", "* pfi", "p_max ** 2", "sin(pfi)", "pfi = 3", "pfi += 1", "rnd()", "\"text\"",
                       "pfi ? 1", "p_max, pfi", "_pi", "1e", "pfi; 2", "  "}) {
    CAPTURE(formula);
    auto const text = jobs.refused(formula);
    CHECK(contains(text, "\"" + std::string(formula) + "\""));
    CHECK(contains(text, "it may use p_max"));
  }
}

TEST_CASE("a job that cannot be cut needs no weight") {
  Jobs jobs;
  jobs.demands[1].floor_w = jobs.demands[1].uncapped_w;
  jobs.curves[1].telemetry.clear();
  CHECK(jobs.refused("dram").empty());
}
