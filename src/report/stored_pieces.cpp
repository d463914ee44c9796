#include "wattfill/report/stored_pieces.hpp"

#include <algorithm>

#include "wattfill/core/error.hpp"

namespace wattfill {

StoredPieces::StoredPieces(PieceTable const& table, std::vector<PieceFile> files, PieceWriter* writer, std::optional<Shard> shard)
    : table_(table), files_(std::move(files)), writer_(writer), shard_(shard) {}

PieceFile* StoredPieces::file_of(std::uint64_t piece) {
  auto const found = std::ranges::find_if(files_, [&](PieceFile const& file) { return file.has(piece); });
  return found == files_.end() ? nullptr : &*found;
}

Pieces::Task StoredPieces::task(std::uint64_t piece) {
  if (shard_ && table_.part_of(piece, shard_->count) != shard_->index) return Task::leave;
  return file_of(piece) != nullptr ? Task::take : Task::compute;
}

Pieces::Task StoredPieces::derived_task(std::uint64_t piece, std::uint64_t first_of_mix, std::uint64_t count_of_mix) {
  if (file_of(piece) != nullptr) return Task::take;
  for (auto p = first_of_mix; p < first_of_mix + count_of_mix; ++p)
    if (task(p) == Task::leave) return Task::leave;
  return Task::compute;
}

Pieces::Piece StoredPieces::take(std::uint64_t piece) {
  auto* const file = file_of(piece);
  WATTFILL_ASSERT(file != nullptr);
  return {file->payload(piece), keeps_rows() ? std::string() : file->rows(piece)};
}

void StoredPieces::keep(std::uint64_t piece, std::string_view payload, std::span<std::string_view const> rows) {
  if (writer_ != nullptr) writer_->keep(piece, payload, rows);
}

void check_shards(std::vector<PieceFile> const& files, PieceTable const& table, PieceHeader is) {
  auto const without_shard = [](PieceHeader header) {
    std::erase_if(header.identity, [](auto const& entry) { return entry.first == "shard"; });
    return header;
  };
  auto const shard_of = [](PieceFile const& file) {
    auto const& identity = file.header().identity;
    auto const found = std::ranges::find(identity, "shard", &std::pair<std::string, std::string>::first);
    return found == identity.end() ? std::string("no shard") : "shard " + found->second;
  };
  is = without_shard(std::move(is));
  std::vector<Problem> problems;
  for (auto const& file : files)
    for (auto const& difference : differences(without_shard(file.header()), is))
      problems.push_back({{file.path().string()}, "", "is of another study: " + difference + "; run this shard again"});
  if (!problems.empty()) throw InputError(std::move(problems));

  std::vector<PieceFile const*> holder(table.count(), nullptr);
  for (auto const& file : files) {
    std::uint64_t doubled = 0, foreign = 0, first_doubled = 0;
    PieceFile const* other = nullptr;
    for (auto piece : file.pieces()) {
      if (piece >= holder.size()) {
        ++foreign;
      } else if (holder[piece] != nullptr) {
        if (doubled++ == 0) {
          other = holder[piece];
          first_doubled = piece;
        }
      } else {
        holder[piece] = &file;
      }
    }
    if (foreign > 0)
      problems.push_back({{file.path().string()}, "", "holds " + std::to_string(foreign) + " pieces that this study does not have; run this shard again"});
    if (doubled > 0)
      problems.push_back({{file.path().string()},
                          "",
                          "is " + shard_of(file) + " and holds " + std::to_string(doubled) + " pieces, from number " + std::to_string(first_doubled) +
                              " on, that " + other->path().string() + " (" + shard_of(*other) + ") holds, too; name every shard once, all of one --shard I/N"});
  }
  std::uint64_t missing = 0, first = 0;
  for (std::uint64_t piece = 0; piece < holder.size(); ++piece)
    if (holder[piece] == nullptr && !table.is_derived(piece) && missing++ == 0) first = piece;
  if (missing > 0) {
    std::string there;
    for (auto const& file : files) there += (there.empty() ? "" : ", ") + shard_of(file) + (file.is_torn() ? " (not whole)" : "");
    problems.push_back({{},
                        "",
                        std::to_string(missing) + " of " + std::to_string(holder.size()) + " pieces are missing, from number " + std::to_string(first) +
                            " on (given: " + there + "); run the shards that are missing, or finish those that are not whole with --resume"});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

}  // namespace wattfill
