#include "wattfill/report/stored_pieces.hpp"

#include "support/catch.hpp"
#include "support/folder.hpp"
#include "wattfill/core/error.hpp"

using namespace wattfill;
using testing::Folder;
using Task = Pieces::Task;

namespace {

PieceHeader of_shard(std::string const& shard, std::string const& seed = "3") { return {{{"seed", seed}, {"shard", shard}}, {}}; }

PieceFile file(std::filesystem::path const& path, PieceHeader const& header, std::vector<std::uint64_t> const& pieces) {
  PieceWriter writer(path, header, PieceWriter::Seconds(0));
  for (auto piece : pieces) writer.keep(piece, "piece " + std::to_string(piece));
  writer.finish();
  return std::move(*PieceFile::read(path));
}

PieceTable table() {  // pieces 0 to 5, 6 derived from them
  PieceTable all;
  all.add({{6, 10}, {1, 0, true}});
  return all;
}

template <class... Files>
std::vector<PieceFile> list(Files&&... files) {
  std::vector<PieceFile> all;
  (all.push_back(std::forward<Files>(files)), ...);
  return all;
}

}  // namespace

TEST_CASE("a shard takes what it has, makes what is its own, leaves the rest, and derives only what it has whole") {
  Folder const folder("stored");
  auto const all = table();
  StoredPieces second(all, list(file(folder / "p", of_shard("2/2"), {4})), nullptr, Shard{1, 2});
  CHECK(!second.folds());
  std::vector<Task> tasks;
  for (std::uint64_t piece = 0; piece < 6; ++piece) tasks.push_back(second.task(piece));
  CHECK(tasks == std::vector<Task>{Task::leave, Task::leave, Task::leave, Task::compute, Task::take, Task::compute});
  CHECK(second.take(4).payload == "piece 4");
  CHECK(second.derived_task(6, 0, 6) == Task::leave);
  StoredPieces whole(all, {}, nullptr);
  CHECK(whole.folds());
  CHECK(whole.derived_task(6, 0, 6) == Task::compute);
  StoredPieces derived(all, list(file(folder / "q", of_shard(""), {6})), nullptr);
  CHECK(derived.derived_task(6, 0, 6) == Task::take);
}

TEST_CASE("shards are merged when every piece is there once; what is derived may be missing") {
  Folder const folder("stored");
  auto const message = [&](std::vector<PieceFile> const& files) {
    try {
      check_shards(files, table(), of_shard(""));
    } catch (InputError const& error) {
      return folder.relative(error.what());
    }
    return std::string();
  };
  auto const first = [&] { return file(folder / "a", of_shard("1/2"), {0, 1, 2}); };
  auto const second = [&] { return file(folder / "b", of_shard("2/2"), {3, 4, 5}); };
  CHECK(message(list(second(), first())).empty());
  CHECK(message(list(first())) ==
        "3 of 7 pieces are missing, from number 3 on (given: shard 1/2); run the shards that are missing, or finish those that are not whole with --resume");
  CHECK(message(list(first(), second(), file(folder / "c", of_shard("2/3"), {2, 3}))) ==
        "c: is shard 2/3 and holds 2 pieces, from number 2 on, that a (shard 1/2) holds, too; name every shard once, all of one --shard I/N");
  CHECK(message(list(first(), file(folder / "d", of_shard("2/2", "4"), {3, 4, 5}))) == "d: is of another study: seed: was 4, is 3; run this shard again");
  CHECK(message(list(first(), file(folder / "e", of_shard("2/2"), {3, 4, 5, 99}))) == "e: holds 1 pieces that this study does not have; run this shard again");
}
