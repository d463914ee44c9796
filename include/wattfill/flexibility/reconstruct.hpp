#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "wattfill/curve/curve_library.hpp"
#include "wattfill/flexibility/published_groups.hpp"

namespace wattfill {

/// The form a curve is given between and at the caps when only its PFIs are known.
enum class ReconstructionShape {
  quadratic,  ///< 1 - T/T_max = b x + a x^2
  roofline,   ///< T = 1 / (m + (1 - m) f0/f), P = P_s + P_d (f/f0)^alpha
};

/// What the printed figures do not say and a reconstruction assumes, per class. Vary it for an ensemble.
struct ReconstructionSpec {
  ReconstructionShape shape = ReconstructionShape::quadratic;
  double share_dense = 0.93;            ///< uncapped draw / TDP
  double share_moe_pretraining = 0.92;  ///< uncapped draw / TDP
  double share_moe_fine_tuning = 0.90;  ///< uncapped draw / TDP
  double mfu_dense_pretraining = 0.45;  ///< model FLOP utilisation of 989e12 FLOP/s a GPU
  double mfu_dense_fine_tuning = 0.42;
  double mfu_moe_pretraining = 0.14;
  double mfu_moe_fine_tuning = 0.10;
  double static_power_w = 140;  ///< roofline: P_s, drawn at any clock [W]
};

/// A member of an ensemble: what is assumed otherwise than as stated.
struct EnsembleMember {
  std::string name;  ///< e.g. "roofline-draw-low-mfu-high"
  ReconstructionSpec spec;
};
/// Both shapes x uncapped draws 0.04 of TDP lower and higher (below 0.857 the runs at 600 W would not have been capped) x MoE utilisations times 0.6 and 1.6
/// (dense ones as they are): eight members, around the two libraries of the stated assumptions. What holds over all of them does not hang on an assumption.
std::vector<EnsembleMember> reconstruction_ensemble();

/// What became of one group; its figures come from the points as written.
struct ReconstructedGroup {
  std::string name;
  double pfi;          ///< on the group's own caps
  double pfi4;         ///< on 200, 500, 600, 700 W
  double pfi_miss;     ///< pfi - published; 0 where none is printed for these caps
  double pfi4_miss;    ///< pfi4 - published
  double speed_200w;   ///< T(200 W) / T_max
  std::string reason;  ///< why a figure is missed, empty where both are met within 0.01
};

struct Reconstruction {
  CurveLibrary library;
  std::vector<ReconstructedGroup> groups;  ///< in the order of the library's curves
};

/// Curves for the 25 groups of arXiv:2609.11542 with the published PFIs, by one shape. Not unique: report results over an ensemble of shapes and
/// specs. `spec` and the missed figures are written into the library's assumptions; the same bits on every x86-64 processor.
Reconstruction reconstruct(ReconstructionSpec const& spec, std::string library_name);

}  // namespace wattfill
