#pragma once
#include <string>
#include <vector>

namespace wattfill {

/// A training run from its first token to its last. Plain data.
struct CampaignSpec {
  double gpus = 0;
  double gpu_w = 0;                                         ///< mean draw of one GPU at full speed, nothing saved
  double host_w = 0;                                        ///< what CPUs, memory, network and fans draw for each GPU, whatever it does
  double pue = 1;                                           ///< meter watts per IT watt
  double tokens = 0;                                        ///< to train on
  double flop_per_token = 0;                                ///< of the model: 6 x active parameters (forward and backward)
  double peak_flop_per_s = 0;                               ///< of one GPU
  double mfu = 0;                                           ///< share of the peak that the model's operations reach
  std::vector<double> price_usd_per_mwh, carbon_g_per_kwh;  ///< hour after hour, from the start on; repeated
};

/// A campaign whose GPUs draw less at the same speed.
struct Campaign {
  double saving;    ///< share of a GPU's draw
  double budget_w;  ///< at the meter; 0: none
  double gpus;      ///< that run: all that the budget carries (more than the spec's where savings make room), or the spec's
  double days, mwh, usd, t_co2, peak_mw;
};

/// Time and energy of the run, and what it costs hour by hour. Under a budget the saving is spent on GPUs. Throws InputError where a number is out of
/// range or the budget carries no GPU.
Campaign campaign(CampaignSpec const& spec, double saving, double budget_w = 0);

/// `saving,budget_mw,gpus,days,mwh,usd,t_co2,peak_mw`, a row per campaign.
std::string campaign_csv(std::vector<Campaign> const& rows);

}  // namespace wattfill
