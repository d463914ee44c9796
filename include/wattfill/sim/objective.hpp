#pragma once

namespace wattfill {

/// What a job at full speed is worth (V_j), hence what the oracle maximises and `gap closed` is measured in.
enum class Objective {
  gpu_speed,   ///< V = GPUs: GPU-weighted mean of T/T_max
  tokens,      ///< V = T_max: total speed; pays a job of few active parameters like a large dense one, so it starves dense jobs
  normalized,  ///< V = 1: mean over jobs of T/T_max
  weighted,    ///< V = priority
  flops,       ///< V = model FLOP/s at full speed, where the library knows it
};

}  // namespace wattfill
