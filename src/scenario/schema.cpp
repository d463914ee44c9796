#include "wattfill/scenario/schema.hpp"

#include "wattfill/scenario/contract_file.hpp"
#include "wattfill/scenario/spec.hpp"
#include "wattfill/scenario/text_file.hpp"
#include "wattfill/sim/scores.hpp"

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
  return page + R"(
`summary.csv`: a row per mix, policy, target and sweep point. `count` replications; for each column above its mean with a 95 % interval (`_low`, `_high`: 1.96 standard errors over mixes);
`_vs_reference` and `_vs_oracle`: the mean difference to the reference policy and to the oracle on the same mixes, with the interval of that difference. `gap_closed`: (policy - reference) /
(oracle - reference) of the mean objective, with a paired bootstrap over blocks of mixes; empty where the oracle gains nothing. It says little where the oracle gains little: look at
`objective_value_vs_oracle` of the reference beside it. `gap_closed_outer` and `objective_value_outer`: mean and 95 % range over the `outer_draws` draws of other curves and library members.

`allocation.csv` (for mixes written by hand, and with `--replication`): what each class of equal jobs gets. `jobs` of them, `draw_w` and `cap_w` of one GPU (the cap that gives the draw),
`speed_normalized` = v, `agreed_speed` = the agreed minimum. The oracle may split a class over up to three rows.

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
)";
}

}  // namespace

std::vector<std::string> schema_names() { return {"scenario", "curves", "contract"}; }

std::string schema_text(std::string_view name) {
  if (name == "scenario") return to_json(with_head("wattfill snapshot scenario", "scenario:1", snapshot_format().schema));
  if (name == "curves") return to_json(with_head("wattfill curve library", "curves:1", library_format().schema));
  if (name == "contract") return to_json(with_head("wattfill contract", "contract:1", contract_format().schema));
  throw InputError("there is no schema \"" + std::string(name) + "\"" + suggestion(name, schema_names()));
}

std::string keys_page() {
  std::string page = R"(# Scenarios and their keys

Generated from the tables of keys in `src/scenario/`: do not edit; `WATTFILL_UPDATE=1 ctest --preset dev -R scenarios/README` writes it anew.

| scenario | question |
|---|---|
| `smoke.yaml` | does everything run? (under a second) |
| `paper.yaml` | what do the strategies of arXiv:2609.11542 win, and what of that is PFI? |
| `in_service.yaml` | what changes when a mix is what runs, not what arrives? |
| `what_pfi_is_worth.yaml` | what does each rule gain from PFI, under each objective and mix? |
| `which_belief.yaml` | is one number a job, two, or the whole curve worth its measurement, and with what error? |
| `misjudged.yaml` | what do wrong PFIs break and cost, and does caution help? |
| `held_out.yaml` | how wrong are beliefs that come from other jobs? |
| `other_gpu.yaml` | what does it cost to take another GPU type's curves? |
| `facility_h200.yaml` | what is a GPU watt worth at the meter, and does the limit's place change who wins? |
| `rack_limits.yaml` | what do limits of single racks cost, and who still wins? |
| `firm_megawatts.yaml` | what reduction at the meter can be promised, and with what confidence? |
| `contracts/aps_2025-05-01.yaml` | (for `wattfill contract`) what did a measured event deliver? |
| `emerald.yaml` | how do the rules do on measured A100 jobs with a known mix? |

`wattfill run scenarios/smoke.yaml` runs one, `wattfill validate` only checks it, `--set mixes.random.jobs=50` changes a key, and `sweep` runs every combination of values.
Maps are keyed by name and lists by number from 0, so that `--set policies.2.factor=3` and `sweep: {policies.2.factor: [2, 3]}` reach every key; `--set cuts=null` takes a key away.
Unknown and doubled keys, NaN and infinities are refused. `wattfill schema scenario` prints the JSON Schema for editors.

## Snapshot scenario
)";
  Docs docs;
  snapshot_format().document("", docs);
  write_tables(docs, page);
  page += "\n## Curve library\n";
  docs.clear();
  library_format().document("", docs);
  write_tables(docs, page);
  page += "\n## Contract\n";
  docs.clear();
  contract_format().document("", docs);
  write_tables(docs, page);
  page += results_section();
  return page;
}

}  // namespace wattfill
