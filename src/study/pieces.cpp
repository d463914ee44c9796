#include "wattfill/study/pieces.hpp"

#include <algorithm>

#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

__extension__ using Wide = unsigned __int128;  // products of weights and parts, exactly

}  // namespace

void refuse_payload(std::uint64_t piece) {
  throw InputError("piece " + std::to_string(piece) +
                   " that was kept does not hold what this study makes (it was made by another program or changed by hand); remove it and run again");
}

void PieceTable::add(std::vector<PieceGroup> const& groups) {
  for (auto const& group : groups) {
    if (group.count == 0) continue;
    WATTFILL_ASSERT(!group.derived || !groups_.empty());
    starts_.push_back(count());
    groups_.push_back(group);
    weights_.push_back(weight_);
    ordinals_.push_back(group.derived ? own_ - 1 : own_);
    if (group.derived) continue;
    weight_ += group.count * group.weight;
    ++own_;
  }
}

std::size_t PieceTable::group_of(std::uint64_t piece) const {
  WATTFILL_ASSERT(piece < count());
  return static_cast<std::size_t>(std::ranges::upper_bound(starts_, piece) - starts_.begin()) - 1;
}

std::uint64_t PieceTable::part_of(std::uint64_t piece, std::uint64_t parts) const {
  auto g = group_of(piece);
  if (groups_[g].derived) {
    --g;
    piece = starts_[g] + groups_[g].count - 1;
  }
  auto const before = weights_[g] + (piece - starts_[g]) * groups_[g].weight;
  return weight_ == 0 ? 0 : static_cast<std::uint64_t>(static_cast<Wide>(before) * parts / weight_);
}

}  // namespace wattfill
