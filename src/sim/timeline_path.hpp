#pragma once
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "sim/metered_path.hpp"
#include "wattfill/policy/policy.hpp"
#include "wattfill/sim/objective.hpp"
#include "wattfill/sim/timeline_spec.hpp"

namespace wattfill {

/// A class of jobs that are treated alike: the same curve on the same number of GPUs, under the same terms. The curve counts speed on so many GPUs as the jobs
/// have: draw per GPU and speed per GPU are those of the measured job.
struct TimelineClass {
  Curve const* curve;
  JobTerms terms;
  double floor_w, uncapped_w;  ///< draw of one GPU [W]
  Curve const* measured;       ///< the curve as it was measured, on its own number of GPUs
};

/// A policy's path over the classes of a run, prepared once, with the speeds that the curves give along it.
class TimelinePath {
 public:
  /// `demands`: one per class, what the policy is told of it.
  TimelinePath(Policy const& policy, std::span<TimelineClass const> classes, std::span<Demand const> demands);

  bool splits() const { return splits_; }
  FillPlan const& plan() const { return plan_; }

  /// A place on the path, and at a split path which class moves there.
  struct Place {
    FillPosition at;
    std::size_t moving;
  };
  /// Where the classes' total meets the budget; `gpus` [padded(classes)].
  Place locate(double const* gpus, double budget_w);
  /// The same where the IT load has a budget, too: the lower of both places. `jobs` and `gpus` [padded(classes)].
  Place locate(double* jobs, double* gpus, double budget_w, double budget_it_w, Facility const& facility);
  /// Total draw and IT load [W] at the lowest place where the classes are worth `share` of what they are at full speed, or of the floors if those are worth
  /// more; `weights`: what each class is worth at full speed.
  struct Drawn {
    double gpu_w, it_w;
  };
  Drawn at_worth(double const* weights, double* jobs, double* gpus, double share, Facility const& facility) const;
  /// Prepares for budgets of the IT load and for `at_worth`.
  void meter(Facility const& facility);
  /// Draws of one GPU [W] and speeds [T/T_max] of all classes there; [padded(classes)]. A moving class is left at its lower draw.
  void rates(Place const& place, double* draws, double* speeds) const;
  double upper_draw(Place const& place) const { return plan_.draws(place.at.knot + 1)[place.moving]; }
  double upper_speed(Place const& place) const { return speeds_[first_[place.at.knot + 1] * plan_.stride() + place.moving]; }

 private:
  FillPlan plan_;
  bool splits_;
  std::size_t classes_;
  std::vector<std::size_t> first_;  // [knot]: its place
  std::vector<double> theta_;       // [place]
  LaneVector speeds_;               // [place][class]
  std::vector<std::size_t> moving_;
  std::size_t hint_ = 0;
  std::optional<MeteredPath> metered_;
  std::vector<PathView::Move> moves_;  // of a split path that is metered
  PathView view() const;
};

/// T/T_max of a job of the class at a draw of one GPU.
double speed_at(TimelineClass const& cls, double draw_w);
/// Draw of one GPU under a cap, by interpolation of the measured caps [W]; clamped.
double draw_under_cap(Curve const& curve, double cap_w);

}  // namespace wattfill
