#include "wattfill/training/frontier_csv.hpp"

#include "wattfill/core/text.hpp"

namespace wattfill {

namespace {

void add(std::string& text, double x, char after) {
  char buffer[longest_number];
  text.append(buffer, put_number(buffer, x));
  text += after;
}

/// Calls `row(time_s, effective_j)` for every whole time step.
template <class Row>
void each_step(Frontier const& frontier, double tau_s, Row const& row) {
  auto const knots = frontier.knots();
  for (std::size_t k = 0; k < knots.size(); ++k) {
    auto const last = k + 1 < knots.size() ? knots[k + 1].time - 1 : knots[k].time;
    for (auto steps = knots[k].time; steps <= last; ++steps) {
      auto const time_s = static_cast<double>(steps) * tau_s;
      row(time_s, knots[k].energy_j + knots[k].slope_j * static_cast<double>(steps - knots[k].time));
    }
  }
}

}  // namespace

std::string frontier_csv(Frontier const& frontier, double tau_s, double waiting_w) {
  std::string text = "time_s,effective_energy_j,energy_j\n";
  text.reserve(text.size() + static_cast<std::size_t>(frontier.longest() - frontier.shortest() + 1) * 56);
  each_step(frontier, tau_s, [&](double time_s, double effective_j) {
    add(text, time_s, ',');
    add(text, effective_j, ',');
    add(text, effective_j + waiting_w * time_s, '\n');
  });
  return text;
}

std::string frontier_csv(IterationEnergy const& energy, double gpus_per_rank, int stages) {
  std::string text = "time_s,effective_energy_j,energy_j,power_w\n";
  each_step(energy.frontier(), energy.tau_s(), [&](double time_s, double effective_j) {
    auto const energy_j = effective_j + energy.waiting_w() * time_s;
    add(text, time_s, ',');
    add(text, effective_j * gpus_per_rank, ',');
    add(text, energy_j * gpus_per_rank, ',');
    add(text, energy_j / time_s / stages, '\n');
  });
  return text;
}

}  // namespace wattfill
