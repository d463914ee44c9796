#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "wattfill/facility/power_tree.hpp"
#include "wattfill/sim/timeline_spec.hpp"

namespace wattfill {

/// Which GPUs of which racks the jobs of a timeline have. Rack r is node r + 1 of the tree of limits.
class RackRoom {
 public:
  RackRoom(RackingSpec const& spec, double gpus) : rack_gpus_(spec.gpus), free_(static_cast<std::size_t>(gpus / spec.gpus), spec.gpus) {}

  std::size_t racks() const { return free_.size(); }
  double free(std::size_t rack) const { return free_[rack]; }

  /// Where so many GPUs would stand: in the first rack with room; more than a rack holds over the first empty racks, the last of them shared with those who
  /// come later. Empty if there is no such place. `wanted`: 1 + the rack that it must be; 0: any.
  std::vector<JobPiece> find(double gpus, std::uint32_t wanted) const;
  void seat(std::uint32_t job, std::vector<JobPiece> pieces);
  void leave(std::uint32_t job);
  /// Those who have GPUs, by number, with their pieces.
  std::map<std::uint32_t, std::vector<JobPiece>> const& seated() const { return seated_; }

 private:
  double rack_gpus_;
  std::vector<double> free_;
  std::map<std::uint32_t, std::vector<JobPiece>> seated_;
};

}  // namespace wattfill
