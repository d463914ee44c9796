#include <algorithm>
#include <cmath>
#include <cstdio>

#include "report/labels.hpp"
#include "report/text_table.hpp"
#include "wattfill/report/study_files.hpp"

namespace wattfill {
namespace {

/// At most seven targets, first and last among them.
std::vector<std::size_t> shown_targets(std::size_t count) {
  constexpr std::size_t most = 7;
  std::vector<std::size_t> shown;
  auto const n = std::min(count, most);
  for (std::size_t i = 0; i < n; ++i) shown.push_back(n == 1 ? 0 : i * (count - 1) / (n - 1));
  return shown;
}

/// What the numbers of a mix do not say by themselves: limits that cannot be met, and an oracle that gains next to nothing.
std::string remarks(StudyResult const& result, MixResult const& mix, std::size_t last) {
  std::string text;
  double shortfall = 0;
  for (std::size_t p = 0; p < result.policies; ++p)
    for (std::size_t t = 0; t < result.targets; ++t) shortfall = std::max(shortfall, mix.scores.mean(result.column(p, t, score::shortfall_w)));
  if (shortfall > 0) text += "  ! the limit is not met: even with every job at its floor up to " + fixed(shortfall, 0) + " W too much are drawn\n";
  if (result.reference && result.oracle) {
    auto const oracle = mix.scores.mean(result.column(*result.oracle, last, score::objective));
    auto const gain = oracle - mix.scores.mean(result.column(*result.reference, last, score::objective));
    text += "  the oracle gains " + fixed(100 * gain / oracle, gain < 0.001 * oracle ? 5 : 2) + " % there" +
            (gain < 0.001 * oracle ? ": next to nothing, so that the gap closed says little" : "") + "\n";
  }
  return text;
}

}  // namespace

std::string summary_table(StudySpec const& study, StudyResult const& result) {
  auto const targets = targets_of(study);
  auto const shown = shown_targets(result.targets);
  std::string text;
  for (auto const& mix : result.mixes) {
    auto const n = mix.scores.count();
    text += mix.name + ": " + std::to_string(n) + (n == 1 ? " replication" : " replications") + ", objective " + std::string(to_string(study.objective)) + "\n";
    auto const digits = std::fabs(mix.scores.mean(result.column(0, 0, score::objective))) >= 100 ? 0 : 4;
    std::vector<std::vector<std::string>> rows{{"policy"}};
    for (auto t : shown)
      rows.front().push_back(targets[t].kind == Target::Kind::cut ? "cut " + number_text(std::round(targets[t].value * 1e6) / 1e6)
                                                                  : number_text(targets[t].value) + " W");
    auto const last = shown.back();
    bool const gaps = !mix.gap_closed.empty(), outer = !mix.gap_closed_outer.empty() && mix.outer_used > 0;
    if (gaps) rows.front().insert(rows.front().end(), {"gap closed", "[mixes 95 %]"});
    if (gaps && outer) rows.front().push_back("[curves 95 %]");
    rows.front().insert(rows.front().end(), {"slowest", "worse off"});
    for (std::size_t p = 0; p < result.policies; ++p) {
      std::vector<std::string> row{study.policies[p].shown()};
      for (auto t : shown)
        row.push_back(fixed(mix.scores.mean(result.column(p, t, score::objective)), digits) +
                      (mix.scores.mean(result.column(p, t, score::shortfall_w)) > 0 ? "!" : ""));
      auto const range = [](Estimate const& e) { return std::isnan(e.low) ? std::string("-") : "[" + fixed(e.low, 3) + ", " + fixed(e.high, 3) + "]"; };
      if (gaps) {
        auto const& gap = mix.gap_closed[p * result.targets + last];
        row.insert(row.end(), {fixed(gap.value, 3), range(gap)});
        if (outer) row.push_back(range(mix.gap_closed_outer[p * result.targets + last]));
      }
      row.push_back(fixed(mix.scores.mean(result.column(p, last, score::speed_min)), 3));
      row.push_back(fixed(100 * mix.scores.mean(result.column(p, last, score::share_worse)), 1) + " %");
      rows.push_back(std::move(row));
    }
    text += aligned(rows) + remarks(result, mix, last) + "\n";
  }
  return text +
         "  gap closed (of the way from the reference to the oracle), slowest (speed / full speed) and worse off (share of jobs slower than under\n  "
         "proportional) are at the last target shown\n";
}

}  // namespace wattfill
