#include "wattfill/scenario/result_reader.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>

#include "wattfill/scenario/document.hpp"

namespace wattfill {
namespace {

std::string text_of(Node const& node, std::string_view key) {
  auto const* const value = node.kind == Node::Kind::map ? node.find(key) : nullptr;
  return value != nullptr && value->kind == Node::Kind::scalar ? value->text : std::string();
}

/// One line cut into cells; quoted cells lose their quotes. False: a quoted cell goes on in the next line.
bool cut(std::string const& line, std::vector<std::string>& kept, std::vector<std::string_view>& cells) {
  cells.clear();
  kept.clear();
  kept.reserve(static_cast<std::size_t>(std::ranges::count(line, '"')) / 2 + 1);  // views into it stay good
  std::size_t at = 0;
  for (;;) {
    if (at < line.size() && line[at] == '"') {
      std::string cell;
      for (++at;; ++at) {
        if (at >= line.size()) return false;
        if (line[at] != '"') {
          cell += line[at];
        } else if (at + 1 < line.size() && line[at + 1] == '"') {
          cell += line[at++];
        } else {
          break;
        }
      }
      ++at;
      kept.push_back(std::move(cell));
      cells.emplace_back(kept.back());
    } else {
      auto const end = std::min(line.find(',', at), line.size());
      cells.emplace_back(std::string_view(line).substr(at, end - at));
      at = end;
    }
    if (at >= line.size()) return true;
    ++at;  // the comma
  }
}

}  // namespace

bool ResultInfo::has(std::string_view file) const { return std::ranges::find(outputs, file) != outputs.end(); }

ResultInfo read_result_info(std::filesystem::path const& folder) {
  auto const file = folder / "manifest.json";
  std::error_code failed;
  if (!std::filesystem::is_regular_file(file, failed))
    throw InputError({{folder.string()},
                      "",
                      "there is no manifest.json in this folder (it holds no results, or a run that did not end); name a folder that "
                      "wattfill run wrote, e.g. out/paper"});
  ResultInfo info{folder, {}, {}, {}, {}, {}, {}, read_document(file)};
  info.name = text_of(info.manifest, "scenario");
  info.kind = text_of(info.manifest, "kind");
  info.version = text_of(info.manifest, "version");
  info.seed = text_of(info.manifest, "seed");
  auto const* const outputs = info.manifest.kind == Node::Kind::map ? info.manifest.find("outputs") : nullptr;
  if (text_of(info.manifest, "program") != "wattfill" || outputs == nullptr)
    throw InputError({{file.string()}, "", "this is not a manifest of wattfill; name a folder that wattfill run wrote"});
  for (auto const& output : outputs->members) info.outputs.push_back(text_of(output.value, "file"));
  auto const resolved = parse_document(text_of(info.manifest, "resolved"), file.string());
  if (auto const* const sweep = resolved.kind == Node::Kind::map ? resolved.find("sweep") : nullptr)
    for (auto const& axis : sweep->members) info.sweep_columns.push_back(axis.key);
  if (auto const* const samples = resolved.kind == Node::Kind::map ? resolved.find("samples") : nullptr;
      samples != nullptr && samples->find("over") != nullptr) {
    info.sweep_columns.emplace_back("sample");
    for (auto const& range : samples->find("over")->members) info.sweep_columns.push_back(range.key);
  }
  return info;
}

void for_each_row(std::filesystem::path const& file, std::function<void(std::span<std::string_view const> header)> const& header, CellsRow const& row) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError({{file.string()}, "", "this file is missing or cannot be read; run the scenario again"});
  std::string line, more;
  std::vector<std::string> kept;
  std::vector<std::string_view> cells;
  std::size_t width = 0;
  for (int number = 1; std::getline(in, line); ++number) {
    auto const at = number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    while (!cut(line, kept, cells)) {
      if (!std::getline(in, more)) throw InputError({{file.string(), at, 1}, "", "a quoted cell is never closed; run the scenario again"});
      line += "\n" + more;
      ++number;
    }
    if (at == 1) {
      width = cells.size();
      header(cells);
    } else if (cells.size() != width) {
      throw InputError({{file.string(), at, 1},
                        "",
                        "this row has " + std::to_string(cells.size()) + " cells, the header " + std::to_string(width) +
                            " (the file was cut or edited); run the scenario again"});
    } else {
      row(cells);
    }
  }
  if (width == 0) throw InputError({{file.string()}, "", "the file is empty; run the scenario again"});
}

double result_number(std::string_view cell, std::filesystem::path const& file) {
  if (cell.empty()) return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  auto const [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size())
    throw InputError({{file.string()}, "", "\"" + std::string(cell) + "\" is not a number (the file was edited); run the scenario again"});
  return value;
}

}  // namespace wattfill
