// Question: how does the time of an exact frontier grow with microbatches, stages and distinct computations? Prints the growth table of bench/README.md:
// pipeline_growth PROFILE.csv TAU_S BLOCKING_W REPEATS CASE... with CASE = STAGESxMICROBATCHES[d] (d: every computation different, energies +-10 %).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "wattfill/scenario/pipeline_file.hpp"
#include "wattfill/training/frontier.hpp"

using namespace wattfill;

namespace {

/// CPU time of this process.
double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Stages of the profile spread over those of the job, the last one last.
std::vector<std::uint64_t> spread(int stages, int known) {
  std::vector<std::uint64_t> result;
  for (int s = 0; s < stages; ++s) result.push_back(static_cast<std::uint64_t>(s + 1 == stages ? known - 1 : s % (known - 1)));
  return result;
}

/// Gives every computation a cost curve of its own, its energies times 0.9 to 1.1.
void make_different(Project& project) {
  std::vector<CostCurve> curves;
  std::uint64_t state = 12345;
  for (std::size_t i = 0; i < project.curve_of.size(); ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    auto const factor = 0.9 + 0.2 * static_cast<double>(state >> 40U) / static_cast<double>(1U << 24U);
    auto const known = project.curves[project.curve_of[i]].knots();
    std::vector<CostCurve::Knot> knots(known.begin(), known.end());
    for (auto& k : knots) k.energy_j *= factor;
    curves.emplace_back(std::move(knots));
    project.curve_of[i] = i;
  }
  project.curves = std::move(curves);
}

}  // namespace

int main(int count, char** words) {
  if (count < 6) {
    std::fprintf(stderr, "usage: pipeline_growth PROFILE.csv TAU_S BLOCKING_W REPEATS CASE...\n");
    return 2;
  }
  std::printf("%-10s %8s %8s %8s %12s %14s %10s %10s\n", "case", "nodes", "points", "bends", "augmented", "entries", "solve s", "proven s");
  for (int w = 5; w < count; ++w) {
    std::string const name = words[w];
    TrainingJob job;
    job.pipeline.stages = std::atoi(name.c_str());
    job.pipeline.microbatches = std::atoi(name.c_str() + name.find('x') + 1);
    job.tau_s = std::atof(words[2]);
    job.blocking_w = std::atof(words[3]);
    auto const all = read_stage_profiles(words[1], 1, {}, job.knob);
    job.profiles = read_stage_profiles(words[1], 1, spread(job.pipeline.stages, static_cast<int>(all.size() / 2)), job.knob);
    auto project = JobModel(job).project();
    if (name.back() == 'd') make_different(project);
    double solve = 1e300, proven = 1e300;
    for (int r = 0; r < std::atoi(words[4]); ++r) {
      auto start = seconds();
      auto const plain = Frontier::of(project, Frontier::Proof::none);
      solve = std::min(solve, seconds() - start);
      start = seconds();
      auto const frontier = Frontier::of(project);
      proven = std::min(proven, seconds() - start);
      if (!frontier.certificate().holds()) return 1;
      if (r + 1 == std::atoi(words[4]))
        std::printf("%-10s %8zu %8lld %8zu %12zu %14zu %10.4f %10.4f\n", name.c_str(), project.curve_of.size() + 2,
                    static_cast<long long>(frontier.longest() - frontier.shortest() + 1), frontier.knots().size() - 1, frontier.effort().augmentations,
                    frontier.effort().entries, solve, proven);
    }
  }
  return 0;
}
