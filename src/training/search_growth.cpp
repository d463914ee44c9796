#include "wattfill/training/search_growth.hpp"

#include <algorithm>

#include "wattfill/core/error.hpp"
#include "wattfill/core/text.hpp"

namespace wattfill {
namespace {

SeedBand band(std::vector<double> values) {
  std::ranges::sort(values);
  auto const at = [&](double p) { return values[static_cast<std::size_t>(p * static_cast<double>(values.size() - 1) + 0.5)]; };
  return {at(0.05), at(0.5), at(0.95)};
}

}  // namespace

std::vector<SearchGrowth> search_growth(PartitionTable const& table, SearchSpec spec, std::size_t seeds) {
  if (seeds == 0) throw InputError("a search is compared over seeds; give at least 1");
  spec.stop_early = false;
  std::vector<std::vector<double>> searched, random;
  for (std::size_t s = 0; s < seeds; ++s, ++spec.seed) {
    auto const measure = [&](std::size_t i) { return table.costs[i]; };
    searched.push_back(area_found(table.costs, search_partition(table.settings, measure, spec)));
    random.push_back(area_found(table.costs, random_order(table.costs.size(), spec.seed)));
  }
  std::vector<SearchGrowth> rows;
  auto const longest = searched.front().size();  // the same for every seed
  for (int b = 0; b <= spec.size.batches; ++b) {
    auto const k = std::min(static_cast<std::size_t>(spec.size.start) + static_cast<std::size_t>(b) * static_cast<std::size_t>(spec.size.per_batch), longest);
    if (!rows.empty() && rows.back().measurements == k) break;
    auto const at = [&](std::vector<std::vector<double>> const& found) {
      std::vector<double> shares;
      for (auto const& share : found) shares.push_back(share[k - 1]);
      return band(std::move(shares));
    };
    rows.push_back({k, at(searched), at(random)});
  }
  return rows;
}

std::string search_growth_head() { return "partition,measurements,search_low,search_median,search_high,random_low,random_median,random_high\n"; }

std::string search_growth_rows(std::string const& partition, std::vector<SearchGrowth> const& growth) {
  std::string text;
  for (auto const& g : growth) {
    text += partition + "," + std::to_string(g.measurements);
    for (auto const& side : {g.search, g.random})
      for (double share : {side.low, side.median, side.high}) text += "," + number_text(share);
    text += "\n";
  }
  return text;
}

}  // namespace wattfill
