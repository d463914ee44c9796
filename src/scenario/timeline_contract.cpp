// What a timeline's contract and capacity study mean.
#include <algorithm>

#include "wattfill/core/text.hpp"
#include "wattfill/scenario/contract_file.hpp"
#include "wattfill/scenario/timeline_builder.hpp"

namespace wattfill {
namespace {

void build_firm(TimelineFields const& fields, TimelineStudySpec& study, Reading& reading) {
  auto const& firm = *fields.capacity;
  auto const at = [&](std::string const& key) { return Place{firm.place.at, joined_key(firm.place.key, key)}; };
  if (!fields.facility) {
    reading.refuse(firm.place,
                   "a capacity study needs a facility (it promises watts at the meter); add facility: {node: h200}, or {node: bare} for the GPUs alone");
    return;
  }
  if (!fields.limit.empty())
    reading.refuse(firm.place, "a capacity study looks at runs without a limit (it asks what could be given, and a limit takes it already); remove limit");
  if (study.contract && study.contract->follow)
    reading.refuse(firm.place, "a capacity study looks at runs without events, and the contract is followed (follow: true); remove one of them");
  if (!firm.baselines.empty() && !study.contract && !fields.contract)
    reading.refuse(at("baselines"), "nothing says what the baselines count with (zone, holidays, hours before and after); add contract");
  if (study.contract && std::ranges::find(firm.baselines, BaselineRule::firm_level) != firm.baselines.end() &&
      !(study.contract->terms.baseline.peak_load_w > 0))
    reading.refuse(at("baselines"), "firm-level measures reductions from baseline.peak_load_w of the contract, which is not given; add it there");
  FirmSpec spec;
  spec.speed_losses = firm.speed_loss;
  spec.confidences = firm.confidence;
  spec.durations_h = firm.duration_h;
  spec.hours = firm.hours;
  spec.day_s = 86400.0 * static_cast<double>(firm.day);
  spec.baselines = firm.baselines;
  if (study.contract) spec.interval_s = study.contract->terms.interval_s;
  if (!(fields.duration_s && *fields.duration_s >= spec.to_s()))
    reading.refuse(firm.place,
                   "the last event ends at " + number_text(spec.to_s()) + " s, and the run is not said to last so long; set duration_s to that or more");
  for (auto const& policy : fields.policies)
    if (policy.name == "replay")
      reading.refuse(policy.place, "replay divides no watts, so that nothing says what it could give; leave it out of a capacity study");
  study.run.probe = ProbeSpec{spec.speed_losses, spec.from_s(), spec.to_s()};
  study.firm = std::move(spec);
}

}  // namespace

void build_contract(TimelineFields const& fields, StartTime start, InputFiles& files, TimelineStudySpec& study, Reading& reading) {
  if (start) study.start = *start;
  if (fields.contract) {
    auto const& contract = *fields.contract;
    auto const at = [&](std::string const& key) { return Place{contract.place.at, joined_key(contract.place.key, key)}; };
    if (!fields.facility)
      reading.refuse(contract.place,
                     "a contract is settled at the meter, and there is no facility; add facility: {node: h200}, or {node: bare} for the GPUs alone");
    if (!start)
      reading.refuse(contract.place,
                     "the contract has times of the calendar, and the scenario does not say what time 0 is; add start: 2026-06-01T00:00:00-07:00, say");
    if (contract.lead_s > 0 && !contract.follow)
      reading.refuse(at("lead_s"), "lead_s is for contracts that are followed (a limit of your own begins when it says); add follow: true, or remove it");
    if (contract.follow)
      for (auto const& limit : fields.limit)
        if (limit.at == LimitAt::meter) reading.refuse(at("follow"), "the contract says what the meter is limited to, and limit does, too; remove one of them");
    try {
      auto terms = read_contract(files.take(contract.file));
      auto name = terms.name;
      study.contract = TimelineContract{std::move(terms), std::move(name), contract.follow, contract.lead_s};
    } catch (InputError const& error) {
      reading.problems.insert(reading.problems.end(), error.problems().begin(), error.problems().end());
    }
    if (study.run.metering) study.run.metering->reading_s = contract.reading_s;
  }
  if (fields.capacity) build_firm(fields, study, reading);
}

}  // namespace wattfill
