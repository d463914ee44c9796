#pragma once
#include <cstddef>
#include <vector>

namespace wattfill {

/// Two things that should both be small.
struct TwoObjectives {
  double first, second;
  bool operator==(TwoObjectives const&) const = default;
};

/// The points that no other beats in both, first rising, second falling, as far as they lie below a reference point in both; and the area between
/// them and that point (the hypervolume of two objectives), exactly.
class ParetoFront {
 public:
  explicit ParetoFront(TwoObjectives reference) : reference_(reference) {}

  /// Area that `point` would add; 0 if it is beaten or not below the reference.
  double improvement(TwoObjectives const& point) const;
  /// Adds a point, drops those it beats; true if it is on the front now.
  bool add(TwoObjectives const& point);
  double area() const;
  std::vector<TwoObjectives> const& points() const { return points_; }

 private:
  TwoObjectives reference_;
  std::vector<TwoObjectives> points_;
};

/// Indices of the points that no other beats (equal points: the first), first rising.
std::vector<std::size_t> unbeaten(std::vector<TwoObjectives> const& points);

}  // namespace wattfill
