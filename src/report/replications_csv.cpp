#include <bit>
#include <span>

#include "report/labels.hpp"
#include "wattfill/report/study_files.hpp"

namespace wattfill {
namespace {

/// Appends numbers to a text and remembers the last one of each column: limits and headrooms repeat from row to row.
class NumberCells {
 public:
  char* put(char* to, std::size_t column, double x) {
    auto& last = last_[column];
    auto const bits = std::bit_cast<std::uint64_t>(x);
    if (last.length == 0 || last.bits != bits) {
      last.bits = bits;
      last.length = static_cast<unsigned char>(put_number(last.text, x) - last.text);
      last.text[last.length++] = ',';
    }
    // A fixed length compiles to a few moves; what lies behind the text is overwritten by the next cell.
    __builtin_memcpy(to, last.text, sizeof last.text);
    return to + last.length;
  }

 private:
  struct Last {
    std::uint64_t bits = 0;
    unsigned char length = 0;
    char text[longest_number + 1] = {};
  };
  Last last_[score::metered_count];
};

}  // namespace

ReplicationsCsv::ReplicationsCsv(std::optional<std::filesystem::path> const& file, std::vector<std::string> const& sweep_columns, bool metered)
    : shown_(metered ? score::metered_count : score::count) {
  header_ = "mix,replication,policy,cut" + more_cells(sweep_columns);
  for (auto const& info : std::span(score_table()).first(shown_)) header_ += "," + std::string(info.column);
  header_ += '\n';
  if (!file) return;
  file_.emplace(*file);
  write({}, header_);
}

void ReplicationsCsv::write(std::string_view, std::string_view rows) {
  if (!file_) return;
  digest_.add(rows);
  file_->write(rows);
}

std::string ReplicationsCsv::commit() {
  file_->commit();
  return digest_.text();
}

void ReplicationsCsv::start(StudySpec const& study, std::vector<std::string> const& sweep_values) {
  study_ = &study;
  heads_.clear();
  for (auto const& policy : study.policies)
    for (auto const& target : targets_of(study)) heads_.push_back("," + csv_cell(policy.shown()) + "," + cut_cell(target) + more_cells(sweep_values) + ",");
}

void ReplicationsCsv::format(std::size_t mix, std::uint64_t first, std::uint64_t count, std::span<double const> scores, RowText& text) const {
  auto const name = csv_cell(study_->mixes[mix].name) + ",";
  std::size_t longest_head = 0;
  for (auto const& head : heads_) longest_head = std::max(longest_head, head.size());
  std::vector<char> line(name.size() + 20 + longest_head + (shown_ + 1) * (longest_number + 1));
  text.rows.clear();
  text.rows.reserve(count * heads_.size() * (name.size() + longest_head + 190));  // about what rows come to
  NumberCells cells;
  std::size_t const columns = study_->metering ? score::metered_count : score::count;
  auto const* row = scores.data();
  for (std::uint64_t r = first; r < first + count; ++r) {
    auto const start = name + std::to_string(r);
    for (auto const& head : heads_) {
      char* to = line.data();
      to += start.copy(to, start.size());
      to += head.copy(to, head.size());
      for (std::size_t s = 0; s < columns; ++s) to = cells.put(to, s, row[s]);
      for (std::size_t s = columns; s < shown_; ++s) *to++ = ',';
      to[-1] = '\n';
      text.rows.append(line.data(), to);
      row += columns;
    }
  }
}

}  // namespace wattfill
