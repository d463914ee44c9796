// The keys of a contract file: a new key is a member of its struct and one line here.
#include "wattfill/core/text.hpp"
#include "wattfill/scenario/contract_file.hpp"
#include "wattfill/scenario/spec.hpp"

namespace wattfill {
namespace {

Format<Instant> instant() {
  Format<Instant> format = {};
  format.type = "time";
  format.range = "ISO 8601 with offset";
  format.schema = Node::map().add("type", Node::quote("string"));
  format.reads([](Node const& node, std::string const& key, Instant& into, Reading& reading) {
    auto const value = node.kind == Node::Kind::scalar ? read_instant(node.text) : std::nullopt;
    if (!value)
      return reading.refuse(
          node.at, key, described(node) + " is not a time with its offset (without it an hour a year is told twice); write it as 2025-05-01T17:00:00-07:00");
    into = *value;
  });
  format.echoes([](Instant const& value) { return Node::quote(instant_text(value, {})); });
  return format;
}

Format<Day> date() {
  Format<Day> format = {};
  format.type = "date";
  format.schema = Node::map().add("type", Node::quote("string"));
  format.reads([](Node const& node, std::string const& key, Day& into, Reading& reading) {
    auto const value = node.kind == Node::Kind::scalar ? read_date(node.text) : std::nullopt;
    if (!value) return reading.refuse(node.at, key, described(node) + " is not a date; write it as 2025-05-26");
    into = *value;
  });
  format.echoes([](Day const& value) { return Node::quote(date_text(value)); });
  return format;
}

Format<Zone> zone() {
  auto const summer = choice<SummerTime>({{"none", SummerTime::none, "clocks never change"},
                                          {"us", SummerTime::us, "second Sunday in March to first Sunday in November"},
                                          {"eu", SummerTime::eu, "last Sunday in March to last Sunday in October"}});
  return table<Zone>("Zone", "local clocks, which say what the same time of another day is",
                     {field("offset_h", &Zone::offset_h, number(between(-14, 14), "h"), "standard time less UTC", "-7"),
                      field("summer", &Zone::summer, summer, "when summer time holds", "us")});
}

Format<BaselineSpec> baseline() {
  using B = BaselineSpec;
  auto const rule = choice<BaselineRule>({{"caiso-10-of-10", BaselineRule::caiso_10_of_10, "mean of the last similar days, times a same-day factor"},
                                          {"pjm-3-plus-2", BaselineRule::pjm_3_plus_2, "mean of three hours before and two after, skipping one on either side"},
                                          {"firm-level", BaselineRule::firm_level, "a fixed peak load"},
                                          {"measured-before", BaselineRule::measured_before, "mean of a stretch just before"}});
  auto const span = number(between(0, 1e7), "s");
  return table<B>("Baseline", "what the load would have been",
                  {field("rule", &B::rule, rule, "the rule", "pjm-3-plus-2").required(),
                   field("weekdays", &B::weekdays, integer(1, 1000), "caiso-10-of-10: similar days looked for, on weekdays", "10"),
                   field("weekend_days", &B::weekend_days, integer(1, 1000), "caiso-10-of-10: the same for weekends and holidays", "4"),
                   field("least_weekdays", &B::least_weekdays, integer(1, 1000), "caiso-10-of-10: with fewer there is no baseline", "5"),
                   field("least_weekend_days", &B::least_weekend_days, integer(1, 1000), "caiso-10-of-10: the same for weekends and holidays", "4"),
                   field("look_back_days", &B::look_back_days, integer(1, 10'000), "caiso-10-of-10: how far back days are looked for", "45"),
                   field("factor_low", &B::factor_low, number(between(0, 1)), "caiso-10-of-10: least same-day factor", "0.8"),
                   field("factor_high", &B::factor_high, number(between(1, 100)), "caiso-10-of-10: largest same-day factor", "1.2"),
                   field("before_from_s", &B::before_from_s, span, "the hours before begin so long before the start", "14400"),
                   field("before_to_s", &B::before_to_s, span, "and end so long before it", "3600"),
                   field("after_from_s", &B::after_from_s, span, "pjm-3-plus-2: the hours after begin so long after the end", "3600"),
                   field("after_to_s", &B::after_to_s, span, "pjm-3-plus-2: and end so long after it", "10800"),
                   field("peak_load_w", &B::peak_load_w, number(between(0, 1e15), "W"),
                         "firm-level: the load that reductions count from; the firm level is this less committed_w", "5e6"),
                   field("window_s", &B::window_s, number({0, 1e7, true}, "s"), "measured-before: length of the stretch", "3600"),
                   field("gap_s", &B::gap_s, span, "measured-before: what lies between its end and the start", "0")});
}

Format<ContractFields> contract() {
  using C = ContractFields;
  using E = EventFields;
  using M = MeterFields;
  auto const of_spec = [](auto ContractSpec::*m) { return static_cast<std::remove_reference_t<decltype(std::declval<ContractSpec>().*m)> C::*>(m); };
  auto const of_event = [](auto ContractEvent::*m) { return static_cast<std::remove_reference_t<decltype(std::declval<ContractEvent>().*m)> E::*>(m); };
  auto const watts = number(between(0, 1e15), "W");
  auto const seconds = number(between(0, 1e7), "s");
  auto const price = number(between(0, 1e9), "USD");
  auto interval = choice<double>({{"300", 300, "five minutes"}, {"900", 900, "a quarter of an hour"}});
  interval.schema = Node::map().add("enum", Node::list().add(Node::plain("300")).add(Node::plain("900")));  // numbers, though they are a choice
  interval.echoes([](double value) { return Node::plain(number_text(value)); });
  auto const event =
      table<E>("Event", "a call for reduction",
               {field("start", of_event(&ContractEvent::start), instant(), "when it starts", "2025-05-01T17:00:00-07:00").required(),
                field("end", of_event(&ContractEvent::end), instant(), "when it ends", "2025-05-01T20:00:00-07:00").required(),
                field("notified", of_event(&ContractEvent::notified), instant(), "when it was announced", "2025-05-01T16:00:00-07:00").otherwise("in time"),
                field("committed_w", of_event(&ContractEvent::committed_w), watts, "reduction called", "5e5").otherwise("the contract's")});
  auto const meter =
      table<M>("Meter", "how the CSV file of the meter is read; its times are in time_column or, as seconds, in `time_s`",
               {field("time_column", &M::time_column, text(), "column of the times, ISO 8601 with offset", "timestamp"),
                field("power_column", &M::power_column, text(), "column of the power in watts", "total_w"),
                field("start", &M::start, instant(), "what time_s counts from", "2025-05-01T00:00:00-07:00"),
                field("reading_s", &M::reading_s, number({0, 1e7, true}, "s"), "time that a reading stands for; what lies between is a gap", "60")
                    .otherwise("until the next reading"),
                field("where", &M::where, map_of(text()), "rows that count: by column, what stands in it", "{policy: oracle}")});
  return table<C>(
      "Contract", "a demand-response contract, settled by wattfill contract METER.csv CONTRACT.yaml",
      {field("wattfill", &C::wattfill, integer(1, format_version), "version of this format", "1").required(),
       field("name", &C::name, identifier(), "name; results go to out/NAME", "caiso").required(),
       field("kind", &C::kind, choice<std::string>({{"contract", "contract", ""}}), "kind of document", "contract").required(),
       field("zone", of_spec(&ContractSpec::zone), zone(), "local clocks", "{offset_h: -8, summer: us}"),
       field("holidays", of_spec(&ContractSpec::holidays), list_of(date(), 0, 10'000), "days that count as weekend", "[2025-05-26]"),
       field("baseline", of_spec(&ContractSpec::baseline), baseline(), "what the load would have been", "{rule: caiso-10-of-10}").required(),
       field("committed_w", of_spec(&ContractSpec::committed_w), watts, "reduction that is promised", "1e6").required(),
       field("interval_s", of_spec(&ContractSpec::interval_s), interval, "settlement interval, aligned to the clock", "900"),
       field("notice_s", of_spec(&ContractSpec::notice_s), seconds, "the obligation starts this long after the announcement at the earliest", "1800"),
       field("ramp_s", of_spec(&ContractSpec::ramp_s), seconds, "the obligation rises linearly over this time", "600"),
       field("least_coverage", of_spec(&ContractSpec::least_coverage), number(between(0, 1)), "an interval of which less was metered counts as not delivered",
             "0.5"),
       field("availability_usd_per_mw_h", of_spec(&ContractSpec::availability_usd_per_mw_h), price,
             "paid per promised MW and hour, times the share of the obligation that was delivered", "8"),
       field("available_h", of_spec(&ContractSpec::available_h), number(between(0, 1e7), "h"), "hours that the promise held", "744"),
       field("performance_usd_per_mwh", of_spec(&ContractSpec::performance_usd_per_mwh), price, "paid per MWh delivered", "400"),
       field("paid_excess", of_spec(&ContractSpec::paid_excess), number(between(0, 100)), "share of the obligation that is paid beyond it", "0.2"),
       field("penalty_usd_per_mwh", of_spec(&ContractSpec::penalty_usd_per_mwh), price, "fined per MWh short", "1000"),
       field("tolerance", of_spec(&ContractSpec::tolerance), number(between(0, 1)), "share of the obligation that may be short without a fine", "0.1"),
       field("events", &C::listed, list_of(event, 0, 100'000), "the calls, ascending and not overlapping",
             "[{start: 2025-05-01T17:00:00-07:00, end: 2025-05-01T20:00:00-07:00}]"),
       field("meter", &C::meter, meter, "how the meter's file is read", "{power_column: total_w, reading_s: 60}")});
}

}  // namespace

Format<ContractFields> const& contract_format() {
  static auto const format = contract();
  return format;
}

}  // namespace wattfill
