#include "wattfill/scenario/text_file.hpp"

#include <fstream>

#include "support/catch.hpp"
#include "support/folder.hpp"
#include "wattfill/core/error.hpp"

using namespace wattfill;

TEST_CASE("A text file is read without its byte-order mark; what is not UTF-8 is refused with its place") {
  testing::Folder const folder("text-file");
  std::ofstream(folder / "bom", std::ios::binary) << "\xEF\xBB\xBFgr\xC3\xB6\xC3\x9F"
                                                  << "e\n";
  CHECK(read_text_file(folder / "bom") ==
        "gr\xC3\xB6\xC3\x9F"
        "e\n");
  std::ofstream(folder / "latin", std::ios::binary) << "ab\ncd\xF6";
  try {
    read_text_file(folder / "latin");
    FAIL("accepted");
  } catch (InputError const& error) {
    CHECK(error.problems().front().at.line == 2);
    CHECK(error.problems().front().at.column == 3);
  }
}

TEST_CASE("A missing file, a folder and a file over the limit are refused") {
  testing::Folder const folder("text-file-refused");
  std::ofstream(folder / "long") << "12345";
  CHECK_THROWS_AS(read_text_file(folder / "missing"), InputError);
  CHECK_THROWS_AS(read_text_file(folder.path()), InputError);
  CHECK_THROWS_AS(read_text_file(folder / "long", 4), InputError);
  CHECK(read_text_file(folder / "long", 5) == "12345");
}

TEST_CASE("The nearest word is offered where a slip of the pen explains it, else all there are") {
  CHECK(nearest("objectiv", {"objective", "mixes"}) == "objective");
  CHECK(nearest("zebra", {"objective", "mixes"}).empty());
  CHECK(suggestion("objectiv", {"objective", "mixes"}) == "; did you mean \"objective\"?");
  CHECK(suggestion("zebra", {"objective", "mixes"}, "keys") == "; keys: objective, mixes");
  CHECK(listed({"a", "b"}) == "a, b");
}
