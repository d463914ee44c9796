#pragma once
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string_view>

namespace wattfill {

/// A file that appears whole or not at all: written under a temporary name beside its place and renamed by commit(). Without commit() nothing stays.
/// Every failure (disk full, folder missing or read-only) is a MachineError that names the file.
class OutputFile {
 public:
  explicit OutputFile(std::filesystem::path file);
  ~OutputFile();
  OutputFile(OutputFile const&) = delete;
  OutputFile& operator=(OutputFile const&) = delete;

  void write(std::string_view text);
  void commit();

 private:
  [[noreturn]] void fail(char const* doing) const;

  std::filesystem::path file_, temporary_;
  std::FILE* stream_;
  std::size_t pending_ = 0;
};

/// The whole text at once.
void write_file(std::filesystem::path const& file, std::string_view text);

}  // namespace wattfill
