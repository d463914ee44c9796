#pragma once
#include <cstddef>
#include <cstdint>

#include "wattfill/curve/curve_view.hpp"
#include "wattfill/fill/fill_view.hpp"
#include "wattfill/sim/scores.hpp"

namespace wattfill {

/// Share of full speed below which two speeds count as equal.
inline constexpr double speed_slack = 1e-9;

inline constexpr std::size_t no_slot = static_cast<std::size_t>(-1);

/// A policy's path over the classes of a mix, with the speeds that the true curves give along it. Between two places a class's speed is linear; the
/// places are the path's knots and, between them, wherever some class passes a point of its curve.
struct PathView {
  FillView draws;                 ///< [knot][class], W of one GPU
  std::size_t const* first;       ///< [knot]: its place
  double const* theta;            ///< [place]: how far from its knot to the next, in [0, 1)
  double const* speeds;           ///< [place][class], T/T_max
  std::uint32_t const* by_speed;  ///< [place][class]: classes from slow to fast there
  std::size_t slot;               ///< its scores go to scores[slot][target][score]; no_slot: it is only a reference
  /// How a split path leaves a knot: which class moves, and its true curve; two points: a straight line between the draws.
  struct Move {
    std::uint32_t cls;
    CurveView curve;
    double full_speed;
  };
  Move const* moves;             ///< [knot]; nullptr: the path is not split
  std::size_t first_target = 0;  ///< its targets begin here in MixView::targets_w; other than 0 where a limit means other GPU watts to each path
};

/// What is the same in every replication, per class. Arrays have `stride` entries, zero behind the `classes` real ones; two spare entries hold the
/// parts of the class that the oracle splits.
struct ClassView {
  std::size_t classes;
  std::size_t stride;
  double* gpus;        ///< G of one job
  double* full_speed;  ///< T_max of one job
  double* value;       ///< V of one job
  double* min_speed;   ///< agreed minimum, T/T_max, less the slack
  bool speeds_add_up;  ///< speed units agree
  bool any_minimum;    ///< some class has an agreed minimum
};

/// The jobs of one replication, per class.
struct MixView {
  double* jobs;             ///< n
  double* gpus;             ///< n G
  double* reference;        ///< speeds under `proportional` at the current target less the slack, filled in by the kernel
  double const* targets_w;  ///< [target], W; or one such stretch for each path
  double totals[8];         ///< what the kernel's sums are divided by: sum n, sum n G, sum n V (1 if the objective is a sum), then sum n
  double headroom_w;        ///< uncapped draw less the floors [W]
  double p5_jobs;           ///< how many jobs make up 5 %: ceil(sum n / 20)
};

/// Memory of one thread.
struct KernelScratch {
  double* speeds;  ///< [stride]
  double* slow;    ///< [2 stride]: the slowest jobs in order
  struct Hint {
    std::size_t knot, place;
  };
  Hint* hints;  ///< [path][target], where the last search ended
};

/// Scores of some replications for all paths and targets, scores[replication][slot][target][score], `slots` of them. paths[0] is `proportional`, which the
/// others are compared with. The replications take turns innermost: the stretch of a path that a target needs stays in the first-level cache.
void score_replications(ClassView const& classes, MixView* mixes, std::size_t count, PathView const* paths, std::size_t path_count, std::size_t target_count,
                        KernelScratch const& scratch, std::size_t slots, double* scores);

/// How a split class stands between knot and knot + 1: `up` jobs at the upper draw, one at `middle_w`, `part` of the way, if part > 0, the rest at the
/// lower draw.
struct Split {
  double up;
  double part;
  double middle_w;
};
Split split_class(double jobs, double theta, double lower_w, double upper_w);

}  // namespace wattfill
