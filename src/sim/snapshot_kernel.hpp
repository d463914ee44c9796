#pragma once
#include <cstddef>
#include <cstdint>

#include "wattfill/fill/fill_view.hpp"
#include "wattfill/sim/scores.hpp"

namespace wattfill {

/// A policy's path over the classes of a mix, with the speeds that the true curves give along it.
struct PathView {
  FillView draws;                ///< [knot][class], W of one GPU
  double const* speeds;          ///< [knot][class], T/T_max
  std::uint32_t const* by_speed; ///< [knot][class]: classes from slow to fast at the knot
  std::uint32_t const* mover;    ///< [knot]: the one class that moves between knot and knot + 1; nullptr: the path is not split
};

/// The jobs of one replication, per class; arrays of `stride` entries, zero behind the `classes` real ones. At least two spare entries
/// hold the parts of the class that the oracle splits.
struct MixView {
  std::size_t classes;
  std::size_t stride;
  double* jobs;         ///< n
  double* gpus;         ///< n G
  double* full_speed;   ///< n T_max
  double* value;        ///< n V
  double* min_speed;    ///< agreed minimum, T/T_max
  double total_jobs;    ///< sum n
  double total_gpus;    ///< sum n G
  double total_value;   ///< sum n V if the objective is a mean, else 1
  double p5_jobs;       ///< how many jobs make up 5 %: ceil(total_jobs / 20)
  bool speeds_add_up;   ///< speed units agree
};

/// True speed of a class off the knots of a split path.
struct TrueSpeed {
  void const* curves;
  double (*of)(void const* curves, std::size_t cls, double draw_w);
};

/// Memory of one thread.
struct KernelScratch {
  double* speeds;          ///< [stride]
  double* reference;       ///< [target][stride]: speeds under `proportional`
  std::size_t* hints;      ///< [path][target]
};

/// Scores of one replication for all paths and targets: scores[path][target][score]. The path `proportional` is only a reference and writes no scores
/// of its own. `targets_w` in W.
void score_replication(MixView& mix, PathView const& proportional, PathView const* paths, std::size_t path_count, double const* targets_w, std::size_t target_count,
                       TrueSpeed const& true_speed, KernelScratch& scratch, double* scores);

/// How a split class stands between knot and knot + 1: `up` jobs at the upper draw, one at `middle_w` if has_middle, the rest at the lower draw.
struct Split {
  double up;
  bool has_middle;
  double middle_w;
};
Split split_class(double jobs, double theta, double lower_w, double upper_w);

}  // namespace wattfill
