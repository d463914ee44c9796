#include "wattfill/scenario/schema.hpp"

#include "wattfill/core/quotation.hpp"
#include "wattfill/scenario/baseline_file.hpp"
#include "wattfill/scenario/campaign_file.hpp"
#include "wattfill/scenario/contract_file.hpp"
#include "wattfill/scenario/pipeline_spec.hpp"
#include "wattfill/scenario/spec.hpp"
#include "wattfill/scenario/text_file.hpp"
#include "wattfill/scenario/timeline_spec.hpp"
#include "wattfill/sim/scores.hpp"
#include "wattfill/sim/timeline_metrics.hpp"

namespace wattfill {
namespace {

Node with_head(std::string title, std::string id, Node const& schema) {
  auto node = Node::map();
  node.add("$schema", Node::quote("https://json-schema.org/draft/2020-12/schema")).add("$id", Node::quote("urn:wattfill:" + std::move(id)));
  node.add("title", Node::quote(std::move(title)));
  for (auto const& member : schema.members) node.add(member.key, member.value);
  return node;
}

/// Text for a cell of a Markdown table.
std::string cell(std::string const& text) {
  std::string out;
  for (auto const c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string code(std::string const& text) { return text.empty() ? "" : "`" + text + "`"; }

void write_tables(Docs const& docs, std::string& page) {
  for (auto const& table : docs) {
    page += "\n### " + table.title + "\n\n";
    std::string paths;
    for (auto const& path : table.paths)
      if (!path.empty()) paths += (paths.empty() ? "" : ", ") + code(path);
    page += (paths.empty() ? "" : "At " + paths + ": ") + table.meaning + ".\n\n";
    page += "| key | meaning | value | unit | range | default | example |\n|---|---|---|---|---|---|---|\n";
    for (auto const& row : table.rows)
      page += "| " + code(row.key) + " | " + cell(row.meaning) + " | " + cell(row.type) + " | " + row.unit + " | " + cell(row.range) + " | " +
              cell(row.fallback) + " | " + cell(code(row.example)) + " |\n";
  }
}

/// What the columns of the result files mean.
std::string results_section() {
  std::string page = R"(
## Result files

`replications.csv`: a row per mix, replication, policy and target. `cut` is the cut (empty where targets are `limits_w`); sweep columns follow it, named by their key path.
An empty cell is a number that does not exist (speeds of different units, for example). T is a job's speed, v its share of full speed.

| column | meaning |
|---|---|
)";
  for (auto const& info : score_table()) page += "| `" + std::string(info.column) + "` | " + std::string(info.meaning) + " |\n";
  page += R"(
`summary.csv`: a row per mix, policy, target and sweep point. `count` replications; for each column above its mean with a 95 % interval (`_low`, `_high`: 1.96 standard errors over mixes);
`_vs_reference` and `_vs_oracle`: the mean difference to the reference policy and to the oracle on the same mixes, with the interval of that difference. `gap_closed`: (policy - reference) /
(oracle - reference) of the mean objective, with a paired bootstrap over blocks of mixes; empty where the oracle gains nothing. It says little where the oracle gains little: look at
`objective_value_vs_oracle` of the reference beside it. `gap_closed_outer`,
`objective_value_outer`, `share_below_min_outer` and `shortfall_w_outer`: mean and 95 % range over the `outer_draws` draws of other curves and library members.
`gap_closed_outer_share`: how much of the doubt about gap_closed is due to curves and not to the mixes that were drawn (squared widths of the two 95 % ranges, the outer over the sum);
`objective_value_outer_share`: how much of the spread of one mix's objective is due to curves and not to which jobs are in it.

`quantiles.csv` (with `--quantiles`): a row per mix, policy, target, sweep point and `quantile` (the smallest value that at least this share of the replications does not exceed) of every
column above; `relative_error`: the largest error of the row's numbers, 0 up to 4096 different values of a column. `results.nc` (with `--format netcdf`): the rows and means as NetCDF-4.

`allocation.csv` (for mixes written by hand, and with `--replication`): what each class of equal jobs gets. `jobs` of them, `draw_w` and `cap_w` of one GPU (the cap that gives the draw),
`speed_normalized` = v, `agreed_speed` = the agreed minimum. The oracle may split a class over up to three rows.

`stages.csv` (where such a job is one of `training:` on its frontier): `stage_w`, the mean draw of one GPU of each pipeline stage at the job's `draw_w`; waiting included.

`facility.csv` (with a `facility`, for the same replications as `allocation.csv`): the watts of every component between the GPUs and the meter, `it_w`, `meter_w`, `pue` = meter / IT, and
`meter_per_gpu_w`: what one GPU watt more costs at the meter if all nodes rise together.

`capacity.csv` (with `capacity`): a row per mix, policy, `speed_loss` and `confidence`. `promised_w`: the (1 - confidence) quantile over mixes of the watts (at the meter with a
`facility`, else at the GPUs) that a mix can give before its objective falls below 1 - `speed_loss` of full speed, with a 95 % interval from order statistics; empty where there are fewer than
`mixes_needed` mixes. `promised_share`: of `mean_uncapped_w`. `share_censored`: mixes that would give more than the deepest cut.

`settlement.csv` (of `wattfill contract`): a row per event and settlement interval. `status`: `delivered`, `short`, `not metered` or `no baseline` (the last two count as
nothing delivered); `coverage`: share of the interval that was metered; `required_w`: obligation after notice and ramp; `delivered_w` = `baseline_w` - `metered_w`. `settled_events.csv`: a row per
event; `least_delivered_w`: of the intervals with the full obligation; `placebo_rrmse`: root mean square error of the baseline over `placebos` events that were none, relative to their load;
`problem`: why there is no baseline.

`manifest.json`: version, command, the scenario as resolved, libraries with provenance and assumptions, SHA-256 of every input and output, threads, time.

## Result files of a timeline

`replications.csv`: a row per policy, replication and sweep point:

| column | meaning |
|---|---|
)";
  for (auto const& info : metric_table()) page += "| `" + std::string(info.column) + "` | " + std::string(info.meaning) + " |\n";
  return page + R"(
`summary.csv`: a row per policy and sweep point: `count` replications, each of these columns' mean with its 95 % interval over replications (`_low`, `_high`), and the mean difference to the
reference policy with its interval, on the same jobs (`_vs_reference`).

With a single replication (no arrivals, or `--replication I`) also, for every policy:
`power.csv`: `time_s`, `limit_w` (empty: none; of the GPUs, or where it stands alone), `gpu_w` of all GPUs with idle ones, `it_w` and `meter_w` in steady watts, which limits hold, and
`meter_shown_w`, what the meter shows at that time while fans and cooling lag behind (empty: no facility in the scenario), `limit_it_w`, `limit_meter_w`; a row where something changes, valid
until the next (`meter_shown_w` moves on to `meter_w`), and at multiples of `sample_s`. `facility.csv` (with a facility): the energy of every component. `jobs.csv`: `job`, `submit_s`, `start_s`, `finish_s`, `energy_j`, `gpus` at the end, `work_s`, `left_s` work that is left at the end, `slowdown` run time / work,
`deadline_s`. `events.csv`: `time_s`, `event`, `job`, `value`, in the order in which they were applied.

With a `contract` that has events, for every policy and replication: `settlement.csv` and `settled_events.csv`, as above.

`capacity.csv` (with `capacity`): a row per policy, place where the reduction is `measured` (`gpu`, `meter`, or settled by a baseline), `speed_loss`, `hour`, `duration_h` and `confidence`.
One replication is one independent run, looked at without a limit: at every moment of the event the cluster goes down to where the running jobs are worth 1 - `speed_loss` of full speed, and
the least reduction of the event counts (settled: of its settlement intervals, against the baseline that the run gives; no baseline: 0). `promised_w`: the (1 - confidence) quantile over the
replications, with a 95 % interval from order statistics; empty where there are fewer than `runs_needed`. `mean_given_w`: the mean. `promised_share`: of `mean_uncapped_w`, the meter without
the event.
)";
}

}  // namespace

