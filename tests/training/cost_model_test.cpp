#include "wattfill/training/cost_model.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "training/projects.hpp"
#include "wattfill/core/fixed_math.hpp"

using namespace wattfill;
using namespace wattfill::test;

namespace {

std::vector<double> knobs_of(std::vector<CostOption> const& options) {
  std::vector<double> knobs;
  for (auto const& o : options) knobs.push_back(o.knob);
  return knobs;
}

std::vector<CostOption> options_on(double a, double b, double c, std::int64_t from, std::int64_t to) {
  std::vector<CostOption> options;
  for (auto q = from; q <= to; ++q) options.push_back({0, 0, q, 0, a * fixed_exp(b * static_cast<double>(q)) + c});
  return options;
}

double sum_of_squares(ExponentialFit const& fit, std::vector<CostOption> const& options) {
  double sum = 0;
  for (auto const& o : options) sum += std::pow(fit.at(static_cast<double>(o.steps)) - o.effective_energy_j, 2);
  return sum;
}

}  // namespace

TEST_CASE("Options that another beats in time and energy are dropped") {
  // 700 MHz is slower than 800 MHz and uses more.
  std::vector<ProfilePoint> const profile{{1100, 0.010, 9}, {1000, 0.011, 8}, {900, 0.012, 7}, {800, 0.013, 6}, {700, 0.014, 6.5}};
  auto const options = useful_options(profile, 0.001, 100);
  CHECK(knobs_of(options) == std::vector<double>{800, 900, 1000, 1100});
  CHECK(options[1].steps == 12);
  CHECK(options[1].energy_j == 7);
  CHECK(options[1].effective_energy_j == Approx(7 - 100 * 12 * 0.001));
}

TEST_CASE("If three or fewer remain, options that are beaten by little stay too") {
  // Unbeaten: 1000 and 900. 800 MHz uses 2 % more than 900, 700 MHz 8 % more: a factor of 0.95 lets 800 back in, 0.9025 also 700.
  std::vector<ProfilePoint> const profile{{1000, 0.0102, 9}, {900, 0.0112, 5}, {800, 0.0122, 5.1}, {700, 0.0132, 5.4}, {600, 0.0142, 9}};
  CHECK(knobs_of(useful_options(profile, 0.001, 0)) == std::vector<double>{700, 800, 900, 1000});
  // Three in all: every one is kept rather than relaxing for ever.
  CHECK(useful_options(std::span(profile).first(3), 0.001, 0).size() == 3);
}

TEST_CASE("Among equal time steps the option of largest energy is kept, longest first") {
  std::vector<ProfilePoint> const profile{{5, 0.0100, 9}, {4, 0.0104, 8}, {3, 0.0108, 7}, {2, 0.0112, 6}, {1, 0.0121, 5}};
  auto const options = useful_options(profile, 0.001, 0);
  CHECK(knobs_of(options) == std::vector<double>{1, 2, 5});
}

TEST_CASE("Profiles that are no measurements are refused") {
  CHECK(message([] { useful_options({}, 0.001, 0); }).starts_with("a profile without a measurement"));
  std::vector<ProfilePoint> const good{{1000, 0.01, 9}}, still{{1000, 0, 9}}, negative{{1000, 0.01, -9}}, eternal{{1000, 1e9, 9}};
  CHECK(message([&] { useful_options(still, 0.001, 0); }) == "at knob 1000 a time of 0 s; times are positive");
  CHECK(message([&] { useful_options(negative, 0.001, 0); }) == "at knob 1000 an energy of -9 J; energies are not negative");
  CHECK(message([&] { useful_options(good, 0, 0); }) == "a time step of 0 s; give a positive one");
  CHECK(message([&] { useful_options(good, 0.001, -1); }).starts_with("a blocking power of -1 W"));
  CHECK(message([&] { useful_options(eternal, 1e-6, 0); }).ends_with("choose a longer one"));
}

TEST_CASE("An exponential is found again") {
  for (double b : {-0.001, -0.01, -0.15, -0.9}) {
    auto const options = options_on(300 * fixed_exp(-b * 40), b, 12, 40, 60);
    auto const fit = fit_exponential(options);
    INFO("b = " << b);
    CHECK(fit.b == Approx(b).epsilon(1e-7));
    for (auto const& o : options) CHECK(fit.at(static_cast<double>(o.steps)) == Approx(o.effective_energy_j).epsilon(1e-10));
  }
}

TEST_CASE("A fit is least squares: no other rate, scale or level near or far does better") {
  Dice dice(3);
  for (int trial = 0; trial < 20; ++trial) {
    auto options = options_on(500, -0.08, 10, 30, 50);
    for (auto& o : options) o.effective_energy_j *= 1 + (dice.upto(200) - 100) / 2000.0;
    auto const fit = fit_exponential(options);
    auto const least = sum_of_squares(fit, options);
    for (double by : {1e-4, 1e-2, 0.3})
      for (double sign : {-1.0, 1.0}) {
        auto const factor = 1 + sign * by;
        CHECK(sum_of_squares({fit.a * factor, fit.b, fit.c}, options) > least);
        CHECK(sum_of_squares({fit.a, fit.b, fit.c * factor}, options) > least);
        CHECK(sum_of_squares({fit.a * fixed_exp(-fit.b * sign * by * 40), fit.b * factor, fit.c}, options) > least);
      }
  }
}

TEST_CASE("A straight profile has a straight fit, although a and c cancel") {
  std::vector<CostOption> options;
  for (std::int64_t q = 100; q <= 120; ++q) options.push_back({0, 0, q, 0, 50 - 0.25 * static_cast<double>(q)});
  auto const fit = fit_exponential(options);
  CHECK(fit.a > 1e6);
  for (auto const& o : options) CHECK(fit.at(static_cast<double>(o.steps)) == Approx(o.effective_energy_j).epsilon(1e-7));
  auto const curve = fitted_cost_curve(options);
  CHECK(curve.shortest() == 100);
  CHECK(curve.longest() == 120);
}

TEST_CASE("One option is a constant, two are a line") {
  std::vector<CostOption> const options{{800, 0.012, 12, 7, 5}, {1000, 0.010, 10, 9, 8}};
  CHECK(fitted_cost_curve(options).energy_j(11) == 6.5);
  CHECK(fitted_cost_curve(std::span(options).first(1)).knots().size() == 1);
  CHECK(fit_exponential(std::span(options).first(1)).at(3) == 5);
}

TEST_CASE("The measured curve is the hull of the options, the fitted one has a knot per time step") {
  std::vector<CostOption> const options{{600, 0, 16, 0, 4}, {700, 0, 14, 0, 5.5}, {800, 0, 12, 0, 6}, {1000, 0, 10, 0, 9}};
  auto const measured = measured_cost_curve(options);
  CHECK(std::vector(measured.knots().begin(), measured.knots().end()) == Knots{{10, 9}, {12, 6}, {16, 4}});
  CHECK(fitted_cost_curve(options).knots().size() == 7);
  CHECK(message([] { cost_curve({1, -1, 0}, 5, 4); }).starts_with("durations from 5 to 4"));
}
