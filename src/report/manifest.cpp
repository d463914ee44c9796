#include "wattfill/report/manifest.hpp"

#include <ctime>
#include <utility>

#include "wattfill/core/sha256.hpp"
#include "wattfill/core/text.hpp"
#include "wattfill/core/version.hpp"

namespace wattfill {
namespace {

using Members = std::vector<std::pair<std::string, std::string>>;  // values are JSON already

std::string object(Members const& members, std::string const& indent) {
  std::string text = "{";
  for (auto const& [key, value] : members) text += (text.size() == 1 ? "\n" : ",\n") + indent + "  " + json_text(key) + ": " + value;
  return text + "\n" + indent + "}";
}

std::string array(std::vector<std::string> const& values, std::string const& indent) {
  if (values.empty()) return "[]";
  std::string text = "[";
  for (auto const& value : values) text += (text.size() == 1 ? "\n" : ",\n") + indent + "  " + value;
  return text + "\n" + indent + "]";
}

std::string texts(std::vector<std::string> const& values, std::string const& indent) {
  std::vector<std::string> quoted;
  for (auto const& value : values) quoted.push_back(json_text(value));
  return array(quoted, indent);
}

std::string file_hash(std::filesystem::path const& file) {
  auto const hash = sha256_of_file(file);
  return hash.empty() ? "null" : json_text(hash);
}

std::string now_utc() {
  auto const now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char buffer[32];
  return {buffer, std::strftime(buffer, sizeof buffer, "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

std::string library(CurveLibrary const& l) {
  return object({{"name", json_text(l.name)},
                 {"gpu", json_text(l.gpu_model)},
                 {"provenance", json_text(to_string(l.provenance))},
                 {"statistic", json_text(l.statistic)},
                 {"citation", json_text(l.source.citation)},
                 {"licence", json_text(l.source.licence)},
                 {"assumptions", texts(l.assumptions, "      ")}},
                "    ");
}

}  // namespace

std::string manifest_json(Manifest const& m, std::filesystem::path const& folder) {
  std::vector<std::string> inputs, outputs, libraries;
  for (auto const& file : m.inputs) inputs.push_back(object({{"file", json_text(file.string())}, {"sha256", file_hash(file)}}, "    "));
  for (auto const& name : m.outputs) {
    auto const known = m.digests.find(name);
    outputs.push_back(object({{"file", json_text(name)}, {"sha256", known == m.digests.end() ? file_hash(folder / name) : json_text(known->second)}}, "    "));
  }
  for (auto const* l : m.libraries) libraries.push_back(library(*l));
  Members members{{"program", json_text("wattfill")},       {"version", json_text(version)}, {"revision", json_text(revision)},
                  {"scenario", json_text(m.scenario_name)}, {"kind", json_text(m.kind)},     {"seed", std::to_string(m.seed)},
                  {"command", texts(m.command, "  ")}};
  if (!m.shard.empty()) members.emplace_back("shard", json_text(m.shard));
  if (!m.merged.empty()) members.emplace_back("merged", texts(m.merged, "  "));
  members.insert(members.end(), {{"resolved", json_text(m.resolved)},
                                 {"inputs", array(inputs, "  ")},
                                 {"libraries", array(libraries, "  ")},
                                 {"notes", texts(m.notes, "  ")},
                                 {"outputs", array(outputs, "  ")},
                                 {"threads", std::to_string(m.threads)},
                                 {"wall_s", number_text(m.wall_s)},
                                 {"finished_utc", json_text(now_utc())}});
  return object(members, "") + "\n";
}

}  // namespace wattfill
