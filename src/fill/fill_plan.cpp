#include "wattfill/fill/fill_plan.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

double draw_at(FillItem const& item, double level) {
  if (!(level > item.start)) return item.from_w;
  if (!(level < item.full)) return item.to_w;
  auto const w = item.from_w + (level - item.start) / (item.full - item.start) * (item.to_w - item.from_w);
  return std::clamp(w, item.from_w, item.to_w);
}

}  // namespace

FillPlan::FillPlan(std::span<double const> floors, std::vector<FillItem> items) : classes_(floors.size()), stride_(padded(floors.size())) {
  std::ranges::stable_sort(items, {}, [](FillItem const& i) { return std::pair(i.start, i.full); });
  std::set<double> levels;
  for (auto const& item : items) {
    WATTFILL_ASSERT(item.start <= item.full && item.from_w <= item.to_w && item.cls < classes_);
    levels.insert(item.start);
    levels.insert(item.full);
  }

  std::vector<double> row(floors.begin(), floors.end());
  append(row);
  std::vector<FillItem> active;
  std::size_t next = 0;
  for (double level : levels) {
    std::vector<FillItem> jumps;
    for (; next < items.size() && items[next].start == level; ++next) (items[next].full > level ? active : jumps).push_back(items[next]);
    bool moved = false;
    for (auto const& item : active) {
      if (!(item.start < level)) continue;  // it starts here; a jump of its class comes first
      auto const w = draw_at(item, level);
      moved = moved || w > row[item.cls];
      row[item.cls] = std::max(row[item.cls], w);
    }
    std::erase_if(active, [&](FillItem const& i) { return !(i.full > level); });
    if (moved) append(row);
    for (auto const& item : jumps) row[item.cls] = std::max(row[item.cls], item.to_w);
    if (!jumps.empty()) append(row);
  }
}

std::vector<FillPlan::Place> FillPlan::crossings(std::span<std::vector<double> const> bends) const {
  WATTFILL_ASSERT(bends.size() == classes_);
  std::vector<Place> places;
  for (std::size_t k = 0; k + 1 < knots(); ++k) {
    auto const here = draws(k), there = draws(k + 1);
    for (std::size_t c = 0; c < classes_; ++c)
      for (auto bend = std::ranges::upper_bound(bends[c], here[c]); bend != bends[c].end() && *bend < there[c]; ++bend) {
        auto const theta = (*bend - here[c]) / (there[c] - here[c]);
        if (theta > 0 && theta < 1) places.push_back({k, theta});
      }
  }
  std::ranges::sort(places);
  places.erase(std::ranges::unique(places).begin(), places.end());
  return places;
}

FillPlan FillPlan::between(std::size_t first, std::size_t last) const {
  WATTFILL_ASSERT(first <= last && last < knots());
  FillPlan part;
  part.classes_ = classes_;
  part.stride_ = stride_;
  part.rows_.assign(rows_.begin() + static_cast<std::ptrdiff_t>(first * stride_), rows_.begin() + static_cast<std::ptrdiff_t>((last + 1) * stride_));
  return part;
}

void FillPlan::append(std::vector<double> const& row) {
  rows_.insert(rows_.end(), row.begin(), row.end());
  rows_.resize(rows_.size() + stride_ - classes_, 0.0);
}

FillPosition FillPlan::locate(std::span<double const> gpus, double budget_w) const {
  std::vector<double> weights(stride_, 0.0);
  std::ranges::copy(gpus, weights.begin());
  return view().locate(weights.data(), budget_w, 0);
}

std::vector<double> FillPlan::draws_at(FillPosition const& position) const {
  auto const here = draws(position.knot);
  std::vector<double> at(here.begin(), here.end());
  if (position.theta > 0) {
    auto const there = draws(position.knot + 1);
    for (std::size_t c = 0; c < classes_; ++c) at[c] = std::min(here[c] + position.theta * (there[c] - here[c]), there[c]);
  }
  return at;
}

}  // namespace wattfill
