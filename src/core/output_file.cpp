#include "wattfill/core/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "core/write_remedy.hpp"
#include "wattfill/core/error.hpp"

namespace wattfill {

char const* write_remedy(int number) {
  switch (number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return "make room (or raise ulimit -f), write fewer rows (--rows summary), or choose another folder";
    case ENOENT: return "the folder is not there any more: make it again, or choose another";
    case EACCES:
    case EPERM:
    case EROFS: return "choose a folder that you may write to";
    default: return "check the disk, or choose another folder";
  }
}

OutputFile::OutputFile(std::filesystem::path file) : file_(std::move(file)), temporary_(file_) {
  temporary_ += "." + std::to_string(getpid()) + ".tmp";
  stream_ = std::fopen(temporary_.c_str(), "wbx");
  if (stream_ == nullptr) fail("created");
}

OutputFile::~OutputFile() {
  if (stream_ == nullptr) return;
  std::fclose(stream_);
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void OutputFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stream_) != text.size()) fail("written");
#if defined(__linux__)
  // The disk begins early, so that commit() does not wait for all of a large file at once.
  constexpr std::size_t piece = 8U << 20U;
  pending_ += text.size();
  if (pending_ < piece) return;
  pending_ = 0;
  if (std::fflush(stream_) != 0) fail("written");
  sync_file_range(fileno(stream_), 0, 0, SYNC_FILE_RANGE_WRITE);  // only a hint: what fails shows at commit()
#endif
}

void OutputFile::commit() {
  bool const flushed = std::fflush(stream_) == 0 && fsync(fileno(stream_)) == 0;
  if (!flushed) fail("written");
  std::fclose(std::exchange(stream_, nullptr));
  std::error_code failed;
  std::filesystem::rename(temporary_, file_, failed);
  if (failed) {
    std::error_code ignored;
    std::filesystem::remove(temporary_, ignored);
    errno = failed.value();
    fail("put in its place");
  }
}

void OutputFile::fail(char const* doing) const {
  auto const number = errno;
  throw MachineError(file_.string() + ": could not be " + doing + ": " + std::strerror(number) + "; nothing is left half-written there; " +
                     write_remedy(number));
}

void write_file(std::filesystem::path const& file, std::string_view text) {
  OutputFile out(file);
  out.write(text);
  out.commit();
}

}  // namespace wattfill
