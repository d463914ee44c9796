#include "wattfill/report/settlement_files.hpp"

#include <initializer_list>

#include "report/text_table.hpp"
#include "wattfill/core/text.hpp"

namespace wattfill {
namespace {

void add_numbers(std::string& row, std::initializer_list<double> numbers) {
  for (double x : numbers) row += "," + number_text(x);
}

std::string right(std::string const& text, std::size_t width) { return std::string(text.size() < width ? width - text.size() : 0, ' ') + text; }

/// Why an interval counts for nothing, or that it does.
std::string status(ContractSpec const& contract, Settlement const& s, SettledInterval const& i) {
  if (!s.events[i.event].problem.empty()) return "no baseline";
  if (i.coverage < contract.least_coverage || !(i.coverage > 0)) return "not metered";
  return i.shortfall_w > 0 ? "short" : "delivered";
}

}  // namespace

std::string settlement_header(std::string const& before) {
  return before + "event,start,end,status,coverage,baseline_w,metered_w,required_w,delivered_w,shortfall_w,payment_usd,penalty_usd\n";
}

std::string settlement_rows(ContractSpec const& contract, Settlement const& s, std::string const& before) {
  std::string text;
  for (auto const& i : s.intervals) {
    text +=
        before + std::to_string(i.event) + "," + instant_text(i.from, contract.zone) + "," + instant_text(i.to, contract.zone) + "," + status(contract, s, i);
    add_numbers(text, {i.coverage, i.baseline_w, i.metered_w, i.required_w, i.delivered_w, i.shortfall_w, i.payment_usd, i.penalty_usd});
    text += "\n";
  }
  return text;
}

std::string settled_events_header(std::string const& before) {
  return before +
         "event,start,end,committed_w,same_day_factor,baseline_days,required_wh,delivered_wh,shortfall_wh,least_delivered_w,payment_usd,penalty_usd,placebos,"
         "placebo_rrmse,problem\n";
}

std::string settled_events_rows(ContractSpec const& contract, Settlement const& s, std::string const& before) {
  std::string text;
  for (std::size_t e = 0; e < s.events.size(); ++e) {
    auto const& event = s.events[e];
    text +=
        before + std::to_string(e) + "," + instant_text(contract.events[e].start, contract.zone) + "," + instant_text(contract.events[e].end, contract.zone);
    add_numbers(text, {event.committed_w, event.factor});
    text += "," + std::to_string(event.days);
    add_numbers(text, {event.required_wh, event.delivered_wh, event.shortfall_wh, event.least_delivered_w, event.payment_usd, event.penalty_usd});
    text += "," + std::to_string(event.placebos) + "," + (event.rrmse ? number_text(*event.rrmse) : "") + "," + csv_cell(event.problem) + "\n";
  }
  return text;
}

std::string settlement_table(ContractSpec const& contract, Settlement const& s) {
  std::string text = "  start                        owed MWh  delivered MWh  short MWh   least MW  baseline's own error\n";
  for (std::size_t e = 0; e < s.events.size(); ++e) {
    auto const& event = s.events[e];
    text += "  " + instant_text(contract.events[e].start, contract.zone) + "  " + right(fixed(event.required_wh / 1e6, 4), 9) +
            right(fixed(event.delivered_wh / 1e6, 4), 15) + right(fixed(event.shortfall_wh / 1e6, 4), 11) + right(fixed(event.least_delivered_w / 1e6, 4), 11) +
            (event.rrmse ? "  " + fixed(100 * *event.rrmse, 2) + " % over " + std::to_string(event.placebos) + " placebo events" : "  -") +
            (event.problem.empty() ? "" : "\n  ! no baseline: " + event.problem) + "\n";
  }
  return text + "  delivered " + fixed(100 * s.performance, 2) + " % of what was owed; availability " + fixed(s.availability_usd, 2) + ", performance " +
         fixed(s.payment_usd, 2) + ", penalties " + fixed(s.penalty_usd, 2) + ", total " + fixed(s.total_usd(), 2) + " USD\n";
}

}  // namespace wattfill
