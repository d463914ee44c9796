#include "wattfill/training/frontier_csv.hpp"

#include "wattfill/core/text.hpp"

namespace wattfill {

std::string frontier_csv(Frontier const& frontier, double tau_s, double waiting_w) {
  std::string text = "time_s,effective_energy_j,energy_j\n";
  text.reserve(text.size() + static_cast<std::size_t>(frontier.longest() - frontier.shortest() + 1) * 56);
  auto const add = [&](double x, char after) {
    char buffer[longest_number];
    text.append(buffer, put_number(buffer, x));
    text += after;
  };
  auto const knots = frontier.knots();
  for (std::size_t k = 0; k < knots.size(); ++k) {
    auto const last = k + 1 < knots.size() ? knots[k + 1].time - 1 : knots[k].time;
    for (auto steps = knots[k].time; steps <= last; ++steps) {
      auto const time_s = static_cast<double>(steps) * tau_s;
      auto const effective_j = knots[k].energy_j + knots[k].slope_j * static_cast<double>(steps - knots[k].time);
      add(time_s, ',');
      add(effective_j, ',');
      add(effective_j + waiting_w * time_s, '\n');
    }
  }
  return text;
}

}  // namespace wattfill
