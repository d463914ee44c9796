#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wattfill {

/// Pieces of a study that follow one another and are much alike.
struct PieceGroup {
  std::uint64_t count;
  std::uint64_t weight;  ///< of one piece, about: its replications
  bool derived = false;  ///< made from the pieces of the group before it, by whoever has all of them; need not be there
};

/// A study is cut into numbered pieces by its specification alone. A piece is a pure function of (study, number) and travels as bytes, its payload, and the
/// rows of its replications as text: to files that --resume goes on with, between the shards of a study, or from rank to rank. Folding the payloads in order
/// of their numbers gives the study's results, the same bits wherever the pieces were made; the rows one after the other are its rows. This class says who
/// makes which piece, and keeps and gives them; all calls come from one thread.
class Pieces {
 public:
  struct Piece {
    std::string payload;
    std::string rows;  ///< empty where they are in their place already
  };
  enum class Task {
    compute,  ///< make it here and hand it to keep()
    take,     ///< it is there or will be: take() gives it
    leave     ///< not this process's
  };
  virtual ~Pieces() = default;

  virtual Task task(std::uint64_t piece) = 0;
  /// The same for a derived piece. `compute`: only if all pieces before it in its mix are computed or taken here.
  virtual Task derived_task(std::uint64_t piece, std::uint64_t first_of_mix, std::uint64_t count_of_mix) = 0;
  virtual Piece take(std::uint64_t piece) = 0;
  /// Takes a piece that was computed here. Derived ones, too. `rows` are texts that follow one another.
  virtual void keep(std::uint64_t piece, std::string_view payload, std::span<std::string_view const> rows = {}) = 0;
  /// The rows that keep() is handed go to their place by that: nobody else need write them.
  virtual bool keeps_rows() const { return false; }
  /// This process makes the results. If not, nothing is folded that it does not have whole.
  virtual bool folds() const { return true; }
};

/// A payload that is whole but does not hold what the piece of this study would: its size or shape is another's. An InputError of the file it came from.
[[noreturn]] void refuse_payload(std::uint64_t piece);

/// All pieces of all studies of a scenario, in order, and how they are shared out.
class PieceTable {
 public:
  void add(std::vector<PieceGroup> const& groups);

  std::uint64_t count() const { return starts_.empty() ? 0 : starts_.back() + groups_.back().count; }
  /// The part, of `parts`, that makes the piece: parts are ranges of numbers of about equal weight. A derived piece belongs to the part of the piece before it.
  std::uint64_t part_of(std::uint64_t piece, std::uint64_t parts) const;
  bool is_derived(std::uint64_t piece) const { return groups_[group_of(piece)].derived; }

  /// Groups of pieces that are not derived, and the one that a piece is in, from 0.
  std::size_t groups() const { return own_; }
  std::size_t own_group_of(std::uint64_t piece) const { return ordinals_[group_of(piece)]; }

 private:
  std::size_t group_of(std::uint64_t piece) const;

  std::vector<PieceGroup> groups_;
  std::vector<std::uint64_t> starts_;   // first piece of each group
  std::vector<std::uint64_t> weights_;  // weight of all groups before it
  std::vector<std::size_t> ordinals_;   // groups before it that are not derived; of a derived one, that of the group it is made from
  std::uint64_t weight_ = 0;
  std::size_t own_ = 0;
};

}  // namespace wattfill
