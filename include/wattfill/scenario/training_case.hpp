#pragma once
#include <filesystem>

#include "wattfill/training/project.hpp"

namespace wattfill {

/// One training iteration as a bare graph with its costs.
struct TrainingCase {
  Project project;
  double tau_s = 0;       ///< time step
  double blocking_w = 0;  ///< draw of one waiting stage
  int stages = 0;
};

enum class CaseCosts { given, fitted, measured };

/// Reads a folder of `nodes.csv` (node_id, kind, stage, microbatch; kinds source and sink take no time), `edges.csv` (u, v), `meta.json`
/// (unit_time_s, p_blocking_W, stages) and the costs of every (stage, kind): given = `cost_model.csv` (stage, instruction, a, b, c, min_duration,
/// max_duration; time in units of unit_time_s) or, where there is no such file, as fitted; fitted, measured = `options.csv` (stage, instruction,
/// quant_time, effective_energy_J), by least squares or as it is. Throws InputError with file, line and column.
TrainingCase read_training_case(std::filesystem::path const& folder, CaseCosts costs = CaseCosts::given);

}  // namespace wattfill
