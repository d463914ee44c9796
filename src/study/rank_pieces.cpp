#include "wattfill/study/rank_pieces.hpp"

#include "wattfill/core/bytes.hpp"
#include "wattfill/core/error.hpp"

namespace wattfill {

RankPieces::RankPieces(Communicator& communicator, PieceTable const& table, Pieces* kept)
    : communicator_(communicator), table_(table), kept_(kept), by_mix_(table.groups() >= 8ULL * communicator.ranks()) {
  std::string there(table.count(), '0');
  for (std::uint64_t piece = 0; kept != nullptr && piece < table.count(); ++piece)
    if (kept->task(piece) == Task::take) there[piece] = '1';
  there = communicator.broadcast(std::move(there));
  for (char c : there) there_.push_back(c == '1');
}

unsigned RankPieces::owner_of(std::uint64_t piece) const {
  return static_cast<unsigned>((by_mix_ ? table_.own_group_of(piece) : piece) % communicator_.ranks());
}

Pieces::Task RankPieces::task_of(unsigned owner, std::uint64_t piece) const {
  auto const rank = communicator_.rank();
  if (there_[piece]) return rank == 0 ? Task::take : Task::leave;
  if (owner == rank) return Task::compute;
  return rank == 0 ? Task::take : Task::leave;
}

Pieces::Task RankPieces::task(std::uint64_t piece) { return task_of(owner_of(piece), piece); }

Pieces::Task RankPieces::derived_task(std::uint64_t piece, std::uint64_t first_of_mix, std::uint64_t count_of_mix) {
  derived_ = piece;
  derived_owner_ = owner_of(first_of_mix);
  for (auto p = first_of_mix; p < first_of_mix + count_of_mix; ++p)
    if (there_[p] || owner_of(p) != derived_owner_) derived_owner_ = 0;  // rank 0 alone has them all
  return task_of(derived_owner_, piece);
}

Pieces::Piece RankPieces::take(std::uint64_t piece) {
  WATTFILL_ASSERT(communicator_.rank() == 0);
  if (there_[piece]) return kept_->take(piece);
  auto const [number, message] = communicator_.receive(piece == derived_ ? derived_owner_ : owner_of(piece));
  if (number != piece) throw Defect("piece " + std::to_string(number) + " came where " + std::to_string(piece) + " was awaited");
  ByteReader from(message);
  std::string_view payload, rows;
  if (!from.text(payload) || !from.text(rows)) refuse_payload(piece);
  if (kept_ != nullptr) kept_->keep(piece, payload, {&rows, 1});
  return {std::string(payload), keeps_rows() ? std::string() : std::string(rows)};
}

void RankPieces::keep(std::uint64_t piece, std::string_view payload, std::span<std::string_view const> rows) {
  if (communicator_.rank() == 0) {
    if (kept_ != nullptr) kept_->keep(piece, payload, rows);
    return;
  }
  std::string message, text;
  for (auto stretch : rows) text += stretch;
  ByteWriter to(message);
  to.text(payload);
  to.text(text);
  communicator_.send(piece, message);
}

}  // namespace wattfill
