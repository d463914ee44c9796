#include "wattfill/scenario/csv.hpp"

#include <string>

#include "support/catch.hpp"
#include "support/folder.hpp"
#include "wattfill/core/error.hpp"

using wattfill::CsvTable;

namespace {

std::string refusal(std::string const& text, std::string const& column = "") {
  try {
    auto const table = CsvTable::parse(text, "t.csv");
    if (!column.empty()) {
      auto const c = table.column(column);
      for (std::size_t row = 0; row < table.rows(); ++row) table.number(row, c);
    }
  } catch (wattfill::InputError const& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("Columns are found by name and numbers read whatever their order") {
  auto const table = CsvTable::parse("b,a\n1.5,x\n-2e3,y\n", "t.csv");
  REQUIRE(table.rows() == 2);
  CHECK(table.number(0, table.column("b")) == 1.5);
  CHECK(table.number(1, table.column("b")) == -2000);
  CHECK(table.text(1, table.column("a")) == "y");
  CHECK_FALSE(table.find("c"));
  CHECK(table.at(1, 1).line == 3);
  CHECK(table.at(1, 1).column == 6);
}

TEST_CASE("A byte-order mark, CRLF, blank lines and a missing last newline change nothing") {
  auto const table = CsvTable::parse(
      "\xEF\xBB\xBF"
      "a,b\r\n1,2\r\n\r\n3,4",
      "t.csv");
  CHECK(table.header() == std::vector<std::string>{"a", "b"});
  REQUIRE(table.rows() == 2);
  CHECK(table.number(1, 1) == 4);
}

TEST_CASE("Quoted cells hold commas, quotes and line breaks, and later locations stay right") {
  auto const table = CsvTable::parse("a,b\n\"x,\"\"y\"\"\nz\",7\nw,8\n", "t.csv");
  CHECK(table.text(0, 0) == "x,\"y\"\nz");
  CHECK(table.number(0, 1) == 7);
  CHECK(table.at(0, 1).line == 3);
  CHECK(table.at(1, 0).line == 4);
}

TEST_CASE("Columns count characters, not bytes") { CHECK(CsvTable::parse("a,b\n\xC3\xA4,2\n", "t.csv").at(0, 1).column == 3); }

TEST_CASE("Every mistake in a CSV file names file, line, column and what to do") {
  CHECK(refusal("") == "t.csv:1:1: the file is empty (a header row must name the columns); add one");
  CHECK(refusal("a,a\n1,2\n") == "t.csv:1:3: a: this column is there twice (which one is meant?); remove or rename one");
  CHECK(refusal("a,b\n1\n") == "t.csv:2:1: this row has 1 cells, the header has 2; add or remove commas, and write decimals with '.'");
  CHECK(refusal("a\n\"x\n") == "t.csv:2:1: a quoted cell is never closed; add the missing \"");
  CHECK(refusal("a\n\"x\"y\n") == "t.csv:2:4: text after the closing quote of a cell; write a quote inside a quoted cell as \"\"");
  CHECK(refusal("a\n\xFF\n") == "t.csv:2:1: not UTF-8 text (names and numbers cannot be read from it); save the file as UTF-8");
  CHECK(refusal("a,b\n1,2\n", "c") == "t.csv:1:1: c: there is no column of this name (columns are found by name only); the columns are: a, b");
  CHECK(refusal("a,b\n1,\n", "b") == "t.csv:2:3: b: the cell is empty (a missing number is not zero); give the number or remove the row");
  CHECK(refusal("a,b\n1,12 W\n", "b") == "t.csv:2:3: b: \"12 W\" is not a number; write digits, '.' for decimals, and no unit");
  CHECK(refusal("a\nnan\n", "a") == "t.csv:2:1: a: \"nan\" is not a finite number (one such value poisons every result); give the number or remove the row");
  CHECK(refusal("a\n1e999\n", "a") == "t.csv:2:1: a: \"1e999\" does not fit a double-precision number");
}

TEST_CASE("Tables beyond the limits of memory are refused where they go beyond, and a file of another kind does not fill it with mistakes") {
  auto const over = [](std::string const& text, wattfill::CsvLimits const& limits) -> std::string {
    try {
      CsvTable::parse(text, "t.csv", limits);
    } catch (wattfill::InputError const& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK(over("a,b\n1,2\n", {100, 4, 2}) == "accepted");
  CHECK(over("a,b\n1,2\n", {100, 3, 2}) ==
        "t.csv:2:3: more than 3 cells (the file is held in memory whole); leave out columns that are not needed, thin it out or split it");
  CHECK(over("a,b\n1,2,3\n", {100, 9, 2}) == "t.csv:2:5: a row of more than 2 cells (no table here has so many columns); check that this is the file meant");
  std::string other = "a,b\n";
  for (int i = 0; i < 5000; ++i) other += "x\n";
  CHECK(over(other, {}).ends_with("and 980 more mistakes"));
  wattfill::testing::TemporaryFile const file("a,b\n1,2\n");
  CHECK_THROWS_WITH(CsvTable::read(file.path(), {7, 9, 9}), Catch::Contains("is longer than 7 bytes (it would be held in memory whole)"));
}

TEST_CASE("A missing CSV file is the user's to mend") {
  CHECK_THROWS_WITH(CsvTable::read("no/such.csv"), "no/such.csv: there is no such file; check the path");
}
