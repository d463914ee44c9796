#pragma once
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "wattfill/core/append_file.hpp"
#include "wattfill/core/sha256.hpp"
#include "wattfill/report/piece_file.hpp"

namespace wattfill {

/// The rows of a study while they are made: a table with its header that grows piece by piece, and becomes a file of results by being renamed.
class RowFile {
 public:
  /// A new file, made at its first write.
  RowFile(std::filesystem::path file, std::string_view header);
  /// Goes on with one whose bytes up to `from` are proven; `digest` is that of these bytes.
  RowFile(std::filesystem::path file, RowsEnd const& from, Sha256 digest);

  void write(std::string_view rows);
  /// Where they end now, and what they are up to there.
  RowsEnd end() const { return {bytes_, digest_.text()}; }
  /// The system has all of it.
  void flush();
  /// The disk has it.
  void sync();
  /// The table is whole: it gets its name. Gives its SHA-256.
  std::string commit(std::filesystem::path const& place);
  /// It is not wanted.
  void remove();

 private:
  AppendFile& out();

  std::filesystem::path file_;
  std::uint64_t whole_;  // bytes that stay when it is opened
  std::uint64_t bytes_;  // with what waits
  Sha256 digest_;
  std::optional<AppendFile> out_;
  std::string waiting_;
  std::uint64_t unhinted_ = 0;  // bytes since the disk was last told to begin
};

/// Reads such a file from its start, stretch by stretch.
class RowReader {
 public:
  explicit RowReader(std::filesystem::path const& file);
  /// The bytes from where it stands to `end`, into `rows` if that is not nullptr; false unless they are those that were written, and nothing after that.
  bool advance(RowsEnd const& end, std::string* rows);
  std::uint64_t bytes() const { return bytes_; }
  Sha256 take_digest() { return std::move(digest_); }

 private:
  std::ifstream in_;
  std::uint64_t bytes_ = 0;
  Sha256 digest_;
  bool good_ = true;
};

}  // namespace wattfill
