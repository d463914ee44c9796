#include "wattfill/report/regression_files.hpp"

#include <algorithm>
#include <map>

#include "report/text_table.hpp"
#include "wattfill/core/text.hpp"

namespace wattfill {
namespace {

std::string row_name(std::vector<std::string> const& key) {
  std::string text;
  for (auto const& cell : key) text += (text.empty() ? "" : " / ") + (cell.empty() ? std::string("-") : cell);
  return text;
}

std::string short_number(double x) {
  if (std::isnan(x)) return "-";
  char buffer[64];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::general, 7).ptr};
}

std::string percent(Move const& move) {
  if (move.before == 0 || std::isnan(move.before) || std::isnan(move.after)) return "-";
  auto const share = 100 * (move.after - move.before) / std::fabs(move.before);
  if (share == 0) return "0 %";
  char buffer[64];
  auto const end = std::to_chars(buffer, buffer + sizeof buffer, share, std::chars_format::general, 3).ptr;
  return (share > 0 ? "+" : "") + std::string(buffer, end) + " %";
}

std::string what(Move const& move) {
  switch (move.kind) {
    case Move::Kind::missing: return "is no longer there";
    case Move::Kind::added: return "is new";
    case Move::Kind::changed: break;
  }
  if (move.after > move.before) return "up";
  return move.after < move.before ? "down" : "bits";
}

}  // namespace

std::string moves_table(std::span<Move const> moves, std::size_t most) {
  std::vector<std::vector<std::string>> rows{{"row", "metric", "moved", "baseline", "now", "change", "p"}};
  for (auto const& move : moves.first(std::min(moves.size(), most)))
    rows.push_back({row_name(move.key), move.metric, what(move), short_number(move.before), short_number(move.after), percent(move),
                    std::isnan(move.p) ? "-"
                    : move.p < 0.0001  ? "< 0.0001"
                                       : fixed(move.p, 4)});
  auto text = aligned(rows);
  if (moves.size() > most) text += "  and " + std::to_string(moves.size() - most) + " more\n";
  return text;
}

std::string junit_xml(std::string const& study, std::span<MetricRecord const> baseline, std::span<Move const> moves) {
  std::map<std::pair<std::vector<std::string>, std::string>, Move const*> moved;
  std::size_t added = 0;
  for (auto const& move : moves) {
    if (move.kind == Move::Kind::added) ++added;
    moved.emplace(std::pair(move.key, move.metric), &move);
  }
  auto const count = "tests=\"" + std::to_string(baseline.size() + added) + "\" failures=\"" + std::to_string(moves.size()) + "\"";
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites " + count + ">\n<testsuite name=\"" + xml("wattfill regress " + study) + "\" " +
                     count + " errors=\"0\" skipped=\"0\">\n";
  auto const add = [&](std::vector<std::string> const& key, std::string const& metric, Move const* move) {
    text += "<testcase classname=\"" + xml(study + "." + metric) + "\" name=\"" + xml(row_name(key)) + "\"";
    if (move == nullptr) {
      text += "/>\n";
      return;
    }
    auto const message = metric + " " + what(*move) + ": baseline " + number_text(move->before) + ", now " + number_text(move->after) + ", " + percent(*move);
    text += "><failure type=\"moved\" message=\"" + xml(message) + "\"/></testcase>\n";
  };
  for (auto const& record : baseline) {
    auto const found = moved.find({record.key, record.metric});
    add(record.key, record.metric, found == moved.end() ? nullptr : found->second);
  }
  for (auto const& move : moves)
    if (move.kind == Move::Kind::added) add(move.key, move.metric, &move);
  return text + "</testsuite>\n</testsuites>\n";
}

}  // namespace wattfill
