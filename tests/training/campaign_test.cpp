#include "wattfill/training/campaign.hpp"

#include "support/catch.hpp"
#include "training/projects.hpp"

using namespace wattfill;
using namespace wattfill::test;

namespace {

/// 1000 GPUs of 1e12 FLOP/s at 50 %: 5e14 FLOP/s; 1e12 tokens of 4.5e7 FLOP: 25 hours. 600 + 200 W a GPU, PUE 1.25: 1 MW.
CampaignSpec small() { return {1000, 600, 200, 1.25, 1e12, 4.5e7, 1e12, 0.5, {10, 20, 30}, {100}}; }

}  // namespace

TEST_CASE("A campaign's time, energy, cost and carbon by hand") {
  auto const c = campaign(small(), 0);
  CHECK(c.days == Approx(25.0 / 24));
  CHECK(c.peak_mw == Approx(1));
  CHECK(c.mwh == Approx(25));
  CHECK(c.usd == Approx(8 * 60 + 10));  // eight rounds of three hours, and one hour more
  CHECK(c.t_co2 == Approx(25 * 0.1));
  auto const part = campaign({1000, 600, 200, 1.25, 1e12 / 25 * 1.5, 4.5e7, 1e12, 0.5, {10, 20, 30}, {}}, 0);
  CHECK(part.usd == Approx(10 + 0.5 * 20));
  CHECK(part.t_co2 == 0);
}

TEST_CASE("Savings lower the draw of GPUs alone; under a budget they buy GPUs") {
  auto const saved = campaign(small(), 0.5);
  CHECK(saved.peak_mw == Approx((300 + 200) * 1.25e-3));
  CHECK(saved.days == campaign(small(), 0).days);
  auto const inside = campaign(small(), 0.5, 0.5e6);
  CHECK(inside.gpus == 800);  // 625 W each
  CHECK(inside.days == Approx(25.0 / 24 / 0.8));
  CHECK(inside.peak_mw <= 0.5);
  CHECK(campaign_csv({saved}).starts_with("saving,budget_mw,gpus,days,mwh,usd,t_co2,peak_mw\n0.5,,1000,"));
}

TEST_CASE("Campaigns that cannot be are refused") {
  auto const with = [](auto const& change) {
    auto spec = small();
    change(spec);
    return message([&] { campaign(spec, 0); });
  };
  CHECK(with([](auto& s) { s.gpus = 0; }) == "gpus: is 0; give a positive number");
  CHECK(with([](auto& s) { s.mfu = 1.5; }) == "mfu: is 1.5; give a share above 0 up to 1");
  CHECK(with([](auto& s) { s.pue = 0.9; }) == "pue: is 0.9; the meter sees at least what the IT draws: give 1 or more");
  CHECK(message([] { campaign(small(), 1); }) == "savings: holds 1; a saving is a share from 0 to below 1");
  CHECK(message([] { campaign(small(), 0, 10); }) == "budget_w: is 10 W, less than one GPU with its host and cooling (1000 W); allow more");
}
