// The keys of a timeline's contract and capacity study.
#include "scenario/shared_tables.hpp"
#include "wattfill/scenario/timeline_spec.hpp"

namespace wattfill {

Format<TimelineContractFields> timeline_contract_table() {
  using C = TimelineContractFields;
  auto const full = table<C>(
      "Timeline contract", "a demand-response contract that is settled on what the meter shows; needs facility and start",
      {field("file", &C::file, placed(text()), "a contract file, as of `wattfill contract`, relative to this one; its `meter` is not read", "contract.yaml")
           .required(),
       field("follow", &C::follow, truth(),
             "during events the meter is limited to the baseline less what is owed; the baseline is that of a run without the events, interval by interval",
             "true"),
       field("lead_s", &C::lead_s, number(between(0, 1e6), "s"), "with follow: the limit begins so long before the event, as fans and cooling lag behind",
             "900"),
       field("reading_s", &C::reading_s, number(Range{1, 86400, false}, "s"), "the meter shows means of intervals of this length", "300")});
  return with_short_form<C, Placed<std::string>>(
      placed(text()), full,
      [](Placed<std::string> const& file, Place const& place, C& into) {
        into.file = file;
        into.place = place;
      },
      [](C const& c) { return !c.follow && c.lead_s == 0 && c.reading_s == C().reading_s ? std::optional(c.file) : std::nullopt; });
}

Format<FirmFields> timeline_capacity_table() {
  using F = FirmFields;
  auto const shares = list_of(number(Range{0, 1 - 1e-6, true}), 1, 100);
  auto const rule = choice<BaselineRule>({{"caiso-10-of-10", BaselineRule::caiso_10_of_10, ""},
                                          {"pjm-3-plus-2", BaselineRule::pjm_3_plus_2, ""},
                                          {"firm-level", BaselineRule::firm_level, ""},
                                          {"measured-before", BaselineRule::measured_before, ""}});
  return table<F>(
      "Timeline capacity",
      "what reduction can be promised for so many hours, from order statistics over the replications; written to capacity.csv. Needs facility, and "
      "no limit",
      {field("speed_loss", &F::speed_loss, shares, "shares of the objective that may be lost", "[0.05, 0.1]"),
       field("confidence", &F::confidence, shares, "shares of the replications that can deliver", "[0.9, 0.99]"),
       field("duration_h", &F::duration_h, list_of(number(Range{0, 1000, true}, "h"), 1, 100), "lengths of events", "[1, 3, 6]"),
       field("hours", &F::hours, list_of(number(between(0, 24), "h"), 1, 1000), "hours after day x 24 h when events begin", "[2, 8, 14, 17, 20]"),
       field("day", &F::day, integer(0, 100'000), "whole days of the run before the one that is looked at: warm-up, and what baselines look back on", "14"),
       field("baselines", &F::baselines, list_of(rule, 0, 4), "rules of the contract by which the reduction is settled, too; needs contract",
             "[caiso-10-of-10, pjm-3-plus-2]")});
}

}  // namespace wattfill
