#include "sim/rack_room.hpp"

#include <algorithm>

namespace wattfill {

std::vector<JobPiece> RackRoom::find(double gpus, std::uint32_t wanted) const {
  if (gpus <= rack_gpus_) {
    auto const fits = [&](double free) { return gpus <= free; };
    auto const at = wanted > 0 ? free_.begin() + (wanted - 1) : std::ranges::find_if(free_, fits);
    if (at == free_.end() || !fits(*at)) return {};
    return {{static_cast<std::size_t>(at - free_.begin()) + 1, gpus}};
  }
  std::vector<JobPiece> pieces;
  for (std::size_t rack = 0; rack < free_.size() && gpus > 0; ++rack) {
    if (free_[rack] < rack_gpus_) continue;
    pieces.push_back({rack + 1, std::min(gpus, rack_gpus_)});
    gpus -= pieces.back().gpus;
  }
  return gpus > 0 ? std::vector<JobPiece>{} : pieces;
}

void RackRoom::seat(std::uint32_t job, std::vector<JobPiece> pieces) {
  for (auto const& piece : pieces) free_[piece.node - 1] -= piece.gpus;
  seated_.emplace(job, std::move(pieces));
}

void RackRoom::leave(std::uint32_t job) {
  auto const at = seated_.find(job);
  for (auto const& piece : at->second) free_[piece.node - 1] += piece.gpus;
  seated_.erase(at);
}

}  // namespace wattfill