std::vector<std::string> schema_names() { return {"scenario", "curves", "pipeline", "campaign", "contract", "baseline"}; }

std::string schema_text(std::string_view name) {
  if (name == "scenario") {
    auto const timeline = Node::map().add("properties", Node::map().add("kind", Node::map().add("const", Node::quote("timeline"))));
    auto const choice = Node::map().add("if", timeline).add("then", timeline_format().schema).add("else", snapshot_format().schema);
    return to_json(with_head("wattfill scenario", "scenario:1", choice));
  }
  if (name == "curves") return to_json(with_head("wattfill curve library", "curves:1", library_format().schema));
  if (name == "pipeline") return to_json(with_head("wattfill pipeline scenario", "pipeline:1", pipeline_format().schema));
  if (name == "campaign") return to_json(with_head("wattfill campaign scenario", "campaign:1", campaign_format().schema));
  if (name == "contract") return to_json(with_head("wattfill contract", "contract:1", contract_format().schema));
  if (name == "baseline") return to_json(with_head("wattfill baseline", "baseline:1", baseline_format().schema));
  if (name == "snapshot" || name == "timeline") throw InputError("there is no schema " + quotation(name) + "; \"scenario\" holds snapshots and timelines");
  throw InputError("there is no schema " + quotation(name) + suggestion(name, schema_names()));
}

