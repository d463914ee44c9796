#pragma once
#include <optional>
#include <string_view>

#include "wattfill/workload/mix.hpp"

namespace wattfill {

/// What a job at full speed is worth (V_j), hence what the oracle maximises and `gap closed` is measured in.
enum class Objective {
  gpu_speed,   ///< V = GPUs: GPU-weighted mean of T/T_max
  tokens,      ///< V = T_max: total speed; pays a job of few active parameters like a large dense one, so it starves dense jobs
  normalized,  ///< V = 1: mean over jobs of T/T_max
  weighted,    ///< V = priority: priority-weighted mean of T/T_max
  flops,       ///< V = model FLOP/s at full speed, where the library knows it
};
std::string_view to_string(Objective);
std::optional<Objective> objective_from(std::string_view);

/// V of one job of the class. Throws InputError under `flops` for a curve whose FLOP per unit of speed is not known.
double job_value(JobClass const& cls, Objective objective);

/// The objective of a mix is sum V T/T_max; `mean` objectives divide by sum V.
constexpr bool is_mean(Objective objective) { return objective != Objective::tokens && objective != Objective::flops; }

/// All classes state the same speed unit, so that speeds can be added.
bool comparable_speeds(std::span<JobClass const> classes);

}  // namespace wattfill
