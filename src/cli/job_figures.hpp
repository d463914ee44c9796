#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "wattfill/curve/curve_library.hpp"
#include "wattfill/flexibility/figures.hpp"
#include "wattfill/flexibility/uncertainty.hpp"

namespace wattfill::cli {

/// One curve of a library with its figures.
struct JobFigures {
  Curve const* curve;
  FlexibilityFigures figures;
  std::vector<double> caps;  ///< the grid [W]
};

/// The names of the single figures, as in results: pfi, area, elasticity, pooled, loss_10, ...
std::vector<std::string> figure_names();
/// NaN where the job has none. Throws InputError for an unknown name.
double figure(FlexibilityFigures const& figures, std::string const& name);

/// Caps of an option such as --grid: "200,500,700"; empty where it is not given. Throws InputError that names the option.
std::vector<double> caps_option(po::variables_map const& given, std::string const& option);

/// The figures of every curve of the libraries on these caps (empty: each curve's own). Throws InputError that names the curve.
std::vector<JobFigures> job_figures(std::vector<CurveLibrary const*> const& libraries, std::vector<double> const& caps);

/// Caps that all curves were measured at. Throws InputError if there are fewer than two.
std::vector<double> shared_caps(std::vector<CurveLibrary const*> const& libraries);

/// What to warn of when figures of these jobs are set side by side; empty if their grids are the same, as fractions of the highest cap.
std::string grid_warning(std::vector<JobFigures> const& jobs);

/// At most `digits` significant digits: for p-values, whose last bits depend on the processor, and for tables. "-" for NaN.
std::string rounded_text(double value, int digits = 6);

/// The value to six significant digits: figures that agree so far are ties for rank statistics, whatever the rounding of the points behind them.
double for_ranking(double value);

}  // namespace wattfill::cli
