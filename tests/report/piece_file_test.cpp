#include "wattfill/report/piece_file.hpp"

#include "support/catch.hpp"
#include "support/draws.hpp"
#include "support/folder.hpp"
#include "wattfill/core/error.hpp"

using namespace wattfill;
using testing::Folder;
using testing::text_of;

namespace {

PieceHeader const header{{{"version", "1"}, {"scenario", "name: a\nseed: 3\n"}}, {{"scenario", "/a.yaml"}}};

void write(std::filesystem::path const& file, std::vector<std::pair<std::uint64_t, std::string>> const& pieces) {
  PieceWriter writer(file, header, PieceWriter::Seconds(0));
  for (auto const& [number, payload] : pieces) writer.keep(number, payload);
  writer.finish();
}

}  // namespace

TEST_CASE("pieces read back as they were kept, and a file is gone on with") {
  Folder const folder("pieces");
  write(folder / "p", {{7, "seven"}, {2, ""}});
  auto pieces = PieceFile::read(folder / "p");
  REQUIRE(pieces);
  CHECK(pieces->header().identity == header.identity);
  CHECK(pieces->header().origin == header.origin);
  CHECK(pieces->pieces() == std::vector<std::uint64_t>{2, 7});
  CHECK(pieces->payload(7) == "seven");
  CHECK(pieces->payload(2).empty());
  CHECK(!pieces->is_torn());
  {
    PieceWriter writer(*pieces, PieceWriter::Seconds(0));
    writer.keep(3, "three");
  }
  CHECK(PieceFile::read(folder / "p")->pieces() == std::vector<std::uint64_t>{2, 3, 7});
}

TEST_CASE("a short run writes no file") {
  Folder const folder("pieces");
  {
    PieceWriter writer(folder / "p", header, PieceWriter::Seconds(1000));
    writer.keep(1, "one");
  }
  CHECK(folder.files() == 0);
  CHECK(!PieceFile::read(folder / "p"));
}

TEST_CASE("whatever byte is changed and wherever the file is cut, only whole pieces before it are used") {
  Folder const folder("pieces");
  write(folder / "p", {{0, "zero"}, {1, std::string(300, 'x')}, {2, "two"}});
  auto const bytes = text_of(folder / "p");
  testing::Draws draws(4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    auto changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ (1 << (at % 8)));
    for (auto const& damaged : {bytes.substr(0, at), changed}) {
      folder.write("p", damaged);
      std::optional<PieceFile> pieces;
      try {
        pieces = PieceFile::read(folder / "p");
      } catch (InputError const&) {
        CHECK(at < 24);  // the first bytes say what the file is
        continue;
      }
      if (!pieces) continue;
      CHECK(pieces->whole_bytes() <= at);
      CHECK(pieces->is_torn() == (damaged.size() > pieces->whole_bytes()));
      for (auto piece : pieces->pieces()) CHECK(pieces->payload(piece) == (piece == 0 ? "zero" : piece == 1 ? std::string(300, 'x') : "two"));
    }
  }
}

TEST_CASE("a piece that stands twice ends what is used, and a length beyond the file allocates nothing") {
  Folder const folder("pieces");
  write(folder / "p", {{5, "five"}, {6, "six"}, {5, "other"}});
  auto pieces = PieceFile::read(folder / "p");
  CHECK(pieces->count() == 2);
  CHECK(pieces->is_torn());
  CHECK(pieces->payload(5) == "five");
  write(folder / "q", {{1, "one"}});
  folder.write("q", text_of(folder / "q") + std::string(8, '\1') + std::string("\xff\xff\xff\xff\xff\xff\xff\x7f", 8) + std::string(100, 'y'));
  CHECK(PieceFile::read(folder / "q")->count() == 1);
}

TEST_CASE("other files, later formats and files that change under a run are refused by their exact message") {
  Folder const folder("pieces");
  auto const message = [&](auto const& act) {
    try {
      act();
    } catch (InputError const& error) {
      return folder.relative(error.what());
    }
    return std::string("nothing");
  };
  folder.write("p", "policy,replication,and more of a table\n");
  CHECK(message([&] { PieceFile::read(folder / "p"); }) == "p: is no file of finished pieces (it begins with other bytes); move it away");
  folder.write("p", std::string("wattfill pieces\n\2\0\0\0\0\0\0\0", 24));
  CHECK(message([&] { PieceFile::read(folder / "p"); }) ==
        "p: is of another format than version 1, which this program knows; finish it with the program that made it");
  write(folder / "p", {{1, "one"}});
  auto pieces = PieceFile::read(folder / "p");
  auto bytes = text_of(folder / "p");
  bytes[bytes.size() - 66] = 'X';
  folder.write("p", bytes);
  CHECK(message([&] { pieces->payload(1); }) == "p: piece 1 is no longer what it was when this run began; do not change the file of a run");
}

TEST_CASE("what differs is said by its name, and of long values by the first line") {
  CHECK(differences(header, header).empty());
  PieceHeader const other{{{"version", "2"}, {"scenario", "name: a\nseed: 4\n"}, {"shard", "1/2"}}, {}};
  CHECK(differences(header, other) ==
        std::vector<std::string>{"version: was 1, is 2", "scenario: was \"seed: 3\", is \"seed: 4\"", "shard: was nothing, is 1/2"});
}
