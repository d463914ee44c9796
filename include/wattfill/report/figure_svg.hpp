#pragma once
#include <string>
#include <vector>

#include "wattfill/report/report_page.hpp"

namespace wattfill {

/// A line of a figure; NaN breaks it.
struct FigureSeries {
  std::string name;
  std::vector<double> x, y;
  std::vector<double> low, high;  ///< of a band, as many as y; or none
  bool steps = false;             ///< constant until the next x
  bool dashed = false;
};

/// One figure for a paper: lines with bands over a linear axis.
struct Figure {
  std::string file;  ///< name without its end
  std::string title, x_label, y_label;
  std::vector<FigureSeries> series;
};

/// The figure as SVG, 760 x 400, with text as text. Empty axes (no finite point) give a figure that says so.
std::string figure_svg(Figure const& figure);

/// The figures of a page: of a snapshot study each mix's speed and its difference to the reference against the cut (sweep points one by one), of a timeline
/// the power of each policy over time.
std::vector<Figure> figures_of(ReportPage const& page);

}  // namespace wattfill
