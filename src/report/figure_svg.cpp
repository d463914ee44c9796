#include "wattfill/report/figure_svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "report/text_table.hpp"

namespace wattfill {
namespace {

constexpr double width = 760, height = 400, left = 70, right = 580, top = 34, bottom = 350;
/// Okabe and Ito's colours, darkened to be read on paper, then others; told apart in grey by the dashes of the second round.
constexpr std::array colours{"#b87400", "#2a83bd", "#00805c", "#8a7d00", "#004f87", "#c24a00",
                             "#a8487e", "#5a6672", "#7a5c00", "#3f9b6d", "#7048b6", "#c03a3a"};

/// A linear axis with ticks at 1, 2 or 5 times a power of ten.
struct Axis {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity(), from, to, step = 1;

  void see(double x) {
    if (!std::isfinite(x)) return;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  bool empty() const { return !(low <= high); }
  /// `round`: the ends go to ticks.
  void settle(bool round) {
    if (!(high - low > 1e-12 * std::max(std::fabs(low), std::fabs(high)))) {
      auto const around = std::max(std::fabs(low) * 0.05, 0.5);
      low -= around;
      high += around;
    }
    auto const rough = (high - low) / 6;
    auto const power = std::pow(10, std::floor(std::log10(rough)));  // where ticks are; no result depends on it
    step = (rough / power > 5 ? 10 : rough / power > 2 ? 5 : rough / power > 1 ? 2 : 1) * power;
    if (round) {
      low = std::floor(low / step) * step;
      high = std::ceil(high / step) * step;
    }
  }
  double at(double x) const { return from + (x - low) / (high - low) * (to - from); }
  std::vector<double> ticks() const {
    std::vector<double> all;
    for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && all.size() < 20; ++k) all.push_back(k * step);
    return all;
  }
  std::string label(double x) const {
    if (std::fabs(high) >= 1e6 || std::fabs(low) >= 1e6) {
      char buffer[32];
      return {buffer, std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::scientific, 2).ptr};
    }
    return fixed(std::fabs(x) < step / 2 ? 0 : x, step < 1 ? static_cast<int>(std::ceil(-std::log10(step) - 1e-9)) : 0);
  }
};

std::string point(double x, double y) { return fixed(x, 2) + "," + fixed(y, 2); }

std::string text(double x, double y, std::string const& what, std::string const& more) {
  return "<text x=\"" + fixed(x, 1) + "\" y=\"" + fixed(y, 1) + "\"" + more + ">" + xml(what) + "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2, char const* stroke) {
  return "<line x1=\"" + fixed(x1, 2) + "\" y1=\"" + fixed(y1, 2) + "\" x2=\"" + fixed(x2, 2) + "\" y2=\"" + fixed(y2, 2) + "\" stroke=\"" + stroke + "\"/>\n";
}

std::string drawn(FigureSeries const& s, std::size_t number, Axis const& x, Axis const& y) {
  auto const* const colour = colours[number % colours.size()];
  std::string svg, path, up, down;
  for (std::size_t i = 0; i < s.low.size(); ++i) {
    if (!std::isfinite(s.low[i]) || !std::isfinite(s.high[i])) continue;
    up += " " + point(x.at(s.x[i]), y.at(s.high[i]));
    down.insert(0, " " + point(x.at(s.x[i]), y.at(s.low[i])));
  }
  if (!up.empty()) svg += "<polygon points=\"" + up.substr(1) + down + "\" fill=\"" + colour + "\" fill-opacity=\"0.2\"/>\n";
  bool broken = true;
  for (std::size_t i = 0; i < s.y.size(); ++i) {
    if (!std::isfinite(s.y[i]) || !std::isfinite(s.x[i])) {
      broken = true;
      continue;
    }
    if (s.steps && !broken) path += "H" + fixed(x.at(s.x[i]), 2) + "V" + fixed(y.at(s.y[i]), 2);
    if (!s.steps || broken) path += (broken ? "M" : "L") + point(x.at(s.x[i]), y.at(s.y[i]));
    broken = false;
    if (!s.steps && s.y.size() <= 60)
      svg += "<circle cx=\"" + fixed(x.at(s.x[i]), 2) + "\" cy=\"" + fixed(y.at(s.y[i]), 2) + "\" r=\"2.4\" fill=\"" + colour + "\"/>\n";
  }
  auto const dash = s.dashed || number >= colours.size() ? " stroke-dasharray=\"6 3\"" : "";
  return svg + "<path d=\"" + path + "\" fill=\"none\" stroke=\"" + colour + "\" stroke-width=\"1.6\"" + dash + "/>\n";
}

double value(std::string const& cell) {
  double x = 0;
  auto const [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), x);
  return cell.empty() || error != std::errc() || end != cell.data() + cell.size() ? std::numeric_limits<double>::quiet_NaN() : x;
}

std::string file_name(std::string text) {
  for (auto& c : text)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_')) c = '_';
  return text;
}

PageTable const* find(ReportPage const& page, std::string_view name) {
  auto const found = std::ranges::find(page.tables, name, &PageTable::name);
  return found == page.tables.end() ? nullptr : &*found;
}

std::size_t column(PageTable const& table, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(table.columns, name) - table.columns.begin());
}

/// What tells the plots of a table apart: a mix or policy, and the sweep point.
std::string label(ReportPage const& page, PageTable const& table, std::vector<std::string> const& row, std::string_view by) {
  auto text = column(table, by) < row.size() ? row[column(table, by)] : std::string();
  for (auto const& axis : page.sweep)
    if (column(table, axis) < row.size()) text += (text.empty() ? "" : ", ") + axis + " = " + row[column(table, axis)];
  return text;
}

