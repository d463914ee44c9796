#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wattfill/training/project.hpp"

namespace wattfill {

/// Proof that a frontier is one. On each of its pieces a flow gives a lower bound of the energy at *every* time (linear-programming duality), and the
/// plans at the piece's ends reach that bound. Both sides are recomputed from plan and flow in whole units, apart from the solver's own sums.
struct Certificate {
  bool checked = false;
  std::size_t pieces = 0;   ///< all of them; none where the shortest time is the longest
  std::size_t refuted = 0;  ///< where a plan breaks an edge or a shortest duration, or a flow is not one
  double gap_j = 0;         ///< the largest difference between a plan's energy and its lower bound; exactly 0 where the solver is right
  double unit_j = 0;        ///< prices of time are whole multiples of this [J per time step]: the only rounding there is
  bool holds() const { return checked && refuted == 0 && gap_j == 0; }
};

/// Least energy of a project against the time it may take: exact, convex, piecewise linear, from the shortest possible time to that beyond which more
/// time saves nothing (the project time-cost tradeoff; Kelley 1961, Fulkerson 1961, Phillips and Dessouky 1977; Perseus, arXiv:2312.06902, section
/// 4). See src/training/README.md for how it is found. Times are in time steps and need not be whole.
class Frontier {
 public:
  struct Knot {
    std::int64_t time;  ///< [time steps]
    double energy_j;    ///< of the whole project
    double slope_j;     ///< energy per time step from here to the next knot, negative; 0 at the last
  };
  enum class Proof { full, none };

  /// Throws InputError for a cyclic project, one without computations, or one too long for its time step.
  static Frontier of(Project const& project, Proof proof = Proof::full);

  std::span<Knot const> knots() const { return knots_; }  ///< times rise
  std::int64_t shortest() const { return knots_.front().time; }
  std::int64_t longest() const { return knots_.back().time; }
  /// Least energy [J] within a deadline; beyond longest() that of longest(). Throws InputError below shortest().
  double energy_j(double deadline) const;
  /// Least time within an energy [J]; shortest() where the energy is plenty. Throws InputError below the least energy.
  double time_for(double energy_j) const;
  Certificate const& certificate() const { return certificate_; }

  /// How the solver went: augmentations, and times that an event entered one of its trees.
  struct Effort {
    std::size_t augmentations = 0, entries = 0;
  };
  Effort const& effort() const { return effort_; }

 private:
  Frontier() = default;
  std::vector<Knot> knots_;
  Certificate certificate_;
  Effort effort_;
};

}  // namespace wattfill
