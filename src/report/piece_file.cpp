#include "wattfill/report/piece_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "report/row_file.hpp"
#include "wattfill/core/bytes.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/sha256.hpp"

namespace wattfill {
namespace {

constexpr std::string_view mark = "wattfill pieces\n";
constexpr std::uint64_t format_version = 2, header_number = UINT64_MAX;
constexpr std::uint64_t head_bytes = 16, checksum_bytes = 64;
constexpr std::size_t most_waiting = 32U << 20U;  // bytes in memory before they are written, however soon

std::string start_of_file() {
  std::string start(mark);
  ByteWriter(start).number(format_version);
  return start;
}

std::filesystem::path rows_of(std::filesystem::path file) { return file.replace_extension(".csv"); }

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

PieceFile::PieceFile() = default;
PieceFile::PieceFile(PieceFile&&) noexcept = default;
PieceFile& PieceFile::operator=(PieceFile&&) noexcept = default;
PieceFile::~PieceFile() = default;

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

  Record record;
  std::uint64_t at = start.size();
  if (!pieces.read_record(at, record)) return std::nullopt;
  ByteReader from(record.payload);
  if (record.piece != header_number || !get(from, pieces.header_.identity) || !get(from, pieces.header_.origin) || from.left() > 0)
    throw InputError({{file.string()}, "", "does not begin with whose pieces it holds (another program made it); move it away"});
  at += record.length;
  pieces.rows_ = pieces.rows_header_ = record.rows;
  while (at < pieces.size_ && pieces.read_record(at, record) && record.piece != header_number && !pieces.has(record.piece)) {
    if (record.rows.bytes < pieces.rows_.bytes) break;
    pieces.places_[record.piece] = {at, pieces.rows_, record.rows};
    pieces.rows_ = record.rows;
    at += record.length;
  }
  pieces.whole_ = at;
  pieces.torn_ = at < pieces.size_;
  return pieces;
}

bool PieceFile::read_record(std::uint64_t at, Record& record) {
  constexpr auto around = head_bytes + checksum_bytes;
  if (size_ - at < around) return false;
  std::string head(head_bytes, '\0');
  in_.clear();
  in_.seekg(static_cast<std::streamoff>(at));
  if (!in_.read(head.data(), head_bytes)) return false;
  ByteReader from(head);
  std::uint64_t length = 0;
  from.number(record.piece);
  from.number(length);
  if (length > size_ - at - around) return false;
  head.resize(head_bytes + length + checksum_bytes);
  if (!in_.read(head.data() + head_bytes, static_cast<std::streamsize>(length + checksum_bytes))) return false;
  if (sha256(std::string_view(head).substr(0, head_bytes + length)) != std::string_view(head).substr(head_bytes + length)) return false;
  record.length = head.size();
  head.resize(head_bytes + length);
  ByteReader content(std::string_view(head).substr(head_bytes));
  std::string_view digest;
  if (!content.number(record.rows.bytes) || !content.text(digest)) return false;
  record.rows.sha256 = digest;
  record.payload = head.substr(head.size() - content.left());
  return true;
}

std::vector<std::uint64_t> PieceFile::pieces() const {
  std::vector<std::uint64_t> all;
  for (auto const& [piece, _] : places_) all.push_back(piece);
  return all;
}

std::string PieceFile::payload(std::uint64_t piece) {
  auto const& place = places_.at(piece);
  Record record;
  if (!read_record(place.at, record) || record.piece != piece || record.rows.sha256 != place.end.sha256)
    throw InputError(
        {{file_.string()}, "", "piece " + std::to_string(piece) + " is no longer what it was when this run began; do not change the file of a run"});
  return std::move(record.payload);
}

RowReader& PieceFile::reader() {
  if (!reader_) {
    reader_ = std::make_unique<RowReader>(rows_of(file_));
    reader_->advance(rows_header_, nullptr);
  }
  return *reader_;
}

std::string PieceFile::rows(std::uint64_t piece) {
  auto const& place = places_.at(piece);
  std::string rows;
  if (place.from.bytes == place.end.bytes) return rows;
  if (reader().bytes() < place.from.bytes) reader().advance(place.from, nullptr);  // of pieces that nobody asked for
  if (reader().bytes() != place.from.bytes || !reader().advance(place.end, &rows))
    throw InputError({{rows_of(file_).string()},
                      "",
                      "the rows of piece " + std::to_string(piece) +
                          " are not those that were written with it (the file was changed, or is not whole); run this part of the study again with --resume"});
  return rows;
}

void PieceFile::prove_rows() {
  if (rows_header_.bytes == 0) return;
  std::map<std::uint64_t, std::uint64_t> by_place;
  for (auto const& [piece, place] : places_) by_place[place.at] = piece;
  bool proven = reader().advance(rows_header_, nullptr), cut = false;
  rows_ = proven ? rows_header_ : RowsEnd{};
  for (auto const& [at, piece] : by_place) {
    auto const& end = places_.at(piece).end;
    if (proven && (end.bytes == rows_.bytes || reader().advance(end, nullptr))) {
      rows_ = end;
      continue;
    }
    if (!cut) whole_ = at;
    cut = torn_ = true;
    proven = false;
    places_.erase(piece);
  }
  if (!proven) reader_.reset();
}

PieceWriter::PieceWriter(std::filesystem::path file, PieceHeader const& header, Seconds every, std::string_view rows_header)
    : file_(std::move(file)), whole_(0), every_(every), waiting_(start_of_file()) {
  if (!rows_header.empty()) rows_ = std::make_unique<RowFile>(rows_of(file_), rows_header);
  std::string payload;
  ByteWriter to(payload);
  put(to, header.identity);
  put(to, header.origin);
  put_record(header_number, payload);
}

PieceWriter::PieceWriter(PieceFile& file, Seconds every, std::string_view rows_header) : file_(file.path()), whole_(file.whole_bytes()), every_(every) {
  if (rows_header.empty()) return;
  if (file.rows_.bytes == 0) {  // nothing of them is there
    rows_ = std::make_unique<RowFile>(rows_of(file_), rows_header);
    return;
  }
  RowReader proven(rows_of(file_));
  if (!file.reader_) proven.advance(file.rows_, nullptr);
  rows_ = std::make_unique<RowFile>(rows_of(file_), file.rows_, file.reader_ ? file.reader_->take_digest() : proven.take_digest());
  file.reader_.reset();
}

PieceWriter::~PieceWriter() {
  if (waiting_.empty()) return;
  if (!out_ && last_ + every_ > std::chrono::steady_clock::now()) {  // too short a run to be worth a file
    if (rows_ && whole_ == 0) rows_->remove();
    return;
  }
  try {
    flush();
  } catch (MachineError const&) {
    // the disk is full: what it has stays
  }
}

void PieceWriter::put_record(std::uint64_t piece, std::string_view payload) {
  std::string content;
  ByteWriter to(content);
  auto const rows = rows_ ? rows_->end() : RowsEnd{};
  to.number(rows.bytes);
  to.text(rows.sha256);
  auto const start = waiting_.size();
  ByteWriter record(waiting_);
  record.number(piece);
  record.number(content.size() + payload.size());
  waiting_ += content;
  waiting_ += payload;
  waiting_ += sha256(std::string_view(waiting_).substr(start));
}

void PieceWriter::keep(std::uint64_t piece, std::string_view payload, std::span<std::string_view const> rows) {
  if (rows_)
    for (auto text : rows) rows_->write(text);
  put_record(piece, payload);
  if (waiting_.size() >= most_waiting || std::chrono::steady_clock::now() - last_ >= every_) flush();
}

void PieceWriter::finish() {
  flush();
  if (rows_) rows_->sync();
  out_->sync();
}

std::string PieceWriter::commit_rows(std::filesystem::path const& place) {
  auto digest = rows_->commit(place);
  rows_.reset();
  return digest;
}

void PieceWriter::flush() {
  if (rows_) rows_->flush();  // before the records that speak of them
  if (!out_) out_.emplace(file_, whole_);
  auto bytes = std::exchange(waiting_, {});  // a failed write leaves a torn record, after which nothing may follow
  out_->write(bytes);
  bytes.clear();
  waiting_ = std::move(bytes);  // its memory is used again: the system takes long to give as much
  last_ = std::chrono::steady_clock::now();
}

}  // namespace wattfill
