// The keys of a curve library's metadata file: a new key is a member of its struct in spec.hpp and one line here.
#include <algorithm>

#include "wattfill/scenario/spec.hpp"

namespace wattfill {
namespace {

Format<LibraryFields> library() {
  using L = LibraryFields;
  using G = LibraryFields::Gpu;
  using J = LibraryFields::Job;
  auto const gpu = table<G>("GPU", "the GPU type that the curves were measured on",
                            {field("model", &G::model, text(), "name of the GPU", "NVIDIA H200 SXM").required(),
                             field("tdp_w", &G::tdp_w, number(between(1e-3, 1e9), "W"), "thermal design power", "700").required()});
  auto const source = table<Source>("Source", "where the data come from and what may be done with them",
                                    {field("citation", &Source::citation, text(), "work that published them", "\"A. Author, A title, 2026\"").required(),
                                     field("url", &Source::url, text_or_nothing(), "address", "https://example.org/data"),
                                     field("licence", &Source::licence, text_or_nothing(), "licence of the data", "CC-BY-4.0"),
                                     field("note", &Source::note, text_or_nothing(), "what else a user must know", "\"figure 3, read off by hand\"")});
  auto const job = table<J>("Curve", "one job's curve; its points are the rows of the CSV file with its name",
                            {field("name", &J::name, placed(text()), "name, unique in the library; no '/'", "ft_llama_8b_dolly").required(),
                             field("architecture", &J::architecture, text_or_nothing(), "dense, moe, ...; absent or empty: not stated", "dense"),
                             field("task", &J::task, text_or_nothing(), "pretraining, fine-tuning, inference, ...", "fine-tuning"),
                             field("model", &J::model, text_or_nothing(), "model family", "llama-8b"),
                             field("gpus", &J::gpus, number(between(1e-3, 1e9)), "GPUs the job was measured on", "8"),
                             field("flop_per_unit", &J::flop_per_unit, number(between(1e-3, 1e30), "FLOP"),
                                   "model FLOP per unit of work: speed x this = FLOP/s of the whole job", "4.8e10"),
                             field("telemetry", &J::telemetry, map_of(number({})), "features of the uncapped run", "{dram_activity: 0.42}")});
  auto const provenance = choice<Provenance>({{"measured", Provenance::measured, "measured points"},
                                              {"digitised", Provenance::digitised, "read off a published figure"},
                                              {"derived", Provenance::derived, "computed from measured points"},
                                              {"reconstructed", Provenance::reconstructed, "a shape fitted to published summary figures"}});
  return table<L>("Library", "metadata of a curve library: NAME.yaml beside the points in NAME.csv (columns curve, cap_w, power_w, speed)",
                  {field("wattfill", &L::wattfill, integer(1, format_version), "version of this format", "1").required(),
                   field("gpu", &L::gpu, gpu, "the GPU type", "{model: NVIDIA H200 SXM, tdp_w: 700}").required(),
                   field("provenance", &L::provenance, provenance, "how the points came about", "measured").required(),
                   field("source", &L::source, source, "where they come from", "{citation: X, url: https://example.org, licence: CC0-1.0}").required(),
                   field("speed_unit", &L::speed_unit, text_or_nothing(), "unit of the speed column", "tokens/s").otherwise("not stated"),
                   field("statistic", &L::statistic, text_or_nothing(), "what a point is", "mean of 3 runs").otherwise("not stated"),
                   field("assumptions", &L::assumptions, list_of(text(), 0, 100), "of a reconstruction; printed with results", "[\"draw equals cap\"]"),
                   field("curves", &L::curves, list_of(job, 1, 100'000), "the curves", "[{name: ft_llama_8b_dolly, task: fine-tuning}]").required()});
}

}  // namespace

void refuse_newer(Node const& document, std::string const& what) {
  auto const* const version = document.find("wattfill");
  auto const number = version != nullptr && version->kind == Node::Kind::scalar && !version->quoted ? spelled_number(version->text) : std::nullopt;
  if (number && *number > static_cast<double>(format_version))
    throw InputError(Problem{version->at, "wattfill",
                             "this " + what + " has format version " + version->text + ", this program reads versions up to " + std::to_string(format_version) +
                                 " (newer keys may mean other things); use a newer wattfill"});
}

Format<LibraryFields> const& library_format() {
  static auto const format = library();
  return format;
}

}  // namespace wattfill
