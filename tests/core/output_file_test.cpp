#include "wattfill/core/output_file.hpp"

#include <sys/resource.h>

#include <csignal>
#include <optional>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"
#include "wattfill/core/error.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

template <class Act>
std::string machine_error(Act act) {
  try {
    act();
  } catch (MachineError const& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a committed file is there whole, alone, and not before it is committed") {
  Folder const folder("commit");
  OutputFile out(folder / "a.csv");
  out.write("one,");
  out.write(std::string("two\0", 4));
  CHECK_FALSE(std::filesystem::exists(folder / "a.csv"));
  out.commit();
  CHECK(text_of(folder / "a.csv") == std::string("one,two\0", 8));
  CHECK(folder.files() == 1);
}

TEST_CASE("without commit nothing stays, and what was there before stays as it was") {
  Folder const folder("no-commit");
  write_file(folder / "a.csv", "old");
  {
    OutputFile out(folder / "a.csv");
    out.write("half");
  }
  CHECK(text_of(folder / "a.csv") == "old");
  CHECK(folder.files() == 1);
  write_file(folder / "a.csv", "new");
  CHECK(text_of(folder / "a.csv") == "new");
}

TEST_CASE("a folder that is missing, or is a file, is a machine error with the file's name") {
  Folder const folder("missing");
  CHECK(contains(machine_error([&] { OutputFile out(folder / "none/a.csv"); }), "none/a.csv: could not be created: No such file or directory"));
  write_file(folder / "file", "");
  CHECK(contains(machine_error([&] { OutputFile out(folder / "file/a.csv"); }), "file/a.csv: could not be created: Not a directory"));
  CHECK(folder.files() == 1);
}

TEST_CASE("a place taken by a folder is a machine error, and nothing is left") {
  Folder const folder("taken");
  std::filesystem::create_directory(folder / "a.csv");
  auto const text = machine_error([&] { write_file(folder / "a.csv", "x"); });
  CHECK(contains(text, "a.csv: could not be put in its place: Is a directory"));
  CHECK(folder.files() == 1);
}

TEST_CASE("a file that grows beyond what the machine allows is a machine error, and nothing is left") {
  Folder const folder("limit");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  auto const handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit const small{4096, before.rlim_max};
  std::string text;
  setrlimit(RLIMIT_FSIZE, &small);
  text = machine_error([&] { write_file(folder / "a.csv", std::string(100000, 'x')); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(contains(text, "a.csv: could not be written: File too large"));
  CHECK(folder.files() == 0);
}
