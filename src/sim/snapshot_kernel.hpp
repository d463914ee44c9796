#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "wattfill/curve/curve_view.hpp"
#include "wattfill/fill/fill_view.hpp"
#include "wattfill/sim/scores.hpp"
#include "wattfill/sim/split_class.hpp"

namespace wattfill {

/// Replications that the kernel takes at a time at most.
inline constexpr std::size_t kernel_batch = 16;

/// A policy's path over the classes of a mix, with the speeds that the true curves give along it. Between two places a class's speed is linear; the
/// places are the path's knots and, between them, wherever some class passes a point of its curve.
struct PathView {
  FillView draws;  ///< [knot][class], W of one GPU
  /// By how much the draw of one GPU of a class rises from a knot to the next.
  struct Rise {
    std::uint32_t cls;
    double watts;
  };
  std::size_t const* rises_first;  ///< [knot + 1]: where the rises from a knot start
  Rise const* rises;
  std::size_t const* first;        ///< [knot]: its place
  double const* theta;             ///< [place]: how far from its knot to the next, in [0, 1)
  double const* theta_next;        ///< [place]: where the stretch that starts there ends, in (0, 1]
  std::size_t const* lanes_first;  ///< [knot + 1]: where theta_lanes of a knot starts
  double const* theta_lanes;       ///< theta once more, each knot's part padded to whole lanes with numbers above 1
  double const* speeds;            ///< [place][class], T/T_max
  std::uint32_t const* by_speed;   ///< [place][class]: classes from slow to fast there, for devices
  std::size_t slot;                ///< its scores go to scores[slot][target][score]; no_slot: it is only a reference
  /// How a split path leaves a knot: which class moves, and its true curve; two points: a straight line between the draws.
  struct Move {
    std::uint32_t cls;
    CurveView curve;
    double full_speed;
  };
  Move const* moves;             ///< [knot]; nullptr: the path is not split
  std::size_t first_target = 0;  ///< its targets begin here in MixView::targets_w; other than 0 where a limit means other GPU watts to each path
};

/// What is the same in every replication, per class. Arrays have `stride` entries, zero behind the `classes` real ones.
struct ClassView {
  std::size_t classes;
  std::size_t stride;
  double const* index;       ///< 0, 1, 2, ...
  double const* gpus;        ///< G of one job
  double const* full_speed;  ///< T_max of one job
  double const* value;       ///< V of one job
  double const* min_speed;   ///< agreed minimum, T/T_max, less the slack
  bool speeds_add_up;        ///< speed units agree
  bool any_minimum;          ///< some class has an agreed minimum
  bool value_is_gpus;        ///< V is G in every class: one sum does for both
};

/// The jobs of one replication, per class.
struct MixView {
  double const* jobs;       ///< n
  double const* gpus;       ///< n G
  double const* targets_w;  ///< [target], W; or one such stretch for each path
  double totals[3];         ///< what sums are divided by: sum n, sum n G, sum n V (1 if the objective is a sum)
  double headroom_w;        ///< uncapped draw less the floors [W]
  double p5_jobs;           ///< how many jobs make up 5 %: ceil(sum n / 20)
};

/// Scores of `count` replications for all paths and targets, scores[replication][slot][target][score], `slots` of them. paths[0] is `proportional`, which the
/// others are compared with. Eight replications stand side by side in the lanes of every vector; those of the batch take turns innermost: the stretch of a path
/// that a target needs stays in the first-level cache.
struct KernelWork {
  ClassView const* classes;
  MixView const* mixes;
  std::size_t count;
  PathView const* paths;
  std::size_t path_count, target_count;
  std::size_t slots;
  double* scores;
  double* memory;  ///< of this thread, as large as kernel_memory says, on the boundary of a cache line
};

/// How many doubles KernelWork::memory must hold.
std::size_t kernel_memory(KernelWork const& work);

/// The forms of the kernel that this processor can run, the fastest last. All give the same bits.
struct KernelForm {
  char const* name;
  void (*score)(KernelWork const&);
};
std::vector<KernelForm> kernel_forms();

}  // namespace wattfill
