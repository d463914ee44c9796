#include "wattfill/flexibility/reconstruct.hpp"

#include <charconv>

#include "wattfill/core/error.hpp"
#include "wattfill/core/quotation.hpp"
#include "wattfill/scenario/import/import.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill {
namespace {

std::string three_digits(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, 3).ptr};
}

/// A shape with the stated assumptions, or a member of the ensemble.
ReconstructionSpec spec_from(std::string const& name) {
  if (name == "quadratic") return {.shape = ReconstructionShape::quadratic};
  if (name == "roofline") return {.shape = ReconstructionShape::roofline};
  std::vector<std::string> names{"quadratic", "roofline"};
  for (auto const& member : reconstruction_ensemble()) {
    if (member.name == name) return member.spec;
    names.push_back(member.name);
  }
  throw InputError("unknown shape " + quotation(name) + suggestion(name, names, "shapes are"));
}

}  // namespace

Imported import_reconstruct(ImportRequest const& request) {
  auto made = reconstruct(spec_from(request.input), request.library_name);
  Imported imported{std::move(made.library), {}};
  for (auto const& g : made.groups) {
    auto note = g.name + ": PFI " + three_digits(g.pfi) + ", PFI4 " + three_digits(g.pfi4) + ", " + three_digits(g.speed_200w) + " of full speed at 200 W";
    if (!g.reason.empty()) note += "; misses the published figures by " + three_digits(g.pfi_miss) + " and " + three_digits(g.pfi4_miss) + ": " + g.reason;
    imported.notes.push_back(std::move(note));
  }
  return imported;
}

}  // namespace wattfill
