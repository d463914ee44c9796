// The libraries in curves/: each is what its program makes of its source, and each gives the published figures. WATTFILL_UPDATE=1 writes them anew.
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "support/catch.hpp"
#include "support/skip.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/flexibility/pfi.hpp"
#include "wattfill/flexibility/quadratic.hpp"
#include "wattfill/flexibility/reconstruct.hpp"
#include "wattfill/scenario/csv.hpp"
#include "wattfill/scenario/import/import.hpp"
#include "wattfill/scenario/library_file.hpp"
#include "wattfill/scenario/library_writer.hpp"
#include "wattfill/scenario/text_file.hpp"

using namespace wattfill;

namespace {

std::filesystem::path const source_dir = WATTFILL_SOURCE_DIR;
std::filesystem::path const curves_dir = source_dir / "curves";

/// Whether the committed bytes of `library` are those its program makes of `input`.
void hold_to_program(std::string const& format, std::string const& input, std::string const& library, std::string const& gpu = {}) {
  CAPTURE(library);
  auto const made = import_format(format).read({.input = input, .library_name = library, .gpu = gpu, .every_run = false}).library;
  if (std::getenv("WATTFILL_UPDATE") != nullptr) save_library(made, curves_dir / library);
  auto const text = library_text(made);
  CHECK((read_text_file(curves_dir / (library + ".yaml")) == text.yaml));
  CHECK((read_text_file(curves_dir / (library + ".csv")) == text.csv));
}

void hold_to_measurements(std::string const& format, std::string const& file, std::string const& library, std::string const& gpu = {}) {
  auto const input = testing::public_data(file);
  if (testing::is_there(input, "curves/" + library + " is not compared with its source")) hold_to_program(format, input.string(), library, gpu);
}

std::map<std::string, PowerSpeedCurve> curves_of(std::string const& library) {
  auto const table = CsvTable::read(curves_dir / (library + ".csv"));
  std::map<std::string, std::vector<CurvePoint>> points;
  for (std::size_t row = 0; row < table.rows(); ++row)
    points[table.text(row, table.column("curve"))].push_back(
        {table.number(row, table.column("cap_w")), table.number(row, table.column("power_w")), table.number(row, table.column("speed"))});
  std::map<std::string, PowerSpeedCurve> curves;
  for (auto& [name, measured] : points) curves.emplace(name, std::move(measured));
  return curves;
}

}  // namespace

TEST_CASE("The reconstructed libraries are what the program makes, to the byte") {
  hold_to_program("reconstruct", "quadratic", "h200-pfi-2026");
  hold_to_program("reconstruct", "roofline", "h200-pfi-2026-roofline");
  auto const ensemble = reconstruction_ensemble();
  CHECK(ensemble.size() == 8);
  for (auto const& member : ensemble) hold_to_program("reconstruct", member.name, "h200-pfi-2026-" + member.name);
}

TEST_CASE("The measured libraries are what the importers make of the public files, to the byte") {
  hold_to_measurements("emerald", "emerald-phoenix-2025/dvfs_sweep.csv", "emerald-a100");
  hold_to_measurements("zeus", "zeus-nsdi23/summary_power_a40.csv", "zeus-a40");
  hold_to_measurements("zeus", "zeus-nsdi23/summary_power_rtx6000.csv", "zeus-rtx6000");
  hold_to_measurements("zeus", "zeus-nsdi23/summary_power_v100.csv", "zeus-v100");
  hold_to_measurements("perseus", "perseus-sosp24/measured_frontiers.csv", "perseus-a100", "A100");
  hold_to_measurements("perseus", "perseus-sosp24/measured_frontiers.csv", "perseus-a40", "A40");
}

TEST_CASE("The A100 curves have the known PFIs, and a quadratic response fits them") {
  auto const curves = curves_of("emerald-a100");
  REQUIRE(curves.size() == 6);
  for (auto const& [name, pfi] : std::map<std::string, double>{{"ft_llama_8b_dolly", 2.6567},
                                                               {"ft_llama_8b_p3", 2.0839},
                                                               {"infer_llama_8b", 2.5777},
                                                               {"pt_mpt_13b_lg", 1.4026},
                                                               {"pt_mpt_13b_sm", 1.4036},
                                                               {"pt_mpt_7b_fast", 1.5124}}) {
    CAPTURE(name);
    auto const& curve = curves.at(name);
    CHECK(measured_pfi(curve) == Approx(pfi).margin(1e-4));
    auto const points = capped_points(curve);
    double const r2 = centred_r2(fit_quadratic(points), points);
    CHECK(r2 > 0.973);
    CHECK(r2 < 0.997);
  }
}

TEST_CASE("A measured A100 job on its frontier keeps more speed at 80 % of its top-clock power than under a uniform limit") {
  auto const curves = curves_of("perseus-a100");
  REQUIRE(curves.size() == 10);
  for (auto const* name : {"bert-huge-uncased", "bloom-3b", "gpt3-xl", "t5-3b"}) {
    CAPTURE(name);
    auto const &uniform = curves.at(name), &frontier = curves.at(std::string(name) + "-perseus");
    auto const draw = 0.8 * uniform.max_draw();
    auto const loss = 1 - uniform.speed(draw) / uniform.max_speed(), loss_on_frontier = 1 - frontier.speed(draw) / uniform.max_speed();
    CHECK(loss > 0.10);  // published: 11 to 16 %
    CHECK(loss < 0.17);
    CHECK(loss_on_frontier > 0.05);  // published: 6 to 10 %
    CHECK(loss_on_frontier < 0.105);
  }
}

TEST_CASE("The H100 curve has PFI 1.98 by draw; by caps it would be 2.49") {
  auto const curve = curves_of("h100-llama").at("pt_llama3_8b_4g");
  CHECK(measured_pfi(curve) == Approx(1.98).margin(0.005));
  std::vector<CurvePoint> by_cap;
  for (auto const& p : curve.points()) by_cap.push_back({p.cap_w, p.cap_w, p.speed});
  CHECK(measured_pfi(PowerSpeedCurve(by_cap)) == Approx(2.49).margin(0.005));
}

TEST_CASE("Every library in the folder is read, and written again gives its own bytes") {
  for (auto const& entry : std::filesystem::directory_iterator(curves_dir))
    if (entry.path().extension() == ".yaml") {
      CAPTURE(entry.path());
      auto const text = library_text(read_library(entry.path()).library);
      CHECK(text.yaml == read_text_file(entry.path()));
      CHECK(text.csv == read_text_file(std::filesystem::path(entry.path()).replace_extension(".csv")));
    }
}

TEST_CASE("Every library in the folder has both files and a row in the README") {
  auto const readme = read_text_file(curves_dir / "README.md");
  int libraries = 0;
  for (auto const& entry : std::filesystem::directory_iterator(curves_dir))
    if (entry.path().extension() == ".yaml") {
      ++libraries;
      CHECK(std::filesystem::exists(std::filesystem::path(entry.path()).replace_extension(".csv")));
      CHECK(readme.find("| `" + entry.path().stem().string() + "` |") != std::string::npos);
    }
  CHECK(libraries >= 7);
}
