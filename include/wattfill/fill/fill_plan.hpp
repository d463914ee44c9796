#pragma once
#include <compare>
#include <cstddef>
#include <span>
#include <vector>

#include "wattfill/fill/fill_view.hpp"

namespace wattfill {

/// A stretch of a fill: as the level rises from `start` to `full`, the draw of one class rises linearly from `from_w` to `to_w` [W, one GPU].
/// start == full: the class jumps there (all classes that jump at one level rise together).
struct FillItem {
  std::size_t cls;
  double start;
  double full;
  double from_w;
  double to_w;
};

/// The one idea of wattfill: a policy is a path. As a level rises, every class's draw rises from its floor to its uncapped draw; total power is then a
/// piecewise-linear, non-decreasing function of the level, and any budget is inverted exactly.
///
/// Stored as rows: the draws of all classes at the knots of the path, linear between. The path depends on the classes alone; how many jobs a class has enters
/// when a budget is located, so one plan answers every mix and every budget.
class FillPlan {
 public:
  FillPlan() = default;

  /// `floors` [W]: the draw of every class at the start of the path. The items of one class must join (one's to_w is the next's from_w, levels ascending), the
  /// first from the class's floor. Draws never decrease along the path.
  FillPlan(std::span<double const> floors, std::vector<FillItem> items);

  /// Where on the path some class c's draw passes one of bends[c] (ascending, W), strictly between two knots; in path order, each place once. A function of the
  /// draws that bends only there is linear between these places and the knots.
  struct Place {
    std::size_t knot;
    double theta;
    auto operator<=>(Place const&) const = default;
  };
  std::vector<Place> crossings(std::span<std::vector<double> const> bends) const;

  /// The knots from `first` to `last` alone (last < knots()).
  FillPlan between(std::size_t first, std::size_t last) const;

  std::size_t classes() const { return classes_; }
  std::size_t stride() const { return stride_; }  ///< row length: classes, padded with zeros to a multiple of lane_count
  std::size_t knots() const { return stride_ == 0 ? 0 : rows_.size() / stride_; }
  std::span<double const> draws(std::size_t knot) const { return {rows_.data() + knot * stride_, classes_}; }
  FillView view() const { return {rows_.data(), stride_, knots()}; }

  /// Where the total over `gpus[c]` GPUs of every class meets `budget_w`. See FillView::locate.
  FillPosition locate(std::span<double const> gpus, double budget_w) const;
  /// Draws of all classes at a position [W, one GPU].
  std::vector<double> draws_at(FillPosition const& position) const;

 private:
  void append(std::vector<double> const& row);

  std::size_t classes_ = 0;
  std::size_t stride_ = 0;
  LaneVector rows_;
};

}  // namespace wattfill
