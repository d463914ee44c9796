#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "wattfill/scenario/fields.hpp"
#include "wattfill/training/campaign.hpp"

namespace wattfill {

/// A scenario of kind campaign: one training run, at several savings, with and without a power budget.
struct CampaignScenario {
  std::uint64_t wattfill = 1;
  std::string name, kind = "campaign";
  CampaignSpec spec;
  std::vector<double> savings{0};
  std::vector<double> budgets_w;  ///< at the meter; beside "no budget"
  std::string resolved;           ///< every key with its value, as YAML
  Place place;
};

Format<CampaignScenario> const& campaign_format();
/// Whether a scenario file says kind: campaign.
bool is_campaign(std::filesystem::path const& file);
/// Throws InputError that lists every mistake found.
CampaignScenario load_campaign(std::filesystem::path const& file, std::vector<std::string> const& sets = {});
/// Every saving without a budget, then at every budget.
std::vector<Campaign> campaigns(CampaignScenario const& scenario);

}  // namespace wattfill
