#include "wattfill/core/append_file.hpp"

#include "support/catch.hpp"
#include "support/folder.hpp"
#include "wattfill/core/error.hpp"

using namespace wattfill;
using testing::Folder;
using testing::text_of;

TEST_CASE("a file grows by what is written and keeps what it is told to") {
  Folder const folder("append");
  { AppendFile(folder / "file", 0).write("one two"); }
  CHECK(text_of(folder / "file") == "one two");
  {
    AppendFile file(folder / "file", 4);
    file.write("three");
    file.write("");
    file.write(" four");
    file.sync();
    CHECK(text_of(folder / "file") == "one three four");
  }
  { AppendFile(folder / "file", 0).write("anew"); }
  CHECK(text_of(folder / "file") == "anew");
}

TEST_CASE("a disk that is full and a folder that is not there are errors of the machine that name the file") {
  Folder const folder("append");
  try {
    AppendFile const file(folder / "nowhere/file", 0);
    FAIL("opened");
  } catch (MachineError const& error) {
    CHECK(folder.relative(error.what()) ==
          "nowhere/file: could not be opened: No such file or directory; the folder is not there any more: make it again, or choose another; "
          "what was finished before stays where it was, and --resume goes on with it");
  }
}
