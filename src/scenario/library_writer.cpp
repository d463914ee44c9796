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

std::string metadata(CurveLibrary const& library) {
  std::string out = "wattfill: 1\n";
  out += "gpu:\n  model: " + yaml_text(library.gpu_model) + "\n  tdp_w: " + number_text(library.tdp_w) + "\n";
  out += "provenance: " + std::string(to_string(library.provenance)) + "\n";
  auto const& source = library.source;
  out += "source:\n  citation: " + yaml_text(source.citation) + "\n  url: " + yaml_text(source.url) + "\n  licence: " + yaml_text(source.licence) +
         "\n  note: " + yaml_text(source.note) + "\n";
  out += "speed_unit: " + yaml_text(library.speed_unit) + "\nstatistic: " + yaml_text(library.statistic) + "\n";
  out += library.assumptions.empty() ? "assumptions: []\n" : "assumptions:\n";
  for (auto const& assumption : library.assumptions) out += "  - " + yaml_text(assumption) + "\n";
  out += library.curves.empty() ? "curves: []\n" : "curves:\n";
  for (auto const& c : library.curves) {
    out += "  - name: " + yaml_text(c.name) + "\n    architecture: " + yaml_text(c.architecture) + "\n    task: " + yaml_text(c.task) +
           "\n    model: " + yaml_text(c.model) + "\n    gpus: " + number_text(c.gpus) + "\n";
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
