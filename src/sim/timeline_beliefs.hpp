#pragma once
#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "sim/timeline_path.hpp"
#include "wattfill/flexibility/believer.hpp"

namespace wattfill {

/// What a policy of a run believes of its classes. Beliefs are of measured curves; a class on another number of GPUs has the same draw and speed per GPU.
class TimelineBeliefs {
 public:
  /// `rule`: what it is told (its `knows`); a rule that looks at the truth is told it.
  TimelineBeliefs(TimelineSpec const& spec, std::span<TimelineClass const> classes, PolicySpec const& rule);
  TimelineBeliefs(TimelineBeliefs const&) = delete;
  TimelineBeliefs& operator=(TimelineBeliefs const&) = delete;

  /// One per class. Watts and values are true; floors are what agreed speeds are believed to need.
  std::vector<Demand> demands() const;

  /// The cap that is believed to give this draw of one GPU: by the believed curve; a rule that knows figures alone takes the draw for the cap [W].
  double cap_for(std::size_t cls, double draw_w) const;

  /// The loss of speed that is believed at this draw.
  double loss_at(std::size_t cls, double draw_w) const;

  /// Jobs of the class are seen at this draw and speed [T/T_max]. True if that is news: the losses believed of its curve are then scaled to it, at every
  /// depth. Cuts of less than 2 % of the full draw say too little, an infinite PFI cannot be scaled.
  bool see(std::size_t cls, double draw_w, double speed);

 private:
  std::span<TimelineClass const> classes_;
  Objective objective_;
  double epsilon_;  // safe floors; 0: none
  std::vector<std::size_t> curve_of_;
  std::vector<Belief> beliefs_;       // [curve]
  std::deque<Curve> curves_;          // believed, with the GPUs of their classes
  std::vector<Curve const*> scaled_;  // [class]
  std::vector<bool> has_curve_;       // [class]
};

}  // namespace wattfill
