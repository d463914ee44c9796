#include "cli/progress.hpp"

#include <unistd.h>

#include <cstdio>

namespace wattfill::cli {

Progress::Progress(std::uint64_t total, bool quiet, char const* what) : total_(total), what_(what), quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (shown_ && terminal_) std::fputs("\r\033[K", stderr);
}

void Progress::add(std::uint64_t done) {
  done_ += done;
  auto const now = Clock::now();
  if (quiet_ || done_ == 0 || now - last_ < (terminal_ ? std::chrono::milliseconds(200) : std::chrono::milliseconds(30000))) return;
  last_ = now;
  shown_ = true;
  auto const seconds = std::chrono::duration<double>(now - start_).count();
  auto const rate = static_cast<double>(done_) / seconds;
  auto const left = rate > 0 ? static_cast<long>(static_cast<double>(total_ - done_) / rate) : 0;
  auto const permille = static_cast<unsigned>(1000 * static_cast<double>(done_) / static_cast<double>(total_));
  std::fprintf(stderr, "%s%u.%u %% of %llu %s, %ld %s/s, %ld:%02ld:%02ld left%s", terminal_ ? "\r\033[K" : "wattfill: ", permille / 10, permille % 10,
               static_cast<unsigned long long>(total_), what_, static_cast<long>(rate), what_, left / 3600, left / 60 % 60, left % 60, terminal_ ? "" : "\n");
  std::fflush(stderr);
}

}  // namespace wattfill::cli