std::string keys_page() {
  std::string page = R"(# Scenarios and their keys

Generated from the tables of keys in `src/scenario/`: do not edit; `WATTFILL_UPDATE=1 ctest --preset dev -R scenarios/README` writes it anew.

| scenario | question |
|---|---|
| `smoke.yaml` | does everything run? (under a second) |
| `paper.yaml` | what do the strategies of arXiv:2609.11542 win, and what of that is PFI? |
| `paper_nested.yaml` | of the doubt about each of its figures, how much is due to the mixes drawn and how much to the curves? |
| `in_service.yaml` | what changes when a mix is what runs, not what arrives? |
| `what_pfi_is_worth.yaml` | what does each rule gain from PFI, under each objective and mix? |
| `which_belief.yaml` | is one number a job, two, or the whole curve worth its measurement, and with what error? |
| `misjudged.yaml` | what do wrong PFIs break and cost, and does caution help? |
| `held_out.yaml` | how wrong are beliefs that come from other jobs? |
| `other_gpu.yaml` | what does it cost to take another GPU type's curves? |
| `facility_h200.yaml` | what is a GPU watt worth at the meter, and does the limit's place change who wins? |
| `rack_limits.yaml` | what do limits of single racks cost, and who still wins? |
| `silicon.yaml` | GPUs of one job differ: what does it cost under a cut, and what do caps of their own win back? |
| `firm_moment.yaml` | what reduction at the meter can be promised of what runs at one moment, and with what confidence? |
| `contract.yaml` | what does it cost to follow a contract's baseline through an event, and what is left when it is settled? |
| `firm_megawatts.yaml` | what can be promised for 1, 3 and 6 hours: of the GPUs, at the meter, after settlement by a baseline? |
| `contracts/aps_2025-05-01.yaml` | (for `wattfill contract`) what did a measured event deliver? |
| `own_gpu/` | from a power sweep of your own to a policy decision: a page to follow, with an example |
| `ci/` | a result that must not move unnoticed: `wattfill regress` in GitHub and GitLab |
| `emerald.yaml` | how do the rules do on measured A100 jobs with a known mix? |
| `grid_event_3h.yaml` | what does a 25 % cut for three hours cost, and are flex tiers kept? (timeline) |
| `aps_replay.yaml` | does the engine replay the measured event of 2025-05-01 from 22 inferred actions? (timeline) |
| `week_of_arrivals.yaml` | what do rules win over a week of arriving jobs? (timeline) |
| `perseus_cluster.yaml` | are jobs with optimised iterations more or less flexible, and what does a cluster gain from a share of them? |
| `efficiency_vs_flexibility.yaml` | what speed does such a cluster keep at the same watts? |
| `campaign.yaml` | what does a gigawatt training run take in days, MWh, dollars and tonnes, and what does saving power at no loss of speed change? |
| `pipeline_gpt3_a100.yaml` | what does one iteration of GPT-3 175B waste, and at which clocks does it not? (`wattfill pipeline`) |
| `pipeline_kareus.yaml` | what do clock, launch time and SMs of communication save together, on an analytic device? (`wattfill pipeline`) |

`wattfill run scenarios/smoke.yaml` runs one, `wattfill validate` only checks it, `--set mixes.random.jobs=50` changes a key, `sweep` runs every combination of values, and
`samples` spreads points over ranges (Sobol's sequence or a Latin hypercube; the column `sample` numbers them, the values stand beside it). `stop` draws only as many mixes as an interval needs: the same number
wherever they are made (a shard makes all of its part, and the merge decides).
Maps are keyed by name and lists by number from 0, so that `--set policies.2.factor=3` and `sweep: {policies.2.factor: [2, 3]}` reach every key; `--set cuts=null` takes a key away.
Unknown and doubled keys, NaN and infinities are refused. `schema/` holds the JSON Schemas (`wattfill schema scenario` prints them); editors with yaml-language-server find them by
the first line of each scenario.

**Files that a scenario names** lie below its own folder or below the folders of curves (`--curves`, `$WATTFILL_CURVES`, `curves/` beside the scenario and beside its folder, the installed ones),
after `..` and links are followed: a scenario from a stranger reads nothing else. `--allow-outside` lifts that; a path given with `--set` is the user's own and goes anywhere.

**Limits**, each refused with its number: a YAML file has at most 16 MiB, a million values with all aliases written out, and 64 levels of nesting; a CSV file 512 MiB, 30 million cells and 10,000
columns (it is held in memory whole); a sweep 100,000 combinations; a list of jobs 100,000 entries (snapshot) or a million (timeline); a drawn mix a million jobs and 10^9 replications.

## Snapshot scenario
)";
  Docs docs;
  snapshot_format().document("", docs);
  write_tables(docs, page);
  page += "\n## Timeline scenario\n";
  docs.clear();
  timeline_format().document("", docs);
  write_tables(docs, page);
  page += "\n## Pipeline scenario\n\n`wattfill pipeline JOB.yaml` reads these.\n";
  docs.clear();
  pipeline_format().document("", docs);
  write_tables(docs, page);
  page += "\n## Campaign\n\n`wattfill run` takes these, too: one training run, how long and how dear.\n";
  docs.clear();
  campaign_format().document("", docs);
  write_tables(docs, page);
  page += "\n## Curve library\n";
  docs.clear();
  library_format().document("", docs);
  write_tables(docs, page);
  page += "\n## Contract\n";
  docs.clear();
  contract_format().document("", docs);
  write_tables(docs, page);
  page += "\n## Baseline\n\nWritten by `wattfill regress --update`; `ci/README.md` says which tolerance is for what.\n";
  docs.clear();
  baseline_format().document("", docs);
  write_tables(docs, page);
  page += results_section();
  return page;
}

}  // namespace wattfill
