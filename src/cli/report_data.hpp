#pragma once
#include <filesystem>

#include "wattfill/report/report_page.hpp"

namespace wattfill::cli {

/// What a result folder holds, cut down to what a page can show: quantiles over mixes instead of all replications, long runs thinned. What was left out is
/// said in the page's notes. Throws InputError for a folder that holds none of our results.
ReportPage page_of(std::filesystem::path const& folder);

}  // namespace wattfill::cli
