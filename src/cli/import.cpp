#include "wattfill/scenario/import/import.hpp"

#include <cstdio>
#include <filesystem>

#include "cli/command.hpp"
#include "cli/job_figures.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/quotation.hpp"
#include "wattfill/flexibility/reconstruct.hpp"
#include "wattfill/scenario/library_writer.hpp"

namespace wattfill::cli {
namespace {

std::string text_option(po::variables_map const& given, std::string const& option) {
  return given.count(option) > 0 ? given[option].as<std::string>() : std::string();
}

/// --column MEANING=NAME
std::vector<std::pair<std::string, std::string>> columns_option(po::variables_map const& given) {
  std::vector<std::pair<std::string, std::string>> columns;
  if (given.count("column") == 0) return columns;
  for (auto const& text : given["column"].as<std::vector<std::string>>()) {
    auto const equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      throw InputError({{}, "--column", quotation(text) + " is not MEANING=NAME; write for example --column power_w=\"power per GPU\""});
    columns.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return columns;
}

std::optional<double> tdp_option(po::variables_map const& given) {
  auto const watts = caps_option(given, "tdp");
  if (watts.size() > 1) throw InputError({{}, "--tdp", "is one number of watts; write for example --tdp 400"});
  return watts.empty() ? std::nullopt : std::optional(watts.front());
}

}  // namespace

void import_options(po::options_description& options) {
  auto const text = [](char const* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()("out", text("DIR/NAME"), "writes DIR/NAME.yaml and DIR/NAME.csv");
  options.add_options()("gpu", text("MODEL"), "zeus, cap-sweep, dcgm, telemetry, perseus: GPU model (zeus: default from the file's name)");
  options.add_options()("every-run", "zeus: one curve per (dataset, network, batch size, optimizer)");
  options.add_options()("tdp", text("W"), "cap-sweep, dcgm, telemetry: thermal design power (default: the highest cap, the largest draw)");
  options.add_options()(
      "column", po::value<std::vector<std::string>>()->value_name("MEANING=NAME"),
      "cap-sweep: the column NAME is our curve, cap_w, power_w or total_power_w, speed or time_s, gpus, architecture, task, model (repeatable)");
  options.add_options()("power-unit", text("W|kW|mW"), "cap-sweep, dcgm: unit of caps and powers where the column names do not say it");
  options.add_options()("time-unit", text("s|ms|min|h"), "cap-sweep: the same for times");
  options.add_options()("speed-unit", text("UNIT"), "cap-sweep, dcgm: unit of the speed column, e.g. tokens/s");
  options.add_options()("warm-up", po::value<double>()->value_name("S"),
                        "dcgm: leave out this many seconds after the first row of the throughput log (default 0)");
  options.add_options()("keep-pauses", "dcgm: evaluations and checkpoints count as training");
  options.add_options()("statistic", text("TEXT"), "cap-sweep: what a point is, e.g. \"mean of 3 runs\"; dcgm: mean, median or top-10 (default mean)");
  options.add_options()("citation", text("TEXT"), "cap-sweep, dcgm, telemetry: the work that published the data");
  options.add_options()("url", text("URL"), "cap-sweep: where they are")("licence", text("TEXT"), "cap-sweep: what may be done with them");
}

int import(std::vector<std::string> const& operands, po::variables_map const& given) {
  if (operands.empty()) {
    std::string formats;
    for (auto const& f : import_formats()) formats += "\n  " + std::string(f.name) + " " + std::string(f.input) + ": " + std::string(f.what);
    throw InputError("FORMAT is missing; formats:" + formats);
  }
  auto const& format = import_format(operands.front());
  expect_operands(operands, 2, 2, "INPUT (" + std::string(format.input) + ")");
  if (given.count("out") == 0) throw InputError({{}, "--out", "is missing; name the library to write, e.g. --out curves/my-gpu"});
  std::filesystem::path const stem = given["out"].as<std::string>();
  if (!stem.has_filename() || stem.filename() == "." || stem.filename() == "..")
    throw InputError({{}, "--out", quotation(stem.string()) + " ends without the name of a library; write one behind it, e.g. --out curves/my-gpu"});
  ImportRequest request{
      .input = operands[1], .library_name = stem.filename().string(), .gpu = text_option(given, "gpu"), .every_run = given.count("every-run") > 0};
  request.tdp_w = tdp_option(given);
  request.columns = columns_option(given);
  request.power_unit = text_option(given, "power-unit");
  request.time_unit = text_option(given, "time-unit");
  request.speed_unit = text_option(given, "speed-unit");
  request.statistic = text_option(given, "statistic");
  request.citation = text_option(given, "citation");
  request.url = text_option(given, "url");
  request.licence = text_option(given, "licence");
  if (given.count("warm-up") > 0) request.warm_up_s = given["warm-up"].as<double>();
  if (!(request.warm_up_s >= 0 && request.warm_up_s <= 1e9))
    throw InputError({{}, "--warm-up", "is a time of 0 or more seconds; write for example --warm-up 120"});
  request.keep_pauses = given.count("keep-pauses") > 0;
  if (stem.has_parent_path()) {
    std::error_code failed;
    std::filesystem::create_directories(stem.parent_path(), failed);
    if (failed) throw MachineError(stem.parent_path().string() + ": this folder could not be made: " + failed.message());
  }
  auto const write = [&](std::filesystem::path const& to) {
    request.library_name = to.filename().string();
    auto const imported = format.read(request);
    save_library(imported.library, to);
    for (auto const& note : imported.notes) std::printf("%s\n", note.c_str());
    std::printf("wrote %s.yaml and %s.csv: %zu curves\n", to.c_str(), to.c_str(), imported.library.curves.size());
  };
  if (format.name != "reconstruct" || request.input != "ensemble") {
    write(stem);
    return 0;
  }
  for (auto const& member : reconstruction_ensemble()) {
    request.input = member.name;
    write(stem.string() + "-" + member.name);
  }
  return 0;
}

}  // namespace wattfill::cli
