#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wattfill/core/append_file.hpp"

namespace wattfill {

/// Whose pieces a file holds.
struct PieceHeader {
  /// What must be the same for pieces to be of one study: names and values, e.g. version, the scenario as resolved, hashes of curves.
  std::vector<std::pair<std::string, std::string>> identity;
  /// How the scenario can be read again, for those who have only the pieces: names and values.
  std::vector<std::pair<std::string, std::string>> origin;
};

/// What differs, for the user: "version: was 0.1.0, is 0.2.0", the first line of a long value that differs; empty if nothing does.
std::vector<std::string> differences(PieceHeader const& was, PieceHeader const& is);

/// How far a file of rows goes, and the SHA-256 of its bytes from the first up to there: 64 hexadecimal digits.
struct RowsEnd {
  std::uint64_t bytes = 0;
  std::string sha256;
};

class RowFile;
class RowReader;

/// The finished pieces of a study: pieces.bin of a result folder. It is only ever appended to, so that a program that is killed, or a disk that is full, leaves
/// every piece but the last whole. Numbers are little-endian:
///
///     "wattfill pieces\n" and the format's version (2) as 8 bytes, then records, one after the other:
///     number of the piece            8 bytes; 2^64 - 1 for the header, which is the first record and no other
///     length of what follows         8 bytes
///     where the rows of the piece end in the file of rows: 8 bytes, then a text (length in 8 bytes, bytes); 0 and nothing if there is no such file
///     payload
///     SHA-256 of all of the record before it, 64 hexadecimal digits
///
/// The header's payload: number of identity entries, each two texts, then the origin entries likewise.
///
/// Rows are written once: to pieces.csv beside it, a table with its header in which the rows of the pieces follow one another as the pieces do here. When a
/// study is whole that file becomes replications.csv. A record says how far its rows go, and the SHA-256 of the table up to there.
///
/// Every byte of both files is taken for anyone's: lengths are held against the bytes that are there before anything is allocated, and a checksum is proved
/// before the bytes it covers are used. From the first record on that is torn, wrong or stands twice, or whose rows are not there, nothing is used.
class PieceFile {
 public:
  PieceFile(PieceFile&&) noexcept;
  PieceFile& operator=(PieceFile&&) noexcept;
  ~PieceFile();
  /// Nothing if there is no file, or none with a whole header (of a run that was killed at once). Throws InputError for what is no file of pieces at all or
  /// of a newer format, MachineError if it cannot be read.
  static std::optional<PieceFile> read(std::filesystem::path const& file);

  PieceHeader const& header() const { return header_; }
  bool has(std::uint64_t piece) const { return places_.contains(piece); }
  std::size_t count() const { return places_.size(); }
  std::vector<std::uint64_t> pieces() const;
  /// Proves the checksum again. Throws InputError where the file is no longer what it was.
  std::string payload(std::uint64_t piece);
  /// Its rows, and proves them. Pieces must be asked for in the order of the file. Throws InputError where they are not what was written with the piece.
  std::string rows(std::uint64_t piece);
  /// Reads the file of rows, and forgets all pieces from the first on whose rows are not there.
  void prove_rows();
  /// Length of the whole records.
  std::uint64_t whole_bytes() const { return whole_; }
  /// Something follows them that is not used.
  bool is_torn() const { return torn_; }
  std::filesystem::path const& path() const { return file_; }

 private:
  friend class PieceWriter;
  struct Place {
    std::uint64_t at;  // of the record
    RowsEnd from, end;
  };
  struct Record {
    std::uint64_t piece = 0, length = 0;  // all of it
    RowsEnd rows;
    std::string payload;
  };
  PieceFile();
  /// False if it is not whole and proven.
  bool read_record(std::uint64_t at, Record& record);
  RowReader& reader();

  std::filesystem::path file_;
  std::ifstream in_;
  std::uint64_t size_ = 0, whole_ = 0;
  bool torn_ = false;
  PieceHeader header_;
  RowsEnd rows_;  // of the last piece
  RowsEnd rows_header_;
  std::map<std::uint64_t, Place> places_;
  std::unique_ptr<RowReader> reader_;
};

/// Appends pieces, and rows if there are some. What is kept within `every` of the last write stays in memory; after a run that ends before that no file is
/// left.
class PieceWriter {
 public:
  using Seconds = std::chrono::duration<double>;
  /// A new file, made at its first write. `rows_header`: the first line of the file of rows; empty: rows are not kept.
  PieceWriter(std::filesystem::path file, PieceHeader const& header, Seconds every, std::string_view rows_header = {});
  /// Goes on with one, whose rows must be proven if there are some.
  PieceWriter(PieceFile& file, Seconds every, std::string_view rows_header = {});
  /// Writes what is left, as well as it can.
  ~PieceWriter();
  PieceWriter(PieceWriter const&) = delete;
  PieceWriter& operator=(PieceWriter const&) = delete;

  void keep(std::uint64_t piece, std::string_view payload, std::span<std::string_view const> rows = {});
  bool keeps_rows() const { return rows_ != nullptr; }
  /// Everything is on the disk when it returns; makes the files if there are none.
  void finish();
  /// The rows are whole: their file gets its name among the results. Gives its SHA-256.
  std::string commit_rows(std::filesystem::path const& place);
  /// What is left is not wanted any more.
  void discard() { waiting_.clear(); }

 private:
  void put_record(std::uint64_t piece, std::string_view payload);
  void flush();

  std::filesystem::path file_;
  std::uint64_t whole_;  // bytes of the file that stay when it is opened
  Seconds every_;
  std::optional<AppendFile> out_;
  std::string waiting_;
  std::unique_ptr<RowFile> rows_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace wattfill
