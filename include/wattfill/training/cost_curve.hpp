#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace wattfill {

/// Energy of one computation against its duration: convex, piecewise linear, strictly decreasing, defined on [shortest, longest]. Durations are whole
/// numbers of a time step (tau); between knots the energy is linear, which two plans of neighbouring durations realise on average.
///
/// What counts is usually the *effective* energy, energy - P_blocking x duration (Perseus, arXiv:2312.06902, eq. 5): a computation that ends early
/// leaves its GPU waiting at P_blocking, so only the difference can be saved. Longest = the shortest duration of least energy: longer is no use.
class CostCurve {
 public:
  struct Knot {
    std::int64_t duration;  ///< [time steps]
    double energy_j;
    bool operator==(Knot const&) const = default;
  };
  static constexpr std::int64_t longest_duration = std::int64_t{1} << 27;

  /// The lower convex hull of `points`, up to its least energy; points above the hull do not matter. Throws InputError (without a location) if there
  /// is no point, or a duration is negative or above longest_duration, or an energy is not finite.
  explicit CostCurve(std::vector<Knot> points);

  std::span<Knot const> knots() const { return knots_; }  ///< durations rise, energies fall, slopes flatten
  std::int64_t shortest() const { return knots_.front().duration; }
  std::int64_t longest() const { return knots_.back().duration; }
  /// Effective energy [J] of a duration; +infinity below shortest(), that of longest() above it.
  double energy_j(double duration) const;

 private:
  std::vector<Knot> knots_;
};

}  // namespace wattfill
