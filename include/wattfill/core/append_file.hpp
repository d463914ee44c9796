#pragma once
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace wattfill {

/// A file that only grows: whatever ends the program, what was written stays, and only its last piece may be torn. Every failure (disk full, folder missing
/// or read-only) is a MachineError that names the file and says that what was written before is kept.
class AppendFile {
 public:
  /// The first `keep` bytes of a file that is there stay, what follows them is cut off; one that is not there is made (keep = 0).
  AppendFile(std::filesystem::path file, std::uint64_t keep);
  ~AppendFile();
  AppendFile(AppendFile const&) = delete;
  AppendFile& operator=(AppendFile const&) = delete;

  void write(std::string_view bytes);
  /// The disk begins with what was written, so that sync() does not wait for all of a large file at once. Only a hint.
  void begin_sync();
  /// Returns when the disk has it.
  void sync();
  /// Gives it another name, in the place of what has that; it can still be written to.
  void rename(std::filesystem::path const& place);

 private:
  [[noreturn]] void fail(char const* doing) const;

  std::filesystem::path file_;
  int descriptor_;
};

}  // namespace wattfill