Figure& figure_called(std::vector<Figure>& all, Figure wanted) {
  for (auto& figure : all)
    if (figure.file == wanted.file && figure.title == wanted.title) return figure;
  auto const same = std::ranges::count(all, wanted.file, &Figure::file);
  if (same > 0) wanted.file += "-" + std::to_string(same + 1);
  return all.emplace_back(std::move(wanted));
}

FigureSeries& series_called(Figure& figure, std::string const& name) {
  auto const found = std::ranges::find(figure.series, name, &FigureSeries::name);
  return found != figure.series.end() ? *found : figure.series.emplace_back(FigureSeries{name, {}, {}, {}, {}});
}

}  // namespace

std::string figure_svg(Figure const& figure) {
  Axis x, y;
  x.from = left, x.to = right, y.from = bottom, y.to = top;
  for (auto const& s : figure.series) {
    for (std::size_t i = 0; i < s.y.size(); ++i) {
      if (std::isfinite(s.y[i])) x.see(s.x[i]);
      y.see(s.y[i]);
    }
    for (double v : s.low) y.see(v);
    for (double v : s.high) y.see(v);
  }
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 400\" width=\"760\" height=\"400\" font-family=\"sans-serif\" font-size=\"12\">\n<title>" +
      xml(figure.title) + "</title>\n<rect width=\"760\" height=\"400\" fill=\"#ffffff\"/>\n";
  svg += text(left, 20, figure.title, " font-size=\"14\"");
  if (x.empty()) return svg + text(left, 200, "no data", "") + "</svg>\n";
  x.settle(false);
  y.settle(true);
  for (double tick : y.ticks())
    svg += line(left, y.at(tick), right, y.at(tick), "#dfe4ea") + text(left - 8, y.at(tick) + 4, y.label(tick), " text-anchor=\"end\"");
  for (double tick : x.ticks())
    svg += line(x.at(tick), bottom, x.at(tick), bottom + 5, "#5a6672") + text(x.at(tick), bottom + 19, x.label(tick), " text-anchor=\"middle\"");
  svg += line(left, bottom, right, bottom, "#5a6672");
  svg += text((left + right) / 2, 390, figure.x_label, " text-anchor=\"middle\"");
  svg += text(16, (top + bottom) / 2, figure.y_label, " text-anchor=\"middle\" transform=\"rotate(-90 16 " + fixed((top + bottom) / 2, 0) + ")\"");
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    svg += drawn(figure.series[i], i, x, y);
    auto const at = top + 8 + 19 * static_cast<double>(i);
    if (at > height - 10) continue;
    auto const dash = figure.series[i].dashed || i >= colours.size() ? " stroke-dasharray=\"6 3\"" : "";
    svg += "<line x1=\"594\" y1=\"" + fixed(at, 1) + "\" x2=\"614\" y2=\"" + fixed(at, 1) + "\" stroke=\"" + colours[i % colours.size()] +
           "\" stroke-width=\"2.5\"" + dash + "/>\n";
    svg += text(620, at + 4, figure.series[i].name.size() > 20 ? figure.series[i].name.substr(0, 18) + ".." : figure.series[i].name, "");
  }
  static_assert(width == 760 && height == 400, "as in the element above");
  return svg + "</svg>\n";
}

std::vector<Figure> figures_of(ReportPage const& page) {
  std::vector<Figure> all;
  if (auto const* const summary = page.kind == "snapshot" ? find(page, "summary") : nullptr) {
    auto const cut = column(*summary, "cut");
    bool const cuts = std::ranges::any_of(summary->rows, [&](auto const& row) { return !row[cut].empty(); });
    auto const x = cuts ? cut : column(*summary, "target_w");
    auto const policy = column(*summary, "policy");
    for (auto const& [metric, meaning] : {std::pair{std::string("speed_gpu"), std::string("GPU-weighted speed left")},
                                          {"speed_gpu_vs_reference", "GPU-weighted speed less that of " + page.reference},
                                          {"objective_value_vs_reference", "objective less that of " + page.reference}}) {
      auto const y = column(*summary, metric), low = column(*summary, metric + "_low"), high = column(*summary, metric + "_high");
      if (y >= summary->columns.size()) continue;
      for (auto const& row : summary->rows) {
        auto const what = label(page, *summary, row, "mix");
        auto& figure =
            figure_called(all, {file_name(metric + "-" + what), meaning + ": " + what, cuts ? "cut of the uncapped draw" : "limit [W]", meaning, {}});
        auto& s = series_called(figure, row[policy]);
        s.x.push_back(value(row[x]));
        s.y.push_back(value(row[y]));
        if (low >= row.size() || high >= row.size()) continue;
        s.low.push_back(value(row[low]));
        s.high.push_back(value(row[high]));
      }
    }
  }
  if (auto const* const power = page.kind == "timeline" ? find(page, "power") : nullptr) {
    auto const time = column(*power, "time_s"), gpu = column(*power, "gpu_w"), limit = column(*power, "limit_w");
    for (auto const& row : power->rows) {
      auto const what = label(page, *power, row, "policy");
      auto& figure = figure_called(all, {file_name("power-" + what), "Power over time: " + what, "hours", "kW", {}});
      for (auto const& [name, at] : {std::pair{"draw of all GPUs", gpu}, {"limit", limit}}) {
        if (at >= row.size()) continue;
        auto& s = series_called(figure, name);
        s.steps = true;
        s.dashed = at == limit;
        s.x.push_back(value(row[time]) / 3600);
        s.y.push_back(value(row[at]) / 1000);
      }
    }
  }
  return all;
}

}  // namespace wattfill
