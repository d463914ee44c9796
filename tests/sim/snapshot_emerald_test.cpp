// The A100 mixes of tests/independent: every score of the independent implementation, to 1e-6.
#include <map>
#include <set>
#include <sstream>

#include "support/catch.hpp"
#include "support/snapshots.hpp"
#include "wattfill/scenario/library_file.hpp"
#include "wattfill/scenario/text_file.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

using Row = std::map<std::string, std::string>;

std::vector<std::string> cells(std::string const& line) {
  std::vector<std::string> all;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) all.push_back(cell);
  return all;
}

std::vector<Row> expected_rows() {
  std::istringstream in(read_text_file(WATTFILL_SOURCE_DIR "/tests/independent/expected_emerald.csv"));
  std::vector<Row> rows;
  std::string line;
  std::getline(in, line);
  auto const names = cells(line);
  while (std::getline(in, line)) {
    auto const values = cells(line);
    Row row;
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = values.at(i);
    rows.push_back(row);
  }
  return rows;
}

// As at the top of make_expected_emerald.py.
char const* const names[] = {"ft_llama_8b_dolly", "ft_llama_8b_p3", "infer_llama_8b", "pt_mpt_13b_lg", "pt_mpt_13b_sm", "pt_mpt_7b_fast"};
double const priorities[] = {3.0, 2.5, 4.0, 1.0, 1.5, 2.0};
struct EmeraldMix {
  std::uint64_t counts[6];
  double min_speed;
};
std::map<std::string, EmeraldMix> const mixes{{"base", {{20, 20, 15, 15, 15, 15}, 0}},      {"base-min-speed", {{20, 20, 15, 15, 15, 15}, 0.5}},
                                              {"one-class", {{0, 0, 0, 100, 0, 0}, 0}},     {"one-job", {{1, 0, 0, 0, 0, 0}, 0}},
                                              {"one-each", {{1, 1, 1, 1, 1, 1}, 0}},        {"unequal", {{1, 2, 13, 8, 5, 3}, 0}},
                                              {"two-classes", {{0, 40, 0, 3, 0, 0}, 0.25}}, {"thousands", {{2000, 3000, 2500, 1000, 5000, 4000}, 0}}};

}  // namespace

TEST_CASE("the six A100 curves give what the independent implementation gives, for every mix, objective, policy and cut") {
  auto const library = read_library(WATTFILL_SOURCE_DIR "/curves/emerald-a100.yaml").library;
  std::map<std::pair<std::string, std::string>, std::vector<Row>> by_study;
  for (auto const& row : expected_rows()) by_study[{row.at("mix"), row.at("objective")}].push_back(row);
  REQUIRE(by_study.size() == 24);
  std::size_t compared = 0;
  for (auto const& [key, rows] : by_study) {
    auto const& emerald = mixes.at(key.first);
    MixSpec mix;
    mix.name = key.first;
    for (std::size_t i = 0; i < 6; ++i) mix.listed.push_back({library.find(names[i]), emerald.counts[i], {priorities[i], emerald.min_speed}});
    std::vector<PolicySpec> policies;
    std::vector<double> at;
    std::map<std::string, std::size_t> policy_index;
    std::map<std::string, std::size_t> cut_index;
    for (auto const& row : rows) {
      if (cut_index.emplace(row.at("cut"), at.size()).second) at.push_back(std::stod(row.at("cut")));
      if (!policy_index.emplace(row.at("policy"), policies.size()).second) continue;
      auto spec = row.at("policy") == "pfi-aware-1" ? labelled(policy("pfi-aware"), "pfi-aware-1", true) : policy(row.at("policy"));
      if (spec.name == "class-weighted") spec.where.task = "fine-tuning";
      policies.push_back(spec);
    }
    Snapshot const snapshot(mix, policies, cuts(at), {}, *objective_from(key.second), 1);
    auto const scored = replicate(snapshot, 0);
    for (auto const& row : rows) {
      auto const p = policy_index.at(row.at("policy")), t = cut_index.at(row.at("cut"));
      CAPTURE(key.first, key.second, row.at("policy"), row.at("cut"));
      auto const expect = [&](char const* column, double value) {
        CAPTURE(column);
        REQUIRE(value == Approx(std::stod(row.at(column))).epsilon(1e-6).margin(1e-6));
        ++compared;
      };
      expect("target_w", scored.at(p, t, score::target_w));
      expect("power_w", scored.at(p, t, score::power_w));
      expect("shortfall_w", scored.at(p, t, score::shortfall_w));
      expect("speed_gpu", scored.at(p, t, score::speed_gpu));
      expect("speed_normalized", scored.at(p, t, score::speed_normalized));
      expect("speed_p5", scored.at(p, t, score::speed_p5));
      expect("speed_min", scored.at(p, t, score::speed_min));
      expect("value", scored.at(p, t, score::objective));
      if (policies[p].name == "oracle") expect("bound", scored.at(p, t, score::objective) + scored.at(p, t, score::hull_gap));
    }
  }
  CHECK(compared > 20000);
}
