// Rules of the program that uses the library: their paths, as draws or as shares of the cut.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "policy/fills.hpp"
#include "policy/rules.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/text.hpp"

namespace wattfill {
namespace {

/// What is rounding, as a share of the uncapped draw.
constexpr double rounding = 1e-9;

/// One rule, used by many studies.
class Shared final : public Policy {
 public:
  explicit Shared(std::shared_ptr<Policy const> own) : own_(std::move(own)) {}
  FillPlan prepare(std::span<Demand const> demands) const override { return own_->prepare(demands); }
  bool splits() const override { return own_->splits(); }

 private:
  std::shared_ptr<Policy const> own_;
};

[[noreturn]] void refuse_draw(std::size_t row, Demand const& demand, double draw_w, std::string const& why) {
  throw InputError("row " + std::to_string(row) + " of the rule's draws has " + (std::isnan(draw_w) ? "nan" : number_text(draw_w)) + " W for " +
                   demand.believed->id() + ", which " + why);
}

}  // namespace

std::unique_ptr<Policy> share_own(std::shared_ptr<Policy const> own) { return std::make_unique<Shared>(std::move(own)); }

FillPlan path_of_draws(std::span<Demand const> demands, std::span<double const> rows) {
  auto const n = demands.size(), knots = n == 0 ? 0 : rows.size() / n;
  if (n > 0 && (knots < 2 || rows.size() != knots * n))
    throw InputError("the rule gave " + std::to_string(rows.size()) + " draws for " + std::to_string(n) +
                     " classes of jobs (a path is two rows or more of one draw a class, from all floors to all uncapped); give knots x classes");
  std::vector<FillItem> items;
  for (std::size_t d = 0; d < n; ++d) {
    auto const& demand = demands[d];
    auto const slack = rounding * demand.uncapped_w;
    double last = demand.floor_w;
    for (std::size_t k = 0; k < knots; ++k) {
      auto const given = rows[k * n + d];
      if (!std::isfinite(given)) refuse_draw(k, demand, given, "is no draw; give watts of one GPU");
      auto draw = given;
      if (k == 0 || k + 1 == knots) {
        draw = k == 0 ? demand.floor_w : demand.uncapped_w;
        if (std::abs(given - draw) > slack)
          refuse_draw(k, demand, given,
                      "is not its " + std::string(k == 0 ? "floor" : "uncapped draw") + " of " + number_text(draw) +
                          " W (a path goes from all floors to all uncapped)");
      }
      if (draw < last - slack) refuse_draw(k, demand, given, "is less than in the row before (draws along a path only rise)");
      if (draw > demand.uncapped_w + slack) refuse_draw(k, demand, given, "is more than its uncapped draw of " + number_text(demand.uncapped_w) + " W");
      draw = std::min(std::max(draw, last), demand.uncapped_w);
      if (draw > last) items.push_back({d, static_cast<double>(k) - 1, static_cast<double>(k), last, draw});
      last = draw;
    }
  }
  return plan_over(demands, std::move(items));
}

FillPlan path_of_shares(std::span<Demand const> demands, std::span<double const> shares) {
  if (shares.size() != demands.size())
    throw InputError("the rule gave " + std::to_string(shares.size()) + " shares for " + std::to_string(demands.size()) +
                     " classes of jobs (each class bears a share of the cut); give one a class");
  return curtail_in_proportion(demands, shares);
}

}  // namespace wattfill
