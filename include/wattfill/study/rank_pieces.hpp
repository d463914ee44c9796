#pragma once
#include <vector>

#include "wattfill/study/communicator.hpp"
#include "wattfill/study/pieces.hpp"

namespace wattfill {

/// The pieces of a study that several ranks make. Each rank owns every n-th mix (of all sweep points), or, where there are few, every n-th piece; rank 0 takes
/// them in order, folds them, and keeps them as it would its own.
class RankPieces final : public Pieces {
 public:
  /// `kept`: rank 0's store, which may hold pieces already; nullptr at the other ranks. All ranks must construct theirs at the same time.
  RankPieces(Communicator& communicator, PieceTable const& table, Pieces* kept);

  Task task(std::uint64_t piece) override;
  Task derived_task(std::uint64_t piece, std::uint64_t first_of_mix, std::uint64_t count_of_mix) override;
  Piece take(std::uint64_t piece) override;
  void keep(std::uint64_t piece, std::string_view payload, std::span<std::string_view const> rows = {}) override;
  bool keeps_rows() const override { return kept_ != nullptr && kept_->keeps_rows(); }
  bool folds() const override { return communicator_.rank() == 0; }

 private:
  unsigned owner_of(std::uint64_t piece) const;
  Task task_of(unsigned owner, std::uint64_t piece) const;

  Communicator& communicator_;
  PieceTable const& table_;
  Pieces* kept_;
  std::vector<bool> there_;  // in rank 0's store when the run began
  bool by_mix_;
  std::uint64_t derived_ = UINT64_MAX;  // the derived piece last asked for
  unsigned derived_owner_ = 0;
};

}  // namespace wattfill
