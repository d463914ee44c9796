#include <spawn.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>

#include "cli/command.hpp"
#include "cli/report_data.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/output_file.hpp"
#include "wattfill/report/figure_svg.hpp"
#include "wattfill/scenario/text_file.hpp"

extern char** environ;

namespace wattfill::cli {
namespace {

namespace fs = std::filesystem;

/// The page's script: beside this program in a build folder, in the installation that the program belongs to, or where it was installed first.
std::string page_script() {
  std::vector<fs::path> places;
  std::error_code unknown;
  if (auto const program = fs::read_symlink("/proc/self/exe", unknown); !unknown) {
    places.push_back(program.parent_path() / "report_web/dist/report.js");
    places.push_back(program.parent_path().parent_path() / WATTFILL_DATADIR_BESIDE_BIN / "report/report.js");
  }
  places.emplace_back(WATTFILL_DATADIR "/report/report.js");
  for (auto const& place : places)
    if (fs::exists(place, unknown)) return read_text_file(place);
  throw InputError(
      "the script of the page is missing (it is bundled from npm packages when wattfill is built): configure with -DWATTFILL_REPORT=ON where npm is, "
      "and build again; figures without it: wattfill report DIR --format svg");
}

/// Makes PNG of SVG with librsvg's tool.
void convert(fs::path const& svg, fs::path const& png) {
  std::string const to = png.string(), from = svg.string();
  std::vector<std::string> words{"rsvg-convert", "--zoom", "2", "--output", to, from};
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  int status = 0;
  if (posix_spawnp(&child, "rsvg-convert", nullptr, nullptr, arguments.data(), environ) != 0)
    throw InputError({{}, "--format", "png needs the program rsvg-convert, which is not there; install it (apt install librsvg2-bin), or write --format svg"});
  if (waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw MachineError(to + ": rsvg-convert could not write it; its message is above");
}

void write_figures(ReportPage const& page, fs::path const& out, bool png) {
  auto const figures = figures_of(page);
  if (figures.empty())
    throw InputError("there is no figure for a study of kind " + page.kind + "; snapshot and timeline studies have some, wattfill report DIR shows the rest");
  std::error_code failed;
  fs::create_directories(out, failed);
  if (failed) throw MachineError(out.string() + ": the folder cannot be made: " + failed.message() + "; choose another with --out");
  for (auto const& figure : figures) {
    auto const file = out / (figure.file + ".svg");
    write_file(file, figure_svg(figure));
    if (!png) continue;
    convert(file, out / (figure.file + ".png"));
    fs::remove(file);
  }
  std::printf("wrote %zu figures to %s\n", figures.size(), out.c_str());
}

}  // namespace

void report_options(po::options_description& options) {
  options.add_options()("format", po::value<std::string>()->default_value("html")->value_name("html|svg|png"),
                        "html: one page with every plot; svg, png: single figures for papers");
  options.add_options()("out", po::value<std::string>()->value_name("PATH"),
                        "the page (default: DIR/report.html), or the folder of figures (default: DIR/figures)");
}

int report(std::vector<std::string> const& operands, po::variables_map const& given) {
  expect_operands(operands, 1, 1, "DIR, a folder with results,");
  fs::path const folder = operands.front();
  auto const format = given["format"].as<std::string>();
  if (format != "html" && format != "svg" && format != "png")
    throw InputError({{}, "--format", "\"" + format + "\" is not known" + suggestion(format, {"html", "svg", "png"})});
  auto const out = [&](char const* usual) { return given.count("out") > 0 ? fs::path(given["out"].as<std::string>()) : folder / usual; };
  if (format != "html") {
    write_figures(page_of(folder), out("figures"), format == "png");
    return 0;
  }
  auto const script = page_script();
  auto const text = page_html(page_of(folder), script);
  write_file(out("report.html"), text);
  std::printf("wrote %s (%.1f MB, opens offline)\n", out("report.html").c_str(), static_cast<double>(text.size()) / 1e6);
  return 0;
}

}  // namespace wattfill::cli
