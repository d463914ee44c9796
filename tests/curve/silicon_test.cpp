#include "wattfill/curve/silicon.hpp"

#include "support/catch.hpp"
#include "support/draws.hpp"
#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

std::string message(auto const& run) {
  try {
    run();
  } catch (InputError const& error) {
    return error.what();
  }
  return "accepted";
}

/// 100 W at half speed, 200 W at 0.8, 300 W at full speed.
PowerSpeedCurve const job({{100, 100, 0.5}, {200, 200, 0.8}, {300, 300, 1}});

}  // namespace

TEST_CASE("silicon factors are evenly spread around one, and more GPUs meet worse ones") {
  CHECK(silicon_factors(0.1, 1) == std::vector<double>{1});
  CHECK(silicon_factors(0.3, 2) == std::vector<double>{1 + 0.3 * (2.0 / 3 - 1), 1 + 0.3 * (4.0 / 3 - 1)});  // 0.9, 1.1
  CHECK(silicon_factors(0.1, 3) == std::vector<double>{0.95, 1, 1.05});
  CHECK(silicon_factors(0.1, 0.5).size() == 1);
  CHECK(silicon_factors(0.1, 1e9).size() == 1024);
  CHECK(silicon_factors(0.1, 64).back() > silicon_factors(0.1, 8).back());
  double sum = 0;
  for (double const s : silicon_factors(0.22, 77)) sum += s;
  CHECK(sum / 77 == Approx(1).epsilon(1e-14));
}

TEST_CASE("where nothing varies nothing changes") {
  for (auto const held : {HeldBy::caps, HeldBy::clocks}) {
    auto const points = [](PowerSpeedCurve const& c) { return std::vector<CurvePoint>(c.points().begin(), c.points().end()); };
    CHECK(points(with_silicon(job, 1, 400, {0.2, held, 80})) == points(job));
    CHECK(points(with_silicon(job, 64, 400, {0, held, 80})) == points(job));
  }
}

TEST_CASE("held by clocks the mean draw of a speed stays, up to where the slowest GPU is at its TDP") {
  // Three GPUs of 0.8, 1 and 1.2: at a TDP of 360 W nothing is lost; at 300 W full speed is that of a mean GPU at 250 W, 0.9.
  auto const roomy = with_silicon(job, 3, 360, {0.4, HeldBy::clocks, 80});
  CHECK(roomy.max_speed() == 1);
  CHECK(roomy.max_draw() == Approx(300).epsilon(1e-14));
  CHECK(roomy.speed(150) == Approx(0.65).epsilon(1e-14));
  auto const tight = with_silicon(job, 3, 300, {0.4, HeldBy::clocks, 80});
  CHECK(tight.max_speed() == Approx(0.9).epsilon(1e-14));
  CHECK(tight.max_draw() == Approx(250).epsilon(1e-14));
}

TEST_CASE("held by caps the fast GPUs run ahead and wait") {
  // Three GPUs of 0.8, 1 and 1.2 under 120 W: the slowest runs as a mean one at 100 W, 0.5. The mean one at 120 W: 0.56, busy for 0.5 / 0.56 of the time. The
  // best as one at 150 W: 0.65. Waiting takes 80 W.
  auto const held = with_silicon(job, 3, 400, {0.4, HeldBy::caps, 80});
  CHECK(held.speeds()[0] == 0.5);
  auto const mean = 120 * (0.5 / 0.56) + 80 * (1 - 0.5 / 0.56), best = 120 * (0.5 / 0.65) + 80 * (1 - 0.5 / 0.65);
  CHECK(held.draws()[0] == Approx((120 + mean + best) / 3).epsilon(1e-14));
  CHECK(held.caps()[0] == Approx(120).epsilon(1e-14));
  // At full speed the two better ones stop at their own full draw, 0.8 x 300 and 300 W, and nobody waits.
  CHECK(held.max_speed() == 1);
  CHECK(held.max_draw() == Approx((240 + 300 + 360) / 3.0).epsilon(1e-14));
}

TEST_CASE("where a watt's worth falls with power, one clock for all is never slower than one cap for all, and more spread is never faster") {
  testing::Draws draw(21);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<CurvePoint> points;
    double speed = draw.between(0.2, 0.5), worth = 1;
    for (double w = 100; w <= 400; w += 50) {
      points.push_back({w, w, speed});
      worth *= draw.between(0.5, 1);
      speed *= 1 + worth * 50 / w;  // speed per watt never rises
    }
    PowerSpeedCurve const mean(points);
    auto const gpus = 2 + static_cast<double>(draw.below(63)), spread = draw.between(0.01, 0.22);
    auto const caps = with_silicon(mean, gpus, 430, {spread, HeldBy::caps, draw.between(0, 90)}),
               clocks = with_silicon(mean, gpus, 430, {spread, HeldBy::clocks, 0}), wider = with_silicon(mean, gpus, 430, {spread * 1.5, HeldBy::clocks, 0});
    REQUIRE(caps.max_speed() == clocks.max_speed());
    for (auto const& p : clocks.points()) {
      REQUIRE(p.speed >= caps.speed(p.power_w) * (1 - 1e-12));
      REQUIRE(wider.speed(p.power_w) <= p.speed * (1 + 1e-12));
      REQUIRE(p.speed <= mean.speed(p.power_w) * (1 + 1e-12));
    }
  }
}

TEST_CASE("silicon out of range is refused") {
  CHECK(message([] { with_silicon(job, 8, 400, {0.6, HeldBy::caps, 0}); }) == "a spread of silicon of 0.6; give 0 to 0.5");
  CHECK(message([] { with_silicon(job, 8, 400, {-0.1, HeldBy::caps, 0}); }) == "a spread of silicon of -0.1; give 0 to 0.5");
  CHECK(message([] { with_silicon(job, 8, 400, {0.1, HeldBy::caps, -1}); }) == "a waiting GPU that draws -1 W; give 0 or more");
  PowerSpeedCurve const flat({{290, 290, 0.9}, {300, 300, 1}});
  CHECK(message([&] {
          with_silicon(flat, 3, 300, {0.4, HeldBy::caps, 0});
        }) == "the slowest of 3 GPUs reaches its TDP of 300 W below the second point of the curve; lower the spread");
}

}  // namespace wattfill
