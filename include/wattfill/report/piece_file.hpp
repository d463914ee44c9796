#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
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

/// The finished pieces of a study: pieces.bin of a result folder. It is only ever appended to, so that a program that is killed, or a disk that is full, leaves
/// every piece but the last whole. Numbers are little-endian:
///
///     "wattfill pieces\n" and the format's version (1) as 8 bytes, then records, one after the other:
///     number of the piece            8 bytes; 2^64 - 1 for the header, which is the first record and no other
///     length of the payload          8 bytes
///     payload
///     SHA-256 of all of the record before it, 64 hexadecimal digits
///
/// The header's payload: number of identity entries, each two texts (length in 8 bytes, bytes), then the origin entries likewise.
///
/// Every byte of a file is taken for anyone's: lengths are held against the bytes that are there before anything is allocated, and a checksum is proved before
/// the bytes it covers are used. From the first record on that is torn, wrong or stands twice, nothing is used.
class PieceFile {
 public:
  /// Nothing if there is no file, or none with a whole header (of a run that was killed at once). Throws InputError for what is no file of pieces at all or
  /// of a newer format, MachineError if it cannot be read.
  static std::optional<PieceFile> read(std::filesystem::path const& file);

  PieceHeader const& header() const { return header_; }
  bool has(std::uint64_t piece) const { return places_.contains(piece); }
  std::size_t count() const { return places_.size(); }
  std::vector<std::uint64_t> pieces() const;
  /// Proves the checksum again. Throws InputError where the file is no longer what it was.
  std::string payload(std::uint64_t piece);
  /// Length of the whole records.
  std::uint64_t whole_bytes() const { return whole_; }
  /// Something follows them that is not used.
  bool is_torn() const { return torn_; }
  std::filesystem::path const& path() const { return file_; }

 private:
  struct Place {
    std::uint64_t at, length;  // of the payload
  };
  PieceFile() = default;
  /// The record at `at`, its payload at the front of `record`; false if it is not whole and proven.
  bool read_record(std::uint64_t at, std::uint64_t& piece, std::string& record);

  std::filesystem::path file_;
  std::ifstream in_;
  std::uint64_t size_ = 0, whole_ = 0;
  bool torn_ = false;
  PieceHeader header_;
  std::map<std::uint64_t, Place> places_;
};

/// Appends pieces. What is kept within `every` of the last write stays in memory, so that a short run writes no file at all.
class PieceWriter {
 public:
  using Seconds = std::chrono::duration<double>;
  /// A new file, made at its first write.
  PieceWriter(std::filesystem::path file, PieceHeader const& header, Seconds every);
  /// Goes on with one.
  PieceWriter(PieceFile const& file, Seconds every);
  /// Writes what is left, as well as it can.
  ~PieceWriter();
  PieceWriter(PieceWriter const&) = delete;
  PieceWriter& operator=(PieceWriter const&) = delete;

  void keep(std::uint64_t piece, std::string_view payload);
  /// Everything is on the disk when it returns; makes the file if there is none.
  void finish();
  /// What is left is not wanted any more.
  void discard() { waiting_.clear(); }

 private:
  void flush();

  std::filesystem::path file_;
  std::uint64_t whole_;  // bytes of the file that stay when it is opened
  Seconds every_;
  std::optional<AppendFile> out_;
  std::string waiting_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace wattfill
