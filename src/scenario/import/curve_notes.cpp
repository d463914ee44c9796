#include "scenario/import/curve_notes.hpp"

namespace wattfill {

void note_findings(Curve const& curve, std::vector<std::string>& notes) {
  auto const& found = curve.curve.findings();
  auto const note = [&](std::string what) { notes.push_back(curve.name + ": " + std::move(what)); };
  if (found.above_cap > 0) note("points that draw more than their cap (kept as measured): " + std::to_string(found.above_cap));
  if (found.repeated_draws > 0) note("points that repeat a draw (kept; policies use their mean): " + std::to_string(found.repeated_draws));
  if (found.pooled > 0) note("points where speed is not monotone in draw (kept; policies use the isotonic regression): " + std::to_string(found.pooled));
  if (found.top_draw_below_top_cap) note("the largest draw is not at the highest cap (reported figures and policies read such a curve differently)");
  if (curve.curve.unresponsive()) note("unresponsive, its draw moves by less than 2 % over the sweep");
}

}  // namespace wattfill
