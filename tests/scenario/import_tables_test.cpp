// The importers of tables: cap-sweep (any tidy table) and telemetry (clocks and counters).
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>

#include "support/catch.hpp"
#include "support/folder.hpp"
#include "support/skip.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/flexibility/figures.hpp"
#include "wattfill/scenario/import/import.hpp"
#include "wattfill/scenario/library_file.hpp"
#include "wattfill/scenario/library_writer.hpp"

using namespace wattfill;
using wattfill::testing::Folder;
using wattfill::testing::TemporaryFile;

namespace {

namespace fs = std::filesystem;

ImportRequest request(std::string const& input) { return {.input = input, .library_name = "lab", .gpu = "T4"}; }

template <class Call>
std::string message(Call const& call) {
  try {
    call();
  } catch (InputError const& error) {
    return error.what();
  }
  return "accepted";
}

std::string cap_sweep_refusal(std::string const& text, ImportRequest asked = request("")) {
  TemporaryFile const file(text);
  asked.input = file.path();
  return message([&] { import_cap_sweep(asked); });
}

bool noted(Imported const& imported, std::string const& part) {
  return std::ranges::any_of(imported.notes, [&](std::string const& note) { return note.find(part) != std::string::npos; });
}

std::string const telemetry_header = "workload,sm_clock_mhz,power_w,throughput,throughput_unit,dram active,tensor\n";

}  // namespace

TEST_CASE("cap-sweep: our own column names need no options") {
  TemporaryFile const file(
      "curve,cap_w,power_w,speed,gpus,task,model,when\na,100,90,5,8,fine-tuning,m,x\na,200,180,9,8,fine-tuning,m,y\nb,100,95,5,1,,,z\nb,200,150,6,1,,"
      ",z\nb,200,210,6,1,,,z\nlone,100,90,1,1,,,z\n");
  auto asked = request(file.path());
  asked.speed_unit = "tokens/s";
  asked.citation = "A study";
  asked.licence = "CC0-1.0";
  asked.statistic = "mean of 3 runs";
  auto const imported = import_cap_sweep(asked);
  auto const& library = imported.library;
  REQUIRE(library.curves.size() == 2);
  CHECK(library.gpu_model == "T4");
  CHECK(library.tdp_w == 200);
  CHECK(library.speed_unit == "tokens/s");
  CHECK(library.source.citation == "A study");
  CHECK(library.source.licence == "CC0-1.0");
  CHECK(library.statistic == "mean of 3 runs");
  CHECK(library.curves[0].gpus == 8);
  CHECK(library.curves[0].task == "fine-tuning");
  CHECK(library.curves[0].curve.points()[1] == CurvePoint{200, 180, 9});
  CHECK(library.curves[1].curve.points().size() == 3);
  CHECK(noted(imported, "read a: 2 points, GPUs: 8"));
  CHECK(noted(imported, "dropped lone: one point is not a curve"));
  CHECK(noted(imported, "b: points that draw more than their cap (kept as measured): 1"));
  CHECK(noted(imported, "columns kept out: when"));
  CHECK(noted(imported, "the TDP is taken to be the highest cap, 200 W"));
}

TEST_CASE("cap-sweep: a table without names of curves is the sweep of one job, and says so") {
  TemporaryFile const file("power_limit,watts,tokens/s\n700,612.3,10250\n400,396.4,8335\n200,199.2,2804\n");
  auto asked = request(file.path());
  asked.columns = {{"cap_w", "power_limit"}, {"power_w", "watts"}, {"speed", "tokens/s"}};
  asked.power_unit = "W";
  auto const imported = import_cap_sweep(asked);
  REQUIRE(imported.library.curves.size() == 1);
  CHECK(imported.library.curves[0].name == "lab");
  CHECK(imported.library.curves[0].curve.points()[0] == CurvePoint{200, 199.2, 2804});
  CHECK(noted(imported, "no column names curves: all rows are one, called lab; --column curve=NAME says otherwise"));
}

TEST_CASE("cap-sweep: mapped columns, kilowatts of the whole job and times become watts of one GPU and speeds") {
  TemporaryFile const file("Job,limit (W),total [kW],step_ms,n\nx,200,1.6,500,8\nx,400,2.4,250,8\n");
  auto asked = request(file.path());
  asked.columns = {{"curve", "Job"}, {"cap_w", "limit (W)"}, {"total_power_w", "total [kW]"}, {"time_s", "step_ms"}, {"gpus", "n"}};
  asked.tdp_w = 700;
  auto const imported = import_cap_sweep(asked);
  auto const points = imported.library.curves.at(0).curve.points();
  CHECK(points[0] == CurvePoint{200, 200, 2});
  CHECK(points[1] == CurvePoint{400, 300, 4});
  CHECK(imported.library.tdp_w == 700);
  CHECK(imported.library.speed_unit == "1/s");
  CHECK(noted(imported, "converted powers to watts: times 1000"));
  CHECK(noted(imported, "speed is 1 / time"));
  CHECK(noted(imported, "no source is stated"));
}

