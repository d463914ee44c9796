#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wattfill/core/error.hpp"

namespace wattfill {

/// Bounds of one file, which is held in memory whole: the largest takes about 3 GB.
struct CsvLimits {
  std::size_t bytes = std::size_t{512} << 20;
  std::size_t cells = 30'000'000;
  std::size_t columns = 10'000;
};

/// A CSV file read whole: UTF-8 with or without BOM, LF or CRLF, header required, quotes as in RFC 4180. Columns are found by name only.
/// Every error is an InputError with file, line and column.
class CsvTable {
 public:
  static CsvTable read(std::filesystem::path const& file, CsvLimits const& limits = {});
  static CsvTable parse(std::string text, std::string file_name, CsvLimits const& limits = {});

  std::string const& file() const { return file_; }
  std::vector<std::string> const& header() const { return header_; }
  std::size_t rows() const { return cells_.size(); }

  std::optional<std::size_t> find(std::string_view column) const;
  /// Throws InputError that names the columns there are.
  std::size_t column(std::string_view name) const;

  std::string const& text(std::size_t row, std::size_t column) const { return cells_[row][column].text; }
  /// A finite number written with '.', whatever the locale; empty cells and text are refused.
  double number(std::size_t row, std::size_t column) const;
  Location at(std::size_t row, std::size_t column) const;

 private:
  struct Cell {
    std::string text;
    int line;
    int column;
  };
  std::string file_;
  std::vector<std::string> header_;
  std::vector<std::vector<Cell>> cells_;
};

}  // namespace wattfill
