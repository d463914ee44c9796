#include "wattfill/report/piece_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "wattfill/core/bytes.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/sha256.hpp"

namespace wattfill {
namespace {

constexpr std::string_view mark = "wattfill pieces\n";
constexpr std::uint64_t format_version = 1, header_number = UINT64_MAX;
constexpr std::uint64_t head_bytes = 16, checksum_bytes = 64;
constexpr std::size_t most_waiting = 32U << 20U;  // bytes in memory before they are written, however soon

std::string start_of_file() {
  std::string start(mark);
  ByteWriter(start).number(format_version);
  return start;
}

void put_record(std::string& bytes, std::uint64_t piece, std::string_view payload) {
  auto const start = bytes.size();
  ByteWriter to(bytes);
  to.number(piece);
  to.text(payload);
  bytes += sha256(std::string_view(bytes).substr(start));
}

using Entries = std::vector<std::pair<std::string, std::string>>;

void put(ByteWriter& to, Entries const& entries) {
  to.number(entries.size());
  for (auto const& [name, value] : entries) {
    to.text(name);
    to.text(value);
  }
}

bool get(ByteReader& from, Entries& entries) {
  std::uint64_t count = 0;
  if (!from.number(count)) return false;
  for (std::uint64_t i = 0; i < count; ++i) {  // ends where the bytes do
    std::string_view name, value;
    if (!from.text(name) || !from.text(value)) return false;
    entries.emplace_back(name, value);
  }
  return true;
}

/// A value of one line, or the first line of `a` that `b` does not have at its place.
std::string shown(std::string const& a, std::string const& b) {
  if (a.find('\n') == std::string::npos) return a.empty() ? "nothing" : a;
  auto const same = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  auto const start = same == 0 ? 0 : a.rfind('\n', same - 1) + 1;
  auto const text = a.substr(start, a.find('\n', start) - start);
  auto const blank = text.find_first_not_of(' ');
  return blank == std::string::npos ? "nothing" : "\"" + text.substr(blank) + "\"";
}

}  // namespace

std::vector<std::string> differences(PieceHeader const& was, PieceHeader const& is) {
  std::vector<std::string> all;
  auto const value = [](PieceHeader const& header, std::string const& name) {
    auto const found = std::ranges::find(header.identity, name, &std::pair<std::string, std::string>::first);
    return found == header.identity.end() ? std::string() : found->second;
  };
  auto const compare = [&](std::string const& name) {
    auto const before = value(was, name), now = value(is, name);
    if (before != now) all.push_back(name + ": was " + shown(before, now) + ", is " + shown(now, before));
  };
  for (auto const& [name, _] : was.identity) compare(name);
  for (auto const& [name, _] : is.identity)
    if (std::ranges::find(was.identity, name, &std::pair<std::string, std::string>::first) == was.identity.end()) compare(name);
  return all;
}

std::optional<PieceFile> PieceFile::read(std::filesystem::path const& file) {
  PieceFile pieces;
  pieces.file_ = file;
  std::error_code failed;
  if (!std::filesystem::exists(file, failed)) return std::nullopt;
  pieces.in_.open(file, std::ios::binary);
  pieces.size_ = std::filesystem::file_size(file, failed);
  if (!pieces.in_ || failed) throw MachineError(file.string() + ": could not be read: " + std::strerror(errno));

  std::string start(std::min<std::uint64_t>(pieces.size_, mark.size() + 8), '\0');
  pieces.in_.read(start.data(), static_cast<std::streamsize>(start.size()));
  if (start_of_file().starts_with(start) && start.size() < mark.size() + 8) return std::nullopt;  // torn in its first bytes
  if (!start.starts_with(mark)) throw InputError({{file.string()}, "", "is no file of finished pieces (it begins with other bytes); move it away"});
  if (start != start_of_file())
    throw InputError(
        {{file.string()},
         "",
         "is of another format than version " + std::to_string(format_version) + ", which this program knows; finish it with the program that made it"});

  std::string record;
  std::uint64_t at = start.size(), piece = 0;
  if (!pieces.read_record(at, piece, record)) return std::nullopt;
  ByteReader from(record);
  if (piece != header_number || !get(from, pieces.header_.identity) || !get(from, pieces.header_.origin) || from.left() > 0)
    throw InputError({{file.string()}, "", "does not begin with whose pieces it holds (another program made it); move it away"});
  at += head_bytes + record.size() + checksum_bytes;
  while (at < pieces.size_ && pieces.read_record(at, piece, record) && piece != header_number && !pieces.has(piece)) {
    pieces.places_[piece] = {at + head_bytes, record.size()};
    at += head_bytes + record.size() + checksum_bytes;
  }
  pieces.whole_ = at;
  pieces.torn_ = at < pieces.size_;
  return pieces;
}

bool PieceFile::read_record(std::uint64_t at, std::uint64_t& piece, std::string& record) {
  constexpr auto around = head_bytes + checksum_bytes;
  if (size_ - at < around) return false;
  std::string head(head_bytes, '\0');
  in_.clear();
  in_.seekg(static_cast<std::streamoff>(at));
  if (!in_.read(head.data(), head_bytes)) return false;
  ByteReader from(head);
  std::uint64_t length = 0;
  from.number(piece);
  from.number(length);
  if (length > size_ - at - around) return false;
  head.resize(head_bytes + length + checksum_bytes);
  if (!in_.read(head.data() + head_bytes, static_cast<std::streamsize>(length + checksum_bytes))) return false;
  if (sha256(std::string_view(head).substr(0, head_bytes + length)) != std::string_view(head).substr(head_bytes + length)) return false;
  head.resize(head_bytes + length);
  record = head.substr(head_bytes);
  return true;
}

std::vector<std::uint64_t> PieceFile::pieces() const {
  std::vector<std::uint64_t> all;
  for (auto const& [piece, _] : places_) all.push_back(piece);
  return all;
}

std::string PieceFile::payload(std::uint64_t piece) {
  auto const place = places_.at(piece);
  std::uint64_t number = 0;
  std::string record;
  if (!read_record(place.at - head_bytes, number, record) || number != piece || record.size() != place.length)
    throw InputError(
        {{file_.string()}, "", "piece " + std::to_string(piece) + " is no longer what it was when this run began; do not change the file of a run"});
  return record;
}

PieceWriter::PieceWriter(std::filesystem::path file, PieceHeader const& header, Seconds every)
    : file_(std::move(file)), whole_(0), every_(every), waiting_(start_of_file()) {
  std::string payload;
  ByteWriter to(payload);
  put(to, header.identity);
  put(to, header.origin);
  put_record(waiting_, header_number, payload);
}

PieceWriter::PieceWriter(PieceFile const& file, Seconds every) : file_(file.path()), whole_(file.whole_bytes()), every_(every) {}

PieceWriter::~PieceWriter() {
  if (waiting_.empty() || (!out_ && last_ + every_ > std::chrono::steady_clock::now())) return;  // too short a run to be worth a file
  try {
    flush();
  } catch (MachineError const&) {
    // the disk is full: what it has stays
  }
}

void PieceWriter::keep(std::uint64_t piece, std::string_view payload) {
  put_record(waiting_, piece, payload);
  if (waiting_.size() >= most_waiting || std::chrono::steady_clock::now() - last_ >= every_) flush();
}

void PieceWriter::finish() {
  flush();
  out_->sync();
}

void PieceWriter::flush() {
  if (!out_) out_.emplace(file_, whole_);
  auto bytes = std::exchange(waiting_, {});  // a failed write leaves a torn record, after which nothing may follow
  out_->write(bytes);
  bytes.clear();
  waiting_ = std::move(bytes);  // its memory is used again: the system takes long to give as much
  last_ = std::chrono::steady_clock::now();
}

}  // namespace wattfill
