#include "wattfill/core/append_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "core/write_remedy.hpp"
#include "wattfill/core/error.hpp"

namespace wattfill {

AppendFile::AppendFile(std::filesystem::path file, std::uint64_t keep)
    : file_(std::move(file)), descriptor_(open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) fail("opened");
  if (ftruncate(descriptor_, static_cast<off_t>(keep)) == 0) return;
  close(descriptor_);
  fail("cut to its whole pieces");
}

AppendFile::~AppendFile() { close(descriptor_); }

void AppendFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    auto const done = ::write(descriptor_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("written");
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

void AppendFile::begin_sync() {
#if defined(__linux__)
  sync_file_range(descriptor_, 0, 0, SYNC_FILE_RANGE_WRITE);  // what fails shows at sync()
#endif
}

void AppendFile::sync() {
  if (fsync(descriptor_) != 0) fail("written");
}

void AppendFile::rename(std::filesystem::path const& place) {
  std::error_code failed;
  std::filesystem::rename(file_, place, failed);
  errno = failed.value();
  if (failed) fail("put in its place");
  file_ = place;
}

void AppendFile::fail(char const* doing) const {
  auto const number = errno;
  throw MachineError(file_.string() + ": could not be " + doing + ": " + std::strerror(number) + "; " + write_remedy(number) +
                     "; what was finished before stays where it was, and --resume goes on with it");
}

}  // namespace wattfill
