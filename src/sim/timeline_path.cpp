#include "sim/timeline_path.hpp"

#include <algorithm>
#include <utility>

#include "wattfill/core/hostdevice.hpp"

namespace wattfill {
namespace {

/// The straight line between two rows that only rise.
WATTFILL_CLONES void line(double const* lower, double const* upper, double theta, double* out, std::size_t n) {
  auto const t = all<QuadPair>(theta);
  for (std::size_t i = 0; i < n; i += lane_count) {
    auto const lo = load<QuadPair>(lower + i), hi = load<QuadPair>(upper + i);
    store(out + i, min_each(lo + t * (hi - lo), hi));
  }
}

WATTFILL_CLONES FillPosition locate_on(FillView view, double const* gpus, double budget_w, std::size_t hint) { return view.locate(gpus, budget_w, hint); }

}  // namespace

double speed_at(TimelineClass const& cls, double draw_w) { return cls.curve->curve.speed(draw_w) / cls.curve->curve.max_speed(); }

double draw_under_cap(Curve const& curve, double cap_w) {
  auto const caps = curve.curve.caps(), draws = curve.curve.draws();
  auto const above = std::ranges::upper_bound(caps, cap_w);
  if (above == caps.begin()) return draws.front();
  if (above == caps.end()) return draws.back();
  auto const i = static_cast<std::size_t>(above - caps.begin());
  return std::min(draws[i - 1] + (cap_w - caps[i - 1]) / (caps[i] - caps[i - 1]) * (draws[i] - draws[i - 1]), draws[i]);
}

TimelinePath::TimelinePath(Policy const& policy, std::span<TimelineClass const> classes, std::span<Demand const> demands)
    : plan_(policy.prepare(demands)), splits_(policy.splits()), classes_(classes.size()) {
  std::vector<std::vector<double>> bends(classes.size());
  if (!splits_)  // a split class stands on knots, where its speed is exact
    for (std::size_t c = 0; c < classes.size(); ++c) bends[c].assign(classes[c].curve->curve.draws().begin(), classes[c].curve->curve.draws().end());
  auto const crossings = plan_.crossings(bends);
  auto crossing = crossings.begin();
  auto const add = [&](FillPlan::Place const& place) {
    auto const at = plan_.draws_at({place.knot, place.theta});
    theta_.push_back(place.theta);
    for (std::size_t c = 0; c < classes.size(); ++c) speeds_.push_back(speed_at(classes[c], at[c]));
    speeds_.resize(speeds_.size() + plan_.stride() - classes.size(), 0.0);
  };
  for (std::size_t k = 0; k < plan_.knots(); ++k) {
    first_.push_back(theta_.size());
    add({k, 0});
    for (; crossing != crossings.end() && crossing->knot == k; ++crossing) add(*crossing);
    std::size_t c = 0;
    if (splits_ && k + 1 < plan_.knots())
      while (c + 1 < classes.size() && !(plan_.draws(k + 1)[c] > plan_.draws(k)[c])) ++c;
    moving_.push_back(c);
  }
  first_.push_back(theta_.size());
}

TimelinePath::Place TimelinePath::locate(double const* gpus, double budget_w) {
  auto const at = locate_on(plan_.view(), gpus, budget_w, hint_);
  hint_ = at.knot;
  return {at, moving_[at.knot]};
}

PathView TimelinePath::view() const {
  PathView view{};
  view.draws = plan_.view();
  view.moves = moves_.empty() ? nullptr : moves_.data();
  return view;
}

void TimelinePath::meter(Facility const& facility) {
  if (splits_)
    for (auto const c : moving_) moves_.push_back({static_cast<std::uint32_t>(c), {}, 0});
  metered_.emplace(facility, view(), classes_);
}

TimelinePath::Place TimelinePath::locate(double* jobs, double* gpus, double budget_w, double budget_it_w, Facility const& facility) {
  auto const place = locate(gpus, budget_w);
  if (budget_it_w == std::numeric_limits<double>::infinity()) return place;
  MixView mix{};
  mix.jobs = jobs;
  mix.gpus = gpus;
  auto const at = metered_->locate(facility, view(), mix, budget_it_w);
  if (std::pair(place.at.knot, place.at.theta) <= std::pair(at.knot, at.theta)) return place;
  return {at, moving_[at.knot]};
}

TimelinePath::Drawn TimelinePath::at_worth(double const* weights, double* jobs, double* gpus, double share, Facility const& facility) const {
  FillView const speeds{speeds_.data(), plan_.stride(), theta_.size()};
  auto const worth = speeds.power(weights, theta_.size() - 1);
  auto const found = locate_on(speeds, weights, share * worth, theta_.size() - 1);
  auto const k = static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end() - 1, found.knot) - first_.begin()) - 1;
  auto const next = found.knot + 1 < first_[k + 1] ? theta_[found.knot + 1] : 1.0;
  FillPosition const at{k, theta_[found.knot] + found.theta * (next - theta_[found.knot]), 0, 0};
  MixView mix{};
  mix.jobs = jobs;
  mix.gpus = gpus;
  auto const draws = plan_.view();
  auto gpu_w = draws.power(gpus, k);
  if (at.theta > 0) gpu_w += at.theta * (draws.power(gpus, k + 1) - gpu_w);
  return {gpu_w, metered_->it_w(facility, view(), mix, at)};
}

void TimelinePath::rates(Place const& place, double* draws, double* speeds) const {
  auto const stride = plan_.stride();
  auto const k = place.at.knot;
  auto const last = k + 1 == plan_.knots();
  auto const* const row = plan_.view().rows + k * stride;
  auto const theta = splits_ || last ? 0.0 : place.at.theta;
  line(row, last ? row : row + stride, theta, draws, stride);
  // The last place of the knot at or before theta, and the next one.
  auto const begin = theta_.begin() + static_cast<std::ptrdiff_t>(first_[k]), end = theta_.begin() + static_cast<std::ptrdiff_t>(first_[k + 1]);
  auto const i = static_cast<std::size_t>(std::upper_bound(begin, end, theta) - theta_.begin()) - 1;
  auto const next = i + 1 < first_[k + 1] ? theta_[i + 1] : 1.0;
  auto const* const v = speeds_.data() + i * stride;
  line(v, last ? v : v + stride, (theta - theta_[i]) / (next - theta_[i]), speeds, stride);
}

}  // namespace wattfill
