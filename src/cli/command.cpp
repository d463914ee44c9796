#include "cli/command.hpp"

#include <array>

#include "wattfill/core/error.hpp"
#include "wattfill/core/quotation.hpp"

namespace wattfill::cli {
namespace {

void no_options(po::options_description&) {}

constexpr std::array<Command, 16> every_command{{
    {"run", "SCENARIO.yaml", "run a study and write its results", "wattfill run scenarios/paper.yaml --out out/paper --threads 2", run_options, run},
    {"merge", "DIR...", "join the shards of a study into its results", "wattfill merge out/paper-shard-1-of-2 out/paper-shard-2-of-2 --out out/paper",
     merge_options, merge},
    {"init", "snapshot|timeline|pipeline [FILE.yaml]", "write a commented scenario to begin with", "wattfill init snapshot my.yaml", no_options, init},
    {"validate", "FILE.yaml", "read and check a scenario, contract, baseline or curve library; run nothing", "wattfill validate my.yaml --set mixes.m.jobs=50",
     validate_options, validate},
    {"schema", "[scenario|curves|pipeline|campaign|contract|baseline]", "print the JSON Schema of a format", "wattfill schema scenario > scenario.schema.json",
     no_options, schema},
    {"policies", "", "list the policies there are", "wattfill policies", no_options, policies},
    {"curves", "[LIBRARY]", "list the curve libraries, or the curves of one", "wattfill curves emerald-a100", add_curve_options, curves},
    {"pfi", "LIBRARY...", "flexibility of each curve: loss at a cut, PFI with its interval, and their kin", "wattfill pfi h200-pfi-2026 --pool dense",
     pfi_options, pfi},
    {"compare", "A B", "rank correlation and differences of two libraries' curves", "wattfill compare h200-pfi-2026 h200-pfi-2026-roofline --figure loss_20",
     compare_options, compare},
    {"predict", "TELEMETRY.csv", "least squares of a flexibility figure on telemetry, with out-of-fold errors",
     "wattfill predict figures.csv --target loss_20 --features \"dram_active*mem_copy\" --cluster task --out model.yaml", predict_options, predict},
    {"import", "FORMAT INPUT", "make a curve library of measured data or published figures", "wattfill import zeus summary_power_v100.csv --out my/zeus-v100",
     import_options, import},
    {"contract", "METER.csv CONTRACT.yaml", "settle a demand-response contract on what a meter saw",
     "wattfill contract meter.csv contract.yaml --set baseline.rule=measured-before", contract_options, contract},
    {"pipeline", "[JOB.yaml]", "time-energy frontier of a training iteration, and the plan, savings and curve it gives",
     "wattfill pipeline scenarios/pipeline_gpt3_a100.yaml --set plan.deadline_s=30", pipeline_options, pipeline},
    {"regress", "DIR", "compare results with a baseline: exit 1 and a table of what moved",
     "wattfill regress out/paper --baseline baselines/paper.yaml --junit regress.xml", regress_options, regress},
    {"report", "DIR", "make one self-contained page of plots, or figures for papers, of a result folder", "wattfill report out/paper", report_options, report},
    {"completion", "bash|zsh|fish|man", "print a completion script for a shell, or the manual page",
     "wattfill completion bash > ~/.local/share/bash-completion/completions/wattfill", no_options, completion},
}};

}  // namespace

std::span<Command const> commands() { return every_command; }

void expect_operands(std::vector<std::string> const& operands, std::size_t least, std::size_t most, std::string_view what) {
  if (operands.size() < least) throw InputError(std::string(what) + " is missing; see --help");
  if (operands.size() > most) throw InputError(quotation(operands[most]) + " is one operand too many; see --help");
}

void add_curve_options(po::options_description& options) {
  options.add_options()("curves", po::value<std::vector<std::string>>()->value_name("DIR"), "search this folder for curve libraries first (repeatable)");
}

void add_scenario_options(po::options_description& options) {
  add_curve_options(options);
  options.add_options()("set", po::value<std::vector<std::string>>()->value_name("KEY=VALUE"),
                        "change a key of the scenario, e.g. mixes.m.jobs=50 (repeatable)");
  options.add_options()("allow-outside", "files that the scenario names may lie outside of its folder and the folders of curves");
  options.add_options()("seed", po::value<std::string>()->value_name("N"), "seed instead of the scenario's");
}

}  // namespace wattfill::cli
