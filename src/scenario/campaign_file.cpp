#include "wattfill/scenario/campaign_file.hpp"

#include "scenario/input_file.hpp"
#include "wattfill/scenario/document.hpp"
#include "wattfill/scenario/spec.hpp"

namespace wattfill {
namespace {

Format<CampaignScenario> make_campaign_format() {
  using C = CampaignScenario;
  using S = CampaignSpec;
  auto const positive = number(Range{0, 1e30, true});
  auto const series = list_of(number({}), 0, 100'000);
  auto const run = table<S>(
      "Run", "the training run",
      {field("gpus", &S::gpus, number(between(1, 1e9)), "GPUs", "600000").required(),
       field("gpu_w", &S::gpu_w, number(Range{0, 1e6, true}, "W"), "mean draw of one GPU at full speed", "600").required(),
       field("host_w", &S::host_w, number(between(0, 1e6), "W"), "what host and network draw for each GPU", "250"),
       field("pue", &S::pue, number(between(1, 10)), "meter watts per IT watt", "1.2"), field("tokens", &S::tokens, positive, "to train on", "3e13").required(),
       field("flop_per_token", &S::flop_per_token, positive, "6 x active parameters", "2.4e12").required(),
       field("peak_flop_per_s", &S::peak_flop_per_s, positive, "of one GPU", "9.89e14").required(),
       field("mfu", &S::mfu, number(Range{0, 1, true}), "share of the peak that the model's operations reach", "0.4").required(),
       field("price_usd_per_mwh", &S::price_usd_per_mwh, series, "hour by hour from the start, repeated", "[40, 35, 80]"),
       field("carbon_g_per_kwh", &S::carbon_g_per_kwh, series, "hour by hour from the start, repeated", "[250, 150]")});
  return table<C>(
      "Campaign", "one training run, at several savings, with and without a power budget",
      {field("wattfill", &C::wattfill, integer(1, format_version), "version of this format", "1").required(),
       field("name", &C::name, identifier(), "name of the campaign; results go to out/NAME", "gigawatt").required(),
       field("kind", &C::kind, choice<std::string>({{"campaign", "campaign", ""}}), "kind of study", "campaign").required(),
       field("run", &C::spec, run, "the training run", "{gpus: 600000, gpu_w: 600, tokens: 3e13, flop_per_token: 2.4e12, peak_flop_per_s: 9.89e14, mfu: 0.4}")
           .required(),
       field("savings", &C::savings, list_of(number(between(0, 0.999)), 1, 1000), "shares of a GPU's draw saved at no loss of speed", "[0, 0.15]"),
       field("budgets_w", &C::budgets_w, list_of(number(above(0), "W"), 0, 1000), "limits at the meter; savings then buy GPUs", "[1e9]")});
}

}  // namespace

Format<CampaignScenario> const& campaign_format() {
  static auto const format = make_campaign_format();
  return format;
}

bool is_campaign(std::filesystem::path const& file) {
  auto const document = read_document(file);
  auto const* const kind = document.kind == Node::Kind::map ? document.find("kind") : nullptr;
  return kind != nullptr && kind->text == "campaign";
}

CampaignScenario load_campaign(std::filesystem::path const& file, std::vector<std::string> const& sets) {
  auto scenario = read_fields(campaign_format(), read_input(file, sets, "scenario", {"campaign"}));
  scenario.resolved = to_yaml(campaign_format().echo(scenario));
  return scenario;
}

std::vector<Campaign> campaigns(CampaignScenario const& scenario) {
  auto budgets = scenario.budgets_w;
  budgets.insert(budgets.begin(), 0.0);
  std::vector<Campaign> rows;
  for (auto budget : budgets)
    for (auto saving : scenario.savings) rows.push_back(campaign(scenario.spec, saving, budget));
  return rows;
}

}  // namespace wattfill
