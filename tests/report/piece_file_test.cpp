#include "wattfill/report/piece_file.hpp"

#include "support/catch.hpp"
#include "support/draws.hpp"
#include "support/folder.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/sha256.hpp"

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
    PieceWriter with_rows(folder / "q", header, PieceWriter::Seconds(1000), "a\n");
    std::vector<std::string> const long_ones(3, std::string(300'000, 'x'));  // which wait for nothing
    for (std::uint64_t piece = 0; piece < 3; ++piece) {
      std::string_view const rows = long_ones[piece];
      with_rows.keep(piece, "", {&rows, 1});
    }
    CHECK(folder.files() == 1);
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
  folder.write("p", std::string("wattfill pieces\n\1\0\0\0\0\0\0\0", 24));
  CHECK(message([&] { PieceFile::read(folder / "p"); }) ==
        "p: is of another format than version 2, which this program knows; finish it with the program that made it");
  write(folder / "p", {{1, "one"}});
  auto pieces = PieceFile::read(folder / "p");
  auto bytes = text_of(folder / "p");
  bytes[bytes.size() - 66] = 'X';
  folder.write("p", bytes);
  CHECK(message([&] { pieces->payload(1); }) == "p: piece 1 is no longer what it was when this run began; do not change the file of a run");
  {
    PieceWriter writer(folder / "r", header, PieceWriter::Seconds(0), "a\n");
    std::vector<std::string_view> const rows{"1\n"};
    writer.keep(6, "six", rows);
  }
  folder.write("r.csv", "a\n2\n");
  CHECK(message([&] { PieceFile::read(folder / "r")->rows(6); }) ==
        "r.csv: the rows of piece 6 are not those that were written with it (the file was changed, or is not whole); run this part of the study again with "
        "--resume");
}

TEST_CASE("rows are written once, beside the pieces, and what is damaged of them is made again") {
  Folder const folder("pieces");
  std::vector<std::vector<std::string_view>> const rows{{"1,2\n", "3,4\n"}, {}, {"5,6\n"}, {"7,8\n"}};
  auto const keep = [&](PieceWriter& writer, std::uint64_t piece) { writer.keep(piece, "piece " + std::to_string(piece), rows[piece]); };
  {
    PieceWriter writer(folder / "p", header, PieceWriter::Seconds(0), "a,b\n");
    for (std::uint64_t piece = 0; piece < 4; ++piece) keep(writer, piece);
    writer.finish();
  }
  std::string const table = "a,b\n1,2\n3,4\n5,6\n7,8\n";
  auto const bytes = text_of(folder / "p");
  REQUIRE(text_of(folder / "p.csv") == table);
  CHECK(bytes.find("3,4") == std::string::npos);
  auto whole = PieceFile::read(folder / "p");
  CHECK(whole->rows(0) == "1,2\n3,4\n");
  CHECK(whole->rows(1).empty());
  CHECK(whole->rows(2) == "5,6\n");
  CHECK(whole->payload(3) == "piece 3");
  for (std::size_t at = 0; at < table.size(); ++at) {
    auto changed = table;
    changed[at] ^= 1;
    for (auto const& damaged : {table.substr(0, at), changed}) {
      CAPTURE(at, damaged);
      folder.write("p", bytes);
      folder.write("p.csv", damaged);
      auto pieces = PieceFile::read(folder / "p");
      pieces->prove_rows();
      std::size_t const proven = at < 12 ? 0 : at < 16 ? 2 : 3;  // piece 1 has no rows and is there with piece 0
      REQUIRE(pieces->count() == proven);
      {
        PieceWriter writer(*pieces, PieceWriter::Seconds(0), "a,b\n");
        for (std::uint64_t piece = proven; piece < 4; ++piece) keep(writer, piece);
      }
      REQUIRE(text_of(folder / "p") == bytes);
      REQUIRE(text_of(folder / "p.csv") == table);
    }
  }
  folder.write("p.csv", table + "more that no piece speaks of\n");
  auto pieces = PieceFile::read(folder / "p");
  pieces->prove_rows();
  REQUIRE(pieces->count() == 4);
  PieceWriter writer(*pieces, PieceWriter::Seconds(0), "a,b\n");
  std::vector<std::string_view> const more{"9,0\n"};
  writer.keep(4, "", more);
  CHECK(writer.commit_rows(folder / "rows.csv") == sha256(table + "9,0\n"));
  CHECK(text_of(folder / "rows.csv") == table + "9,0\n");
}

TEST_CASE("what differs is said by its name, and of long values by the first line") {
  CHECK(differences(header, header).empty());
  PieceHeader const other{{{"version", "2"}, {"scenario", "name: a\nseed: 4\n"}, {"shard", "1/2"}}, {}};
  CHECK(differences(header, other) ==
        std::vector<std::string>{"version: was 1, is 2", "scenario: was \"seed: 3\", is \"seed: 4\"", "shard: was nothing, is 1/2"});
}
