#include "report/row_file.hpp"

#include <algorithm>
#include <utility>

namespace wattfill {
namespace {

constexpr std::size_t most_waiting = 256U << 10U;  // short texts are gathered, long ones are written as they come
constexpr std::uint64_t hint_every = 8U << 20U;    // bytes

}  // namespace

RowFile::RowFile(std::filesystem::path file, std::string_view header) : file_(std::move(file)), whole_(0), bytes_(header.size()), waiting_(header) {
  digest_.add(header);
}

RowFile::RowFile(std::filesystem::path file, RowsEnd const& from, Sha256 digest)
    : file_(std::move(file)), whole_(from.bytes), bytes_(from.bytes), digest_(std::move(digest)) {}

AppendFile& RowFile::out() {
  if (!out_) out_.emplace(file_, whole_);
  return *out_;
}

void RowFile::write(std::string_view rows) {
  digest_.add(rows);
  bytes_ += rows.size();
  if (waiting_.size() + rows.size() < most_waiting) {
    waiting_ += rows;
    return;
  }
  flush();
  out().write(rows);
  unhinted_ += rows.size();
  if (unhinted_ < hint_every) return;
  unhinted_ = 0;
  out().begin_sync();
}

void RowFile::flush() {
  if (waiting_.empty()) return;
  auto bytes = std::exchange(waiting_, {});  // what a failed write has left torn is not written again
  out().write(bytes);
  unhinted_ += bytes.size();
  bytes.clear();
  waiting_ = std::move(bytes);
}

void RowFile::sync() {
  flush();
  out().sync();
}

std::string RowFile::commit(std::filesystem::path const& place) {
  sync();
  out().rename(place);
  return digest_.text();
}

void RowFile::remove() {
  waiting_.clear();
  if (!out_) return;
  out_.reset();
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

RowReader::RowReader(std::filesystem::path const& file) : in_(file, std::ios::binary) {}

bool RowReader::advance(RowsEnd const& end, std::string* rows) {
  if (rows != nullptr) rows->clear();
  constexpr std::uint64_t most = 1U << 20U;  // nothing is allocated for bytes that are not there
  std::string stretch;
  while (good_ && bytes_ < end.bytes) {
    stretch.resize(std::min(most, end.bytes - bytes_));
    good_ = static_cast<bool>(in_.read(stretch.data(), static_cast<std::streamsize>(stretch.size())));
    if (!good_) break;
    digest_.add(stretch);
    bytes_ += stretch.size();
    if (rows != nullptr) *rows += stretch;
  }
  good_ = good_ && bytes_ == end.bytes && digest_.text() == end.sha256;
  return good_;
}

}  // namespace wattfill
