#include "cli/job_figures.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "wattfill/core/error.hpp"
#include "wattfill/core/quotation.hpp"
#include "wattfill/core/text.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill::cli {
namespace {

struct NamedFigure {
  char const* name;
  double (*of)(FlexibilityFigures const&);
};

constexpr NamedFigure named[] = {
    {"pfi", [](FlexibilityFigures const& f) { return f.pfi; }},
    {"area", [](FlexibilityFigures const& f) { return f.area; }},
    {"elasticity", [](FlexibilityFigures const& f) { return f.elasticity; }},
    {"pooled", [](FlexibilityFigures const& f) { return f.pooled; }},
    {"loss_10", [](FlexibilityFigures const& f) { return f.loss[0]; }},
    {"loss_20", [](FlexibilityFigures const& f) { return f.loss[1]; }},
    {"loss_30", [](FlexibilityFigures const& f) { return f.loss[2]; }},
    {"b", [](FlexibilityFigures const& f) { return f.response.b; }},
    {"a", [](FlexibilityFigures const& f) { return f.response.a; }},
    {"r2", [](FlexibilityFigures const& f) { return f.r2; }},
};

std::vector<double> fractions(std::vector<double> const& caps) {
  std::vector<double> result;
  for (double const cap : caps) result.push_back(cap / caps.back());
  return result;
}

}  // namespace

std::vector<std::string> figure_names() {
  std::vector<std::string> names;
  for (auto const& f : named) names.emplace_back(f.name);
  return names;
}

double figure(FlexibilityFigures const& figures, std::string const& name) {
  for (auto const& f : named)
    if (f.name == name) return f.of(figures);
  throw InputError("there is no figure " + quotation(name) + suggestion(name, figure_names()));
}

std::vector<double> caps_option(po::variables_map const& given, std::string const& option) {
  std::vector<double> caps;
  if (given.count(option) == 0) return caps;
  auto const text = given[option].as<std::string>();
  for (char const* at = text.data(); true; ++at) {
    double cap = 0;
    auto const* const end = text.data() + text.size();
    auto const read = std::from_chars(at, end, cap);
    if (read.ec != std::errc() || !(cap > 0 && std::isfinite(cap)) || (read.ptr != end && *read.ptr != ','))
      throw InputError({{}, "--" + option, quotation(text) + " is not a list of caps in watts; write them with commas, for example 200,500,600,700"});
    caps.push_back(cap);
    at = read.ptr;
    if (at == end) break;
  }
  return caps;
}

std::vector<JobFigures> job_figures(std::vector<CurveLibrary const*> const& libraries, std::vector<double> const& caps) {
  std::vector<JobFigures> jobs;
  std::vector<Problem> problems;
  for (auto const* library : libraries)
    for (auto const& curve : library->curves) try {
        jobs.push_back({&curve, flexibility_figures(curve.curve, caps), measured_caps(on_caps(curve.curve, caps))});
      } catch (InputError const& error) {
        problems.push_back({{}, curve.id(), error.what()});
      }
  if (!problems.empty()) throw InputError(std::move(problems));
  return jobs;
}

std::vector<double> shared_caps(std::vector<CurveLibrary const*> const& libraries) {
  std::vector<double> shared;
  bool first = true;
  for (auto const* library : libraries)
    for (auto const& curve : library->curves) {
      auto const caps = measured_caps(curve.curve);
      if (first) shared = caps;
      first = false;
      std::erase_if(shared, [&](double cap) { return !std::ranges::binary_search(caps, cap); });
    }
  if (shared.size() < 2)
    throw InputError(
        {{}, "--grid", "the curves share " + std::to_string(shared.size()) + " caps, a common grid needs two; compare libraries swept at the same caps"});
  return shared;
}

std::string grid_warning(std::vector<JobFigures> const& jobs) {
  for (auto const& job : jobs) {
    auto const &a = jobs.front(), &b = job;
    auto const fa = fractions(a.caps), fb = fractions(b.caps);
    if (!std::ranges::equal(fa, fb, [](double x, double y) { return std::fabs(x - y) < 1e-9; }))
      return "the caps differ between curves (" + a.curve->id() + " has " + std::to_string(a.caps.size()) + ", " + b.curve->id() + " " +
             std::to_string(b.caps.size()) +
             ", as fractions of the highest they are not the same): PFI and the pooled ratio of different grids do not compare, a coarser grid near "
             "full power raises PFI by about a "
             "tenth; choose the same caps with --grid, or compare losses at a cut";
  }
  return {};
}

std::string rounded_text(double value, int digits) {
  if (std::isnan(value)) return "-";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[64];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits).ptr};
}

double for_ranking(double value) {
  if (!std::isfinite(value)) return value;
  auto const text = rounded_text(value);
  double rounded = 0;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

}  // namespace wattfill::cli
