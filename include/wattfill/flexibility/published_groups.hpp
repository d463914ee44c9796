#pragma once
#include <optional>
#include <span>
#include <string_view>

namespace wattfill {

/// One of the 25 groups of H200 training runs whose PFIs are printed in arXiv:2609.11542 (its tables print no power or speed at single caps).
struct PublishedGroup {
  std::string_view name;          ///< curve name in the reconstructed libraries
  std::string_view architecture;  ///< dense | moe
  std::string_view task;          ///< fine-tuning | pretraining
  std::string_view model;         ///< model family
  double active_parameters;       ///< parameters that work on one token
  double gpus;
  std::optional<double> pfi;  ///< on caps 200..700 W by 100; groups of 16 and 32 GPUs were not measured there
  double pfi4;                ///< on caps 200, 500, 600, 700 W
};

std::span<PublishedGroup const> published_groups();

/// Caps [W] of the two grids, ascending; the last is the H200's TDP.
enum class PublishedGrid { fine, coarse };
std::span<double const> published_caps(PublishedGrid grid);

}  // namespace wattfill
