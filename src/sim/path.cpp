#include "sim/path.hpp"

#include <algorithm>
#include <numeric>

namespace wattfill {
namespace {

/// The class that moves between knot k and the next; above the last knot there is none, and nobody asks.
PathView::Move move_from(FillPlan const& plan, std::span<JobClass const> classes, std::size_t k) {
  CurveView const straight{nullptr, nullptr, 2};
  if (k + 1 == plan.knots()) return {0, straight, 1};
  auto const here = plan.draws(k), there = plan.draws(k + 1);
  std::uint32_t c = 0;
  while (c + 1 < plan.classes() && !(there[c] > here[c])) ++c;
  auto const& curve = classes[c].curve->curve;
  bool const bends = std::ranges::any_of(curve.draws(), [&](double w) { return here[c] < w && w < there[c]; });
  return {c, bends ? curve.view() : straight, curve.max_speed()};
}

}  // namespace

Path::Path(FillPlan const& plan, bool splits, std::span<JobClass const> classes, std::size_t slot)
    : stride_(padded(classes.size())), knots_(plan.knots()), slot_(slot) {
  draws_.assign(knots_ * stride_, 0.0);
  for (std::size_t k = 0; k < knots_; ++k) std::ranges::copy(plan.draws(k), draws_.begin() + static_cast<std::ptrdiff_t>(k * stride_));
  std::vector<std::vector<double>> bends(classes.size());
  if (!splits)  // a split class stands on knots, where its speed is exact
    for (std::size_t c = 0; c < classes.size(); ++c) bends[c].assign(classes[c].curve->curve.draws().begin(), classes[c].curve->curve.draws().end());
  auto const crossings = plan.crossings(bends);
  auto crossing = crossings.begin();
  for (std::size_t k = 0; k < knots_; ++k) {
    first_.push_back(theta_.size());
    add_place(plan, classes, {k, 0});
    for (; crossing != crossings.end() && crossing->knot == k; ++crossing) add_place(plan, classes, *crossing);
    theta_next_.insert(theta_next_.end(), theta_.begin() + static_cast<std::ptrdiff_t>(first_.back()) + 1, theta_.end());
    theta_next_.push_back(1);
    rises_first_.push_back(rises_.size());
    for (std::uint32_t c = 0; k + 1 < knots_ && c < classes.size(); ++c)
      if (plan.draws(k)[c] < plan.draws(k + 1)[c]) rises_.push_back({c, plan.draws(k + 1)[c] - plan.draws(k)[c]});
    if (splits) moves_.push_back(move_from(plan, classes, k));
    lanes_first_.push_back(theta_lanes_.size());
    theta_lanes_.insert(theta_lanes_.end(), theta_.begin() + static_cast<std::ptrdiff_t>(first_.back()), theta_.end());
    theta_lanes_.resize(padded(theta_lanes_.size()), 2.0);
  }
  lanes_first_.push_back(theta_lanes_.size());
}

PathView Path::view() const {
  return {{draws_.data(), stride_, knots_},
          rises_first_.data(),
          rises_.data(),
          first_.data(),
          theta_.data(),
          theta_next_.data(),
          lanes_first_.data(),
          theta_lanes_.data(),
          speeds_.data(),
          by_speed_.data(),
          slot_,
          moves_.empty() ? nullptr : moves_.data()};
}

void Path::add_place(FillPlan const& plan, std::span<JobClass const> classes, FillPlan::Place place) {
  auto const at = plan.draws_at({place.knot, place.theta});
  std::vector<double> v(stride_, 0.0);
  std::vector<std::uint32_t> order(classes.size());
  for (std::size_t c = 0; c < classes.size(); ++c) v[c] = classes[c].curve->curve.speed(at[c]) / classes[c].curve->curve.max_speed();
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t c) { return v[c]; });
  theta_.push_back(place.theta);
  speeds_.insert(speeds_.end(), v.begin(), v.end());
  by_speed_.insert(by_speed_.end(), order.begin(), order.end());
}

}  // namespace wattfill