TEST_CASE("cap-sweep: units that nobody states, or that are stated twice, are refused") {
  std::string const table = "curve,cap,power,speed\na,1,1,1\na,2,2,2\n";
  auto asked = request("");
  asked.columns = {{"cap_w", "cap"}, {"power_w", "power"}};
  CHECK(cap_sweep_refusal(table, asked).find("cap: its name does not say its unit (watts and kilowatts look alike)") != std::string::npos);
  asked.power_unit = "W";
  CHECK(cap_sweep_refusal(table, asked) == "accepted");
  asked.power_unit = "hp";
  CHECK(cap_sweep_refusal(table, asked).find("\"hp\" is no unit") != std::string::npos);
  auto doubled = request("");
  doubled.power_unit = "kW";
  CHECK(cap_sweep_refusal("curve,cap_w,power_w,speed\na,1,1,1\na,2,2,2\n", doubled).find("says another unit than --power-unit kW") != std::string::npos);
}

TEST_CASE("cap-sweep: columns that are missing, doubled or unknown, and rows that are wrong, are refused in their place") {
  CHECK(cap_sweep_refusal("curve,cap_w,speed\na,1,1\n").find("neither power_w nor total_power_w is there") != std::string::npos);
  CHECK(cap_sweep_refusal("curve,cap_w,power_w,total_power_w,speed,gpus\na,1,1,1,1,1\n").find("both power_w and total_power_w") != std::string::npos);
  CHECK(cap_sweep_refusal("curve,power_w,speed\na,1,1\n").find("cap_w: this column is not there; say which one it is with --column cap_w=NAME") !=
        std::string::npos);
  CHECK(cap_sweep_refusal("cap_w,power_w,speed\n1,1,1\n1,2,2\n").find("curve: this column is not there (caps repeat, so that it may hold several jobs; add one") !=
        std::string::npos);
  CHECK(cap_sweep_refusal("job,cap_w,power_w,speed\na,3,3,1\na,2,2,0.8\nb,1,1,0.5\n")
            .find("curve: this column is not there (\"job\" holds 2 different texts, so that the table may hold several jobs)") != std::string::npos);
  CHECK(cap_sweep_refusal("curve,cap_w,total_power_w,speed\na,1,1,1\n").find("needs the number of GPUs") != std::string::npos);
  CHECK(cap_sweep_refusal("curve,cap_w,power_w,speed\na,1,1,1\na,0,2,2\n").find(":3:3: cap_w: 0 is out of range") != std::string::npos);
  CHECK(cap_sweep_refusal("curve,cap_w,power_w,speed\na,1,1,1\na,2,,2\n").find(":3:5: power_w: the cell is empty") != std::string::npos);
  CHECK(cap_sweep_refusal("curve,cap_w,power_w,speed\na,1,1,-1\na,2,2,2\n").find("is negative") != std::string::npos);
  CHECK(cap_sweep_refusal("curve,cap_w,power_w,speed,gpus\na,1,1,1,1\na,2,2,2,4\n").find("one curve is one job") != std::string::npos);
  CHECK(cap_sweep_refusal("curve,cap_w,power_w,speed\n").find("there is no curve in it") != std::string::npos);
  auto asked = request("");
  asked.columns = {{"capw", "cap_w"}};
  CHECK(cap_sweep_refusal("curve,cap_w,power_w,speed\na,1,1,1\n", asked).find("did you mean \"cap_w\"") != std::string::npos);
  asked.columns = {};
  asked.gpu = "";
  CHECK(cap_sweep_refusal("curve,cap_w,power_w,speed\na,1,1,1\n", asked).find("name it with --gpu") != std::string::npos);
}

TEST_CASE("cap-sweep reads the A100 sweep as its own importer does") {
  auto const file = testing::public_data("emerald-phoenix-2025/dvfs_sweep.csv");
  if (!testing::is_there(file)) return;
  auto asked = request(file.string());
  asked.columns = {{"curve", "Workload"}, {"cap_w", "GPU power cap"}, {"power_w", "power per GPU"}, {"speed", "throughput"}};
  asked.power_unit = "W";
  auto const generic = import_cap_sweep(asked).library;
  auto const own = import_emerald(request(file.string())).library;
  REQUIRE(!own.curves.empty());
  for (auto const& curve : own.curves) {
    auto const* same = generic.find(curve.name);
    REQUIRE(same != nullptr);
    CHECK(std::ranges::equal(same->curve.points(), curve.curve.points()));
  }
}

