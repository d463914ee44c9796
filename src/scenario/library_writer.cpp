#include "wattfill/scenario/library_writer.hpp"

#include <string_view>

#include "wattfill/core/output_file.hpp"
#include "wattfill/core/text.hpp"

namespace wattfill {
namespace {

/// A YAML double-quoted scalar: the one style in which no text can be taken for a number, a key or a comment.
std::string yaml_text(std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string out = "\"";
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      out += hex[byte >> 4];
      out += hex[byte & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// "KEY: TEXT" on a line of its own, nothing where the text is not known: readers refuse empty texts.
std::string known(std::string_view key, std::string const& text) { return text.empty() ? "" : std::string(key) + ": " + yaml_text(text) + "\n"; }

std::string metadata(CurveLibrary const& library) {
  std::string out = "wattfill: 1\n";
  out += "gpu:\n" + known("  model", library.gpu_model) + "  tdp_w: " + number_text(library.tdp_w) + "\n";
  out += "provenance: " + std::string(to_string(library.provenance)) + "\n";
  auto const& source = library.source;
  out += "source:\n" + known("  citation", source.citation) + known("  url", source.url) + known("  licence", source.licence) + known("  note", source.note);
  out += known("speed_unit", library.speed_unit) + known("statistic", library.statistic);
  if (!library.assumptions.empty()) out += "assumptions:\n";
  for (auto const& assumption : library.assumptions) out += "  - " + yaml_text(assumption) + "\n";
  out += library.curves.empty() ? "curves: []\n" : "curves:\n";
  for (auto const& c : library.curves) {
    out += known("  - name", c.name) + known("    architecture", c.architecture) + known("    task", c.task) + known("    model", c.model);
    out += "    gpus: " + number_text(c.gpus) + "\n";
    if (c.flop_per_unit) out += "    flop_per_unit: " + number_text(*c.flop_per_unit) + "\n";
    if (!c.telemetry.empty()) out += "    telemetry:\n";
    for (auto const& [feature, value] : c.telemetry) out += "      " + yaml_text(feature) + ": " + number_text(value) + "\n";
  }
  return out;
}

}  // namespace

LibraryText library_text(CurveLibrary const& library) {
  std::string csv = "curve,cap_w,power_w,speed\n";
  for (auto const& c : library.curves)
    for (auto const& p : c.curve.points())
      csv += csv_cell(c.name) + "," + number_text(p.cap_w) + "," + number_text(p.power_w) + "," + number_text(p.speed) + "\n";
  return {metadata(library), std::move(csv)};
}

void save_library(CurveLibrary const& library, std::filesystem::path const& stem) {
  auto const text = library_text(library);
  auto yaml = stem, csv = stem;
  write_file(csv += ".csv", text.csv);
  write_file(yaml += ".yaml", text.yaml);
}

}  // namespace wattfill
