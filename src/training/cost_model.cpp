#include "wattfill/training/cost_model.hpp"

#include <algorithm>
#include <cmath>

#include "wattfill/core/error.hpp"
#include "wattfill/core/fixed_math.hpp"
#include "wattfill/core/text.hpp"

namespace wattfill {
namespace {

constexpr std::size_t enough_options = 4;
constexpr double relaxation = 0.95;

void check(std::span<ProfilePoint const> profile, double tau_s, double blocking_w) {
  if (!(tau_s > 0 && std::isfinite(tau_s))) throw InputError("a time step of " + number_text(tau_s) + " s; give a positive one");
  if (!(blocking_w >= 0 && std::isfinite(blocking_w))) throw InputError("a blocking power of " + number_text(blocking_w) + " W; give 0 or more");
  if (profile.empty()) throw InputError("a profile without a measurement; give at least one");
  for (auto const& p : profile) {
    auto const at = "at knob " + number_text(p.knob) + " ";
    if (!(p.time_s > 0 && std::isfinite(p.time_s))) throw InputError(at + "a time of " + number_text(p.time_s) + " s; times are positive");
    if (!(p.energy_j >= 0 && std::isfinite(p.energy_j))) throw InputError(at + "an energy of " + number_text(p.energy_j) + " J; energies are not negative");
  }
}

std::vector<ProfilePoint> unbeaten(std::span<ProfilePoint const> profile, double factor) {
  std::vector<ProfilePoint> kept;
  for (auto const& p : profile)
    if (std::ranges::none_of(profile, [&](ProfilePoint const& q) { return q.time_s < p.time_s && q.energy_j < p.energy_j * factor; })) kept.push_back(p);
  return kept;
}

/// Least squares of the energies on 1 and exp(b (q - middle)).
class Regression {
 public:
  explicit Regression(std::span<CostOption const> options) {
    for (auto const& o : options) {
      q_.push_back(static_cast<double>(o.steps));
      e_.push_back(o.effective_energy_j);
    }
    auto const [low, high] = std::ranges::minmax(q_);
    width = high - low;
    middle = low;
    for (auto& q : q_) q -= middle;
    for (auto e : e_) mean_e_ += e / static_cast<double>(e_.size());
  }

  /// Solves for the scale and level at `b`; returns the sum of squares.
  double solve(double b) {
    auto const n = q_.size();
    phi_.assign(n, 0);
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i) mean += (phi_[i] = exponential_less_one(b * q_[i]) / b) / static_cast<double>(n);
    double up = 0, down = 0;
    for (std::size_t i = 0; i < n; ++i) {
      up += (phi_[i] - mean) * (e_[i] - mean_e_);
      down += (phi_[i] - mean) * (phi_[i] - mean);
    }
    slope = up / down;
    level = mean_e_ - slope * mean;
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += residual(i) * residual(i);
    return sum;
  }
  /// Has the sign of the derivative of the sum of squares by b, at the last solution: the other two parameters are at their best, so only b's own
  /// part counts.
  double derivative(double b) const {
    double sum = 0;
    for (std::size_t i = 0; i < q_.size(); ++i) sum -= residual(i) * q_[i] * fixed_exp(b * q_[i]);
    return sum * slope / b;
  }

  double slope = 0, level = 0;  ///< energy = level + slope (exp(b (q - middle)) - 1) / b
  double width = 0, middle = 0;

 private:
  /// exp(x) - 1, also where x is small.
  static double exponential_less_one(double x) {
    if (std::fabs(x) > 1e-3) return fixed_exp(x) - 1;
    return x * (1 + x / 2 * (1 + x / 3 * (1 + x / 4 * (1 + x / 5))));
  }
  double residual(std::size_t i) const { return e_[i] - level - slope * phi_[i]; }

  std::vector<double> q_, e_, phi_;
  double mean_e_ = 0;
};

}  // namespace

