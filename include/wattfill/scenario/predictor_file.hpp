#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "wattfill/flexibility/predictor.hpp"

namespace wattfill {

/// A predictor fitted by `wattfill predict`, as kept in a YAML file.
struct SavedPredictor {
  std::string target;  ///< the column it predicts, e.g. pfi
  LinearModel model;   ///< its features are texts that parse_feature reads
  LinearSpread spread;
  double r2 = 0;          ///< in-sample
  double rmse = 0;        ///< in-sample, in units of the target
  std::string fitted_on;  ///< the table
};

/// The file's text; numbers read back bit for bit.
std::string predictor_text(SavedPredictor const& predictor);

/// Throws InputError with file, line and column of every mistake.
SavedPredictor read_predictor(std::filesystem::path const& file);

}  // namespace wattfill
