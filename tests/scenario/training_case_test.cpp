#include "wattfill/scenario/training_case.hpp"

#include <map>
#include <string>

#include "support/catch.hpp"
#include "support/folder.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/training/frontier.hpp"
#include "wattfill/training/frontier_csv.hpp"

using namespace wattfill;

namespace {

/// A folder with a case of two stages, forward only, that goes with its owner. 10 W while waiting, time step 0.5 s.
class Case {
 public:
  Case() {
    write("meta.json", R"({"unit_time_s": 0.5, "p_blocking_W": 10, "stages": 2, "schedule": "1F1B"})");
    write("nodes.csv", "node_id,kind,stage,microbatch\n7,forward,0,0\n8,forward,1,0\n0,source,-1,-1\n1,sink,-1,-1\n");
    write("edges.csv", "u,v\n7,8\n0,7\n8,1\n");
    // exp(0 q) is 1 throughout: a constant of 3 J that needs only its shortest duration; and options of 9, 5, 4 J.
    write("options.csv",
          "stage,instruction,knob,real_time_s,quant_time,energy_J,effective_energy_J\n0,forward,1,1.6,3,9,3\n1,forward,1,2.1,4,9,4\n1,forward,2,1.6,"
          "3,9,5\n1,forward,3,1.1,2,9,9\n");
  }
  void write(std::string const& file, std::string const& text) const { folder_.write(file, text); }
  std::filesystem::path const& path() const { return folder_.path(); }

  /// What reading says, without the folder's name.
  std::string message(CaseCosts costs = CaseCosts::given) const {
    try {
      read_training_case(folder_.path(), costs);
    } catch (InputError const& error) {
      return folder_.relative(error.what());
    }
    return "accepted";
  }

 private:
  testing::Folder folder_{"case"};
};

std::string const models = "stage,instruction,a,b,c,min_duration,max_duration\n";

}  // namespace

TEST_CASE("A bare case is read; its frontier has both ends, in seconds, with the energy of waiting stages beside") {
  Case const files;
  auto const given = read_training_case(files.path(), CaseCosts::measured);
  CHECK(given.stages == 2);
  CHECK(given.tau_s == 0.5);
  CHECK(given.blocking_w == 10);
  // 3 + 2 steps: 3 + 9 J effective; two stages waiting at 10 W for 2.5 s: 50 J.
  CHECK(frontier_csv(Frontier::of(given.project), given.tau_s, given.blocking_w * given.stages) ==
        "time_s,effective_energy_j,energy_j\n2.5,12,62\n3,8,68\n3.5,7,77\n");
}

TEST_CASE("Cost models come from their file, or are fitted where there is none") {
  Case const files;
  auto const fitted = Frontier::of(read_training_case(files.path()).project);
  CHECK(fitted.energy_j(5) == Approx(12).epsilon(1e-9));  // three points, three parameters: 9, 5, 4 J are met
  CHECK(fitted.energy_j(6) == Approx(8).epsilon(1e-9));
  files.write("cost_model.csv", models + "0,forward,0,-1,3,3,3\n1,forward,16,-0.5,1,2,4\n");
  auto const given = Frontier::of(read_training_case(files.path()).project);
  CHECK(given.energy_j(5) == Approx(3 + 1 + 16 * std::exp(-1.0)));
  CHECK(given.longest() == 7);
}

TEST_CASE("Mistakes in a case are named with their place") {
  Case const files;
  files.write("nodes.csv", "node_id,kind,stage,microbatch\n7,forward,0,0\n8,backward,1,0\n");
  CHECK(files.message() == "nodes.csv:3:3: kind: backward of stage 1 has no cost model (its duration and energy are unknown); add it to options.csv");
  files.write("nodes.csv", "node_id,kind,stage,microbatch\n7,forward,0,0\n7,forward,1,0\n");
  CHECK(files.message() == "nodes.csv:3:1: node_id: \"7\" is there twice (which one is meant?); remove or renumber one");
  files.write("nodes.csv", "node_id,kind,stage,microbatch\n7,forward,0,0\n8,forward,1,0\n");
  CHECK(files.message() == "edges.csv:3:1: u: there is no node \"0\" in nodes.csv; add it or remove the edge");
  files.write("edges.csv", "u,v\n7,8\n8,7\n");
  CHECK(files.message().starts_with("edges.csv: the edges form a cycle (nothing in it could ever start): forward of stage "));
  files.write("edges.csv", "u,v\n7,8.5\n");
  CHECK(files.message() == "edges.csv:2:3: v: \"8.5\" is not a whole number");
  files.write("edges.csv", "u,v\n7,8\n");
  CHECK(files.message() == "accepted");
  files.write("cost_model.csv", models + "0,forward,1,-1,3,5,3\n");
  CHECK(files.message().starts_with("cost_model.csv:2:11: durations from 5 to 3 time steps"));
  files.write("cost_model.csv", models + "0,forward,1,-1,3,3,3\n0,forward,1,-1,3,3,3\n");
  CHECK(files.message() == "cost_model.csv:3:1: forward of stage 0 has two cost models; keep one");
  files.write("meta.json", R"({"unit_time_s": 0, "p_blocking_W": 10, "stages": 2})");
  CHECK(files.message() == "meta.json:1:17: unit_time_s: is \"0\"; give a positive number");
  files.write("meta.json", R"({"unit_time_s": 1, "stages": 2})");
  CHECK(files.message() == "meta.json:1:1: p_blocking_W: is missing; give it");
}