TEST_CASE("telemetry: clocks stand in for caps in their order, and counters are those of the highest clock") {
  TemporaryFile const file(telemetry_header +
                           "SPEC ACCEL fft,1000,120,8,runs/s,0.5,0.1\nSPEC ACCEL fft,500,80,5,runs/s,0.3,0.2\nSPEC ACCEL fft,1000,140,8.2,runs/s,0.7,0.3\n"
                           "GROMACS,500,60,3,runs/s,0.3,\nGROMACS,1000,100,4,runs/s,0.4,\n");
  auto const imported = import_telemetry({.input = file.path(), .library_name = "lab", .gpu = {}});
  auto const& library = imported.library;
  REQUIRE(library.curves.size() == 2);
  auto const& fft = library.curves[0];
  CHECK(fft.name == "SPEC_ACCEL_fft");
  CHECK(fft.task == "spec-accel");
  CHECK(library.tdp_w == 140);
  CHECK(library.speed_unit == "runs/s");
  CHECK(fft.curve.points()[0] == CurvePoint{70, 80, 5});
  CHECK(fft.curve.power_at_top_cap() == 130);
  CHECK(fft.telemetry.at("dram_active") == Approx(0.6));
  CHECK(fft.telemetry.at("tensor") == Approx(0.2));
  CHECK(library.curves[1].task == "hpc");
  CHECK_FALSE(library.curves[1].telemetry.contains("tensor"));
  CHECK(noted(imported, "GROMACS: no counter at the highest clock: tensor"));
  CHECK(noted(imported, "no caps in the file"));
  CHECK(library.assumptions.at(0).find("cap_w is tdp_w x SM clock") != std::string::npos);
}

TEST_CASE("telemetry: mixed units, powers of nothing and a GPU without its source are refused") {
  auto const refusal = [](std::string const& rows, std::string const& gpu = {}) {
    TemporaryFile const file(telemetry_header + rows);
    return message([&] { import_telemetry({.input = file.path(), .library_name = "lab", .gpu = gpu}); });
  };
  CHECK(refusal("a,500,60,3,runs/s,1,1\nb,500,60,3,tokens/s,1,1\n").find("several units, runs/s, tokens/s") != std::string::npos);
  CHECK(refusal("a,500,0,3,runs/s,1,1\n").find(":2:7: power_w: 0 is out of range") != std::string::npos);
  CHECK(refusal("a,500,60,3,runs/s,1,1\n").find("a: ") != std::string::npos);  // one point is no curve
  CHECK(refusal("").find("there is no row in it") != std::string::npos);
  CHECK(refusal("a,500,60,3,runs/s,1,1\n", "H100").find("needs both --gpu and --citation") != std::string::npos);
}

TEST_CASE("telemetry: the 25 A100 applications; ratios explode for jobs within noise of full speed, losses at a cut do not") {
  auto const file = testing::public_data("ghazanfarttu-dvfs/a100_dvfs_telemetry.csv");
  if (!testing::is_there(file)) return;
  auto const library = import_telemetry({.input = file.string(), .library_name = "a100-dvfs", .gpu = {}}).library;
  REQUIRE(library.curves.size() == 25);
  std::map<std::string, int> clusters;
  int without_tensor = 0;
  for (auto const& curve : library.curves) {
    CHECK(curve.curve.points().size() == 61);
    ++clusters[curve.task];
    without_tensor += !curve.telemetry.contains("tensor_active");
  }
  CHECK(clusters == std::map<std::string, int>{{"spec-accel", 19}, {"hpc", 3}, {"learning", 1}, {"kernel", 2}});
  CHECK(without_tensor == 5);
  auto const figures = [&](std::string const& name) { return flexibility_figures(library.find(name)->curve); };
  CHECK(figures("SPEC_ACCEL_kmeans").pfi == Approx(150.2).margin(0.05));
  CHECK(figures("SPEC_ACCEL_kmeans").pooled == Approx(39.4).margin(0.05));
  for (auto const* name : {"SPEC_ACCEL_kmeans", "SPEC_ACCEL_spmv", "stream", "GROMACS", "LSTM"}) {
    auto const f = figures(name);
    CHECK(f.pfi > 30);
    CHECK(f.loss[1] < 0.006);
  }
  CHECK(figures("dgemm").loss[1] == Approx(0.049).margin(0.001));

  Folder const folder("telemetry");
  save_library(library, folder / "dvfs");
  CHECK(read_library(folder / "dvfs.yaml").library.curves.size() == 25);
}
