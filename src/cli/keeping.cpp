#include "cli/keeping.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "wattfill/core/error.hpp"
#include "wattfill/core/sha256.hpp"
#include "wattfill/core/text.hpp"
#include "wattfill/core/version.hpp"
#include "wattfill/study/study.hpp"
#include "wattfill/study/timeline_study.hpp"

namespace wattfill::cli {
namespace {

namespace fs = std::filesystem;

PieceWriter::Seconds every(po::variables_map const& given) {
  auto const text = given["keep-every"].as<std::string>();
  double seconds = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || !(seconds >= 0 && seconds <= 86400))
    throw InputError({{}, "--keep-every", "\"" + text + "\" is not a number of seconds from 0 to 86400, nor never"});
  return PieceWriter::Seconds(seconds);
}

}  // namespace

void add_keeping_options(po::options_description& options) {
  options.add_options()("resume", "go on with what an interrupted run of the same study left in the folder, if it left something");
  options.add_options()("shard", po::value<std::string>()->value_name("I/N"), "only the I-th of N parts of the study, I from 1; wattfill merge joins them");
  options.add_options()("keep-every", po::value<std::string>()->default_value("1")->value_name("S"),
                        "seconds between two writes of what is finished, for --resume; never: keep nothing, which spares the disk a file");
}

bool keeps_nothing(po::variables_map const& given) {
  if (given["keep-every"].as<std::string>() != "never") return false;
  for (auto const* option : {"resume", "shard"})
    if (given.count(option) > 0)
      throw InputError({{}, "--keep-every", "never keeps nothing, and --" + std::string(option) + " needs it; leave one of them out"});
  return true;
}

std::optional<Shard> shard_of(po::variables_map const& given) {
  if (given.count("shard") == 0) return std::nullopt;
  auto const text = given["shard"].as<std::string>();
  auto const* const last = text.data() + text.size();
  std::uint64_t index = 0, count = 0;
  auto const [slash, wrong_index] = std::from_chars(text.data(), last, index);
  bool good = wrong_index == std::errc() && slash != last && *slash == '/';
  if (good) {
    auto const [end, wrong_count] = std::from_chars(slash + 1, last, count);
    good = wrong_count == std::errc() && end == last;
  }
  constexpr std::uint64_t most_shards = 100'000;
  if (!good || index < 1 || index > count || count > most_shards)
    throw InputError({{},
                      "--shard",
                      "\"" + text + "\" is not I/N with I from 1 to N and N up to " + std::to_string(most_shards) + "; write 1/4 for the first of four parts"});
  if (given.count("replication") > 0)
    throw InputError({{}, "--shard", "a single replication is no study to be cut in parts; leave --shard or --replication out"});
  return Shard{index - 1, count};
}

std::vector<double> quantiles_of(std::string const& text, char separator) {
  std::vector<double> shares;
  auto const* at = text.data();
  auto const* const last = at + text.size();
  for (bool more = !text.empty(); more; ++at) {
    auto const [end, error] = std::from_chars(at, last, shares.emplace_back());
    if (error != std::errc() || !(shares.back() > 0 && shares.back() < 1) || (end != last && *end != separator))
      throw InputError({{}, "--quantiles", "\"" + text + "\" is no list of shares between 0 and 1; write 0.05,0.5,0.95"});
    more = end != last;
    at = end;
  }
  return shares;
}

std::string rows_name(Running const& running) {
  auto name = std::string(running.rows ? "all" : "summary") + (running.netcdf ? ", netcdf" : "");
  for (double share : running.quantiles) name += (share == running.quantiles.front() ? ", quantiles " : " ") + number_text(share);
  return name;
}

void set_rows(Running& running, std::string const& name) {
  running.rows = name.starts_with("all");
  running.netcdf = name.find(", netcdf") != std::string::npos;
  constexpr std::string_view before = ", quantiles ";
  if (auto const at = name.find(before); at != std::string::npos) running.quantiles = quantiles_of(name.substr(at + before.size()), ' ');
}

std::string to_string(Shard const& shard) { return std::to_string(shard.index + 1) + "/" + std::to_string(shard.count); }

PieceHeader piece_header(Scenario const& scenario, std::string const& file, po::variables_map const& given, std::string const& rows) {
  PieceHeader header;
  header.identity = {{"version", std::string(version)}, {"revision", std::string(revision)}, {"rows", rows}, {"scenario", scenario.resolved}};
  for (std::size_t i = 1; i < scenario.files.size(); ++i)  // the first is the scenario itself, whose comments may change
    header.identity.emplace_back("input " + scenario.files[i].filename().string(), sha256_of_file(scenario.files[i]));
  header.origin.emplace_back("scenario", fs::absolute(file).string());
  for (auto const* option : {"set", "curves"})
    if (given.count(option) > 0)
      for (auto const& text : given[option].as<std::vector<std::string>>())
        header.origin.emplace_back(option, option == std::string("set") ? text : fs::absolute(text).string());
  if (auto const* folders = std::getenv("WATTFILL_CURVES"); folders != nullptr) {
    std::string const all(folders);
    for (std::size_t at = 0; at <= all.size();) {
      auto const end = std::min(all.find(':', at), all.size());
      if (end > at) header.origin.emplace_back("curves", fs::absolute(all.substr(at, end - at)).string());
      at = end + 1;
    }
  }
  if (given.count("allow-outside") > 0) header.origin.emplace_back("allow-outside", "yes");
  if (given.count("seed") > 0) header.origin.emplace_back("seed", given["seed"].as<std::string>());
  return header;
}

PieceTable piece_table(Scenario const& scenario) {
  PieceTable table;
  for (auto const& point : scenario.points) table.add(scenario.kind == "timeline" ? pieces_of(point.timeline) : pieces_of(point.study));
  return table;
}

Keeping::Keeping(PieceTable const& table, PieceHeader header, fs::path const& folder, po::variables_map const& given, std::string const& rows_header)
    : file_(folder / pieces_name) {
  auto const shard = shard_of(given);
  if (shard) header.identity.emplace_back("shard", to_string(*shard));
  std::vector<PieceFile> before;
  if (given.count("resume") > 0) {
    if (auto found = PieceFile::read(file_)) {
      if (auto const changed = differences(found->header(), header); !changed.empty()) {
        std::vector<Problem> problems;
        for (auto const& difference : changed)
          problems.push_back(
              {{file_.string()}, "--resume", difference + " (results of both would be mixed); undo the change, or run without --resume to begin anew"});
        throw InputError(std::move(problems));
      }
      if (std::ranges::any_of(found->pieces(), [&](std::uint64_t piece) { return piece >= table.count(); }))
        throw InputError({{file_.string()}, "--resume", "holds pieces that this study does not have; run without --resume to begin anew"});
      found->prove_rows();
      if (given.count("quiet") == 0)
        std::fprintf(stderr, "wattfill: going on with %zu of %llu pieces of %s\n", found->count(), static_cast<unsigned long long>(table.count()),
                     file_.string().c_str());
      writer_.emplace(*found, every(given), rows_header);
      before.push_back(std::move(*found));
    }
  }
  if (!writer_) writer_.emplace(file_, header, every(given), rows_header);
  pieces_.emplace(table, std::move(before), &*writer_, shard);
}

void Keeping::finish() {
  if (!pieces_->folds()) return writer_->finish();
  writer_->discard();
  writer_.reset();
  fs::remove(file_);
}

}  // namespace wattfill::cli
