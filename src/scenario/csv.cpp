#include "wattfill/scenario/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "wattfill/core/quotation.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill {
namespace {

std::string_view trimmed(std::string_view text) {
  auto const first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Walks over CSV text cell by cell and knows where it is.
class Reader {
 public:
  Reader(std::string_view text, std::string const& file) : text_(text), file_(file) {}

  bool done() const { return i_ >= text_.size(); }
  Location here() const { return {file_, line_, column_}; }
  bool at_line_end() const { return done() || peek() == '\n' || (peek() == '\r' && (i_ + 1 >= text_.size() || text_[i_ + 1] == '\n')); }

  void end_line() {
    if (!done() && peek() == '\r') take();
    if (!done()) take();
  }
  bool comma() {
    if (done() || peek() != ',') return false;
    take();
    return true;
  }
  std::string cell() {
    std::string value;
    if (done() || peek() != '"') {
      while (!at_line_end() && peek() != ',') value += take();
      return value;
    }
    auto const start = here();
    take();
    for (;;) {
      if (done()) throw InputError(Problem{start, "", "a quoted cell is never closed; add the missing \""});
      auto const c = take();
      if (c != '"') {
        value += c;
      } else if (!done() && peek() == '"') {
        value += take();
      } else {
        break;
      }
    }
    if (!at_line_end() && peek() != ',')
      throw InputError(Problem{here(), "", "text after the closing quote of a cell; write a quote inside a quoted cell as \"\""});
    return value;
  }

 private:
  char peek() const { return text_[i_]; }
  char take() {
    auto const c = text_[i_++];
    if (c == '\n') {
      ++line_;
      column_ = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {  // columns count characters, not bytes
      ++column_;
    }
    return c;
  }

  std::string_view text_;
  std::string const& file_;
  std::size_t i_ = 0;
  int line_ = 1, column_ = 1;
};

}  // namespace

CsvTable CsvTable::read(std::filesystem::path const& file, CsvLimits const& limits) { return parse(read_text_file(file, limits.bytes), file.string(), limits); }

CsvTable CsvTable::parse(std::string text, std::string file_name, CsvLimits const& limits) {
  CsvTable table;
  table.file_ = std::move(file_name);
  text = checked_utf8(std::move(text), table.file_);
  Reader reader(text, table.file_);
  std::vector<Problem> problems;
  constexpr std::size_t enough = 1000;  // problems: a file of another kind has one in every row
  std::size_t cells = 0;
  while (!reader.done() && problems.size() < enough) {
    if (reader.at_line_end()) {  // blank lines say nothing
      reader.end_line();
      continue;
    }
    auto const start = reader.here();
    std::vector<Cell> row;
    do {
      auto const at = reader.here();
      row.push_back({reader.cell(), at.line, at.column});
      if (row.size() > limits.columns)
        throw InputError(Problem{
            at, "", "a row of more than " + std::to_string(limits.columns) + " cells (no table here has so many columns); check that this is the file meant"});
      if (++cells > limits.cells)
        throw InputError(Problem{at, "",
                                 "more than " + std::to_string(limits.cells) +
                                     " cells (the file is held in memory whole); leave out columns that are not needed, thin it out or split it"});
    } while (reader.comma());
    reader.end_line();

    if (table.header_.empty()) {
      for (auto const& cell : row) {
        auto const name = std::string(trimmed(cell.text));
        if (!name.empty() && std::ranges::find(table.header_, name) != table.header_.end())
          problems.push_back({{table.file_, cell.line, cell.column}, name, "this column is there twice (which one is meant?); remove or rename one"});
        table.header_.push_back(name);
      }
    } else if (row.size() != table.header_.size()) {
      problems.push_back({start, "",
                          "this row has " + std::to_string(row.size()) + " cells, the header has " + std::to_string(table.header_.size()) +
                              "; add or remove commas, and write decimals with '.'"});
    } else {
      table.cells_.push_back(std::move(row));
    }
  }
  if (table.header_.empty()) throw InputError(Problem{{table.file_, 1, 1}, "", "the file is empty (a header row must name the columns); add one"});
  if (!problems.empty()) throw InputError(std::move(problems));
  return table;
}

std::optional<std::size_t> CsvTable::find(std::string_view column) const {
  auto const found = std::ranges::find(header_, column);
  return found == header_.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - header_.begin()));
}

std::size_t CsvTable::column(std::string_view name) const {
  if (auto const found = find(name)) return *found;
  throw InputError(
      Problem{{file_, 1, 1}, std::string(name), "there is no column of this name (columns are found by name only); the columns are: " + listed(header_)});
}

double CsvTable::number(std::size_t row, std::size_t column) const {
  auto const cell = trimmed(text(row, column));
  auto const refuse = [&](std::string what) { throw InputError(Problem{at(row, column), header_[column], std::move(what)}); };
  if (cell.empty()) refuse("the cell is empty (a missing number is not zero); give the number or remove the row");
  double value = 0;
  auto const* const begin = cell.data() + (cell.front() == '+' && !cell.starts_with("+-") ? 1 : 0);
  auto const [end, error] = std::from_chars(begin, cell.data() + cell.size(), value);
  if (error == std::errc::result_out_of_range) refuse(quotation(cell) + " does not fit a double-precision number");
  if (error != std::errc() || end != cell.data() + cell.size()) refuse(quotation(cell) + " is not a number; write digits, '.' for decimals, and no unit");
  if (!std::isfinite(value)) refuse(quotation(cell) + " is not a finite number (one such value poisons every result); give the number or remove the row");
  return value;
}

Location CsvTable::at(std::size_t row, std::size_t column) const {
  auto const& cell = cells_[row][column];
  return {file_, cell.line, cell.column};
}

}  // namespace wattfill
