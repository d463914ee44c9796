#include "wattfill/training/campaign.hpp"

#include <cmath>

#include "wattfill/core/error.hpp"
#include "wattfill/core/text.hpp"

namespace wattfill {
namespace {

constexpr double hours_per_day = 24, seconds_per_hour = 3600, watts_per_mw = 1e6;

/// Sum over `hours` hours of a series that repeats, its last hour in part; the mean of one round carries whole rounds.
double summed(std::vector<double> const& series, double hours) {
  if (series.empty()) return 0;
  auto const length = static_cast<double>(series.size());
  auto const rounds = std::floor(hours / length);
  double round = 0, rest = hours - rounds * length, sum = 0;
  for (auto x : series) round += x;
  for (auto x : series) {
    sum += x * std::fmin(rest, 1.0);
    rest = std::fmax(rest - 1, 0.0);
  }
  return rounds * round + sum;
}

void check(CampaignSpec const& spec) {
  auto const positive = [](double x, char const* what) {
    if (!(x > 0 && std::isfinite(x))) throw InputError({{}, what, "is " + number_text(x) + "; give a positive number"});
  };
  positive(spec.gpus, "gpus");
  positive(spec.gpu_w, "gpu_w");
  positive(spec.tokens, "tokens");
  positive(spec.flop_per_token, "flop_per_token");
  positive(spec.peak_flop_per_s, "peak_flop_per_s");
  if (!(spec.mfu > 0 && spec.mfu <= 1)) throw InputError({{}, "mfu", "is " + number_text(spec.mfu) + "; give a share above 0 up to 1"});
  if (!(spec.pue >= 1)) throw InputError({{}, "pue", "is " + number_text(spec.pue) + "; the meter sees at least what the IT draws: give 1 or more"});
  if (!(spec.host_w >= 0)) throw InputError({{}, "host_w", "is " + number_text(spec.host_w) + "; give 0 or more"});
}

}  // namespace

Campaign campaign(CampaignSpec const& spec, double saving, double budget_w) {
  check(spec);
  if (!(saving >= 0 && saving < 1)) throw InputError({{}, "savings", "holds " + number_text(saving) + "; a saving is a share from 0 to below 1"});
  auto const each_w = (spec.gpu_w * (1 - saving) + spec.host_w) * spec.pue;
  Campaign result{saving, budget_w, spec.gpus, 0, 0, 0, 0, 0};
  if (budget_w > 0) result.gpus = std::floor(budget_w / each_w);
  if (!(result.gpus >= 1))
    throw InputError(
        {{}, "budget_w", "is " + number_text(budget_w) + " W, less than one GPU with its host and cooling (" + number_text(each_w) + " W); allow more"});
  auto const hours = spec.tokens * spec.flop_per_token / (result.gpus * spec.peak_flop_per_s * spec.mfu) / seconds_per_hour;
  result.peak_mw = result.gpus * each_w / watts_per_mw;
  result.days = hours / hours_per_day;
  result.mwh = result.peak_mw * hours;
  result.usd = result.peak_mw * summed(spec.price_usd_per_mwh, hours);
  result.t_co2 = result.peak_mw * summed(spec.carbon_g_per_kwh, hours) * 1e-3;  // 1 MWh at 1 g/kWh is 1 kg
  return result;
}

std::string campaign_csv(std::vector<Campaign> const& rows) {
  std::string text = "saving,budget_mw,gpus,days,mwh,usd,t_co2,peak_mw\n";
  for (auto const& r : rows) {
    text += number_text(r.saving) + "," + (r.budget_w > 0 ? number_text(r.budget_w / watts_per_mw) : "");
    for (double x : {r.gpus, r.days, r.mwh, r.usd, r.t_co2, r.peak_mw}) text += "," + number_text(x);
    text += "\n";
  }
  return text;
}

}  // namespace wattfill
