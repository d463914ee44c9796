#include "wattfill/sim/objective.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {
using Named = std::pair<Objective, std::string_view>;
constexpr std::array<Named, 5> names{{{Objective::gpu_speed, "gpu_speed"},
                                      {Objective::tokens, "tokens"},
                                      {Objective::normalized, "normalized"},
                                      {Objective::weighted, "weighted"},
                                      {Objective::flops, "flops"}}};
}  // namespace

std::string_view to_string(Objective objective) { return std::ranges::find(names, objective, &Named::first)->second; }

std::optional<Objective> objective_from(std::string_view name) {
  auto const found = std::ranges::find(names, name, &Named::second);
  return found == names.end() ? std::nullopt : std::optional(found->first);
}

double job_value(JobClass const& cls, Objective objective) {
  switch (objective) {
    case Objective::gpu_speed: return cls.curve->gpus;
    case Objective::tokens: return cls.curve->curve.max_speed();
    case Objective::normalized: return 1;
    case Objective::weighted: return cls.terms.priority;
    case Objective::flops:
      if (!cls.curve->flop_per_unit)
        throw InputError(
            {{},
             "objective",
             "flops: " + cls.curve->id() + " does not state its FLOP per unit of speed (flop_per_unit); add it to the library or choose another objective"});
      return cls.curve->curve.max_speed() * *cls.curve->flop_per_unit;
  }
  return 0;
}

bool comparable_speeds(std::span<JobClass const> classes) {
  return std::ranges::all_of(classes,
                             [&](JobClass const& c) { return !c.curve->speed_unit.empty() && c.curve->speed_unit == classes.front().curve->speed_unit; });
}

}  // namespace wattfill