std::vector<CostOption> useful_options(std::span<ProfilePoint const> profile, double tau_s, double blocking_w) {
  check(profile, tau_s, blocking_w);
  auto kept = unbeaten(profile, 1);
  for (auto factor = relaxation; kept.size() < std::min(enough_options, profile.size()); factor *= relaxation) kept = unbeaten(profile, factor);

  std::vector<CostOption> options;
  for (auto const& p : kept) {
    auto const steps = std::floor(p.time_s / tau_s);
    if (!(steps <= static_cast<double>(CostCurve::longest_duration)))
      throw InputError("a time of " + number_text(p.time_s) + " s is too many time steps of " + number_text(tau_s) + " s; choose a longer one");
    options.push_back({p.knob, p.time_s, static_cast<std::int64_t>(steps), p.energy_j, p.energy_j - blocking_w * steps * tau_s});
  }
  std::ranges::stable_sort(options, [](auto const& a, auto const& b) { return a.steps != b.steps ? a.steps > b.steps : a.energy_j > b.energy_j; });
  auto const repeated = std::ranges::unique(options, {}, &CostOption::steps);
  options.erase(repeated.begin(), repeated.end());
  return options;
}

double ExponentialFit::at(double q) const { return a * fixed_exp(b * q) + c; }

ExponentialFit fit_exponential(std::span<CostOption const> options) {
  if (options.empty()) throw InputError("a computation has no options (nothing says how long it takes); give at least one");
  Regression regression(options);
  if (regression.width == 0) return {0, -1, options.front().effective_energy_j};

  // b = -shape / width: from a line (the least shape) to a step at the shortest duration.
  constexpr int starts = 400;
  constexpr double least = 1e-6, most = 1e2;
  auto const rate = [&](double start) { return -least * fixed_pow(most / least, start / starts) / regression.width; };
  int best = 0;
  double least_squares = regression.solve(rate(0));
  for (int s = 1; s <= starts; ++s) {
    auto const squares = regression.solve(rate(s));
    if (squares < least_squares) {
      least_squares = squares;
      best = s;
    }
  }
  auto flat = std::max(best - 1.0, 0.0), steep = std::min(best + 1.0, static_cast<double>(starts));
  for (int i = 0; i < 80 && best > 0; ++i) {
    auto const middle = (flat + steep) / 2;
    regression.solve(rate(middle));
    (regression.derivative(rate(middle)) < 0 ? steep : flat) = middle;  // the sum falls towards larger b, flatter curves
  }
  auto const b = rate(best > 0 ? (flat + steep) / 2 : 0.0);
  regression.solve(b);
  auto const scale = regression.slope / b;  // of exp(b (q - middle))
  return {scale * fixed_exp(-b * regression.middle), b, regression.level - scale};
}

CostCurve cost_curve(ExponentialFit const& fit, std::int64_t shortest, std::int64_t longest) {
  if (shortest > longest || longest > CostCurve::longest_duration)
    throw InputError("durations from " + std::to_string(shortest) + " to " + std::to_string(longest) + " time steps; they must rise and be at most " +
                     std::to_string(CostCurve::longest_duration));
  std::vector<CostCurve::Knot> knots;
  for (auto q = shortest; q <= longest; ++q) knots.push_back({q, fit.at(static_cast<double>(q))});
  return CostCurve(std::move(knots));
}

CostCurve fitted_cost_curve(std::span<CostOption const> options) {
  if (options.size() < 3) return measured_cost_curve(options);
  auto const [shortest, longest] = std::ranges::minmax(options, {}, &CostOption::steps);
  return cost_curve(fit_exponential(options), shortest.steps, longest.steps);
}

CostCurve measured_cost_curve(std::span<CostOption const> options) {
  std::vector<CostCurve::Knot> knots;
  for (auto const& o : options) knots.push_back({o.steps, o.effective_energy_j});
  return CostCurve(std::move(knots));
}

}  // namespace wattfill
