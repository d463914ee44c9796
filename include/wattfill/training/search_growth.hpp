#pragma once
#include <string>
#include <vector>

#include "wattfill/training/partition_search.hpp"

namespace wattfill {

/// 5 %, 50 % and 95 % of something over seeds.
struct SeedBand {
  double low = 0, median = 0, high = 0;
};
/// Share of a table's area (area_found) that so many measurements find, by search and by choosing at random.
struct SearchGrowth {
  std::size_t measurements;
  SeedBand search, random;
};

/// Plays the search against a whole table, once with each of the seeds spec.seed, spec.seed + 1, ...; it never stops early. A row for the random start and
/// for every batch after it, as long as settings are left. Quantiles are the nearest of the sorted values. Throws InputError as search_partition, and for
/// no seed.
std::vector<SearchGrowth> search_growth(PartitionTable const& table, SearchSpec spec, std::size_t seeds);

/// `partition,measurements,search_low,search_median,search_high,random_low,random_median,random_high`: the first line, and those of one partition.
std::string search_growth_head();
std::string search_growth_rows(std::string const& partition, std::vector<SearchGrowth> const& growth);

}  // namespace wattfill
