#include "wattfill/training/hypervolume.hpp"

#include <algorithm>
#include <numeric>

namespace wattfill {

double ParetoFront::improvement(TwoObjectives const& point) const {
  if (!(point.first < reference_.first && point.second < reference_.second)) return 0;
  // Strips between neighbours: right of the point, from its second up to the front's.
  double area = 0;
  auto left = point.first;
  auto next = std::ranges::upper_bound(points_, point.first, {}, &TwoObjectives::first);
  auto height = next == points_.begin() ? reference_.second : std::prev(next)->second;
  for (; height > point.second; ++next) {
    auto const right = next == points_.end() ? reference_.first : next->first;
    area += (right - left) * (height - point.second);
    if (next == points_.end()) break;
    left = right;
    height = next->second;
  }
  return area;
}

bool ParetoFront::add(TwoObjectives const& point) {
  if (!(improvement(point) > 0)) return false;
  std::erase_if(points_, [&](TwoObjectives const& p) { return p.first >= point.first && p.second >= point.second; });
  points_.insert(std::ranges::upper_bound(points_, point.first, {}, &TwoObjectives::first), point);
  return true;
}

double ParetoFront::area() const {
  double sum = 0;
  for (std::size_t i = 0; i < points_.size(); ++i)
    sum += ((i + 1 < points_.size() ? points_[i + 1].first : reference_.first) - points_[i].first) * (reference_.second - points_[i].second);
  return sum;
}

std::vector<std::size_t> unbeaten(std::vector<TwoObjectives> const& points) {
  std::vector<std::size_t> order(points.size()), kept;
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return points[a].first != points[b].first ? points[a].first < points[b].first : points[a].second < points[b].second;
  });
  for (auto i : order)
    if (kept.empty() || points[i].second < points[kept.back()].second) kept.push_back(i);
  return kept;
}

}  // namespace wattfill
