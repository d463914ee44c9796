#include "wattfill/curve/curve_library.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace wattfill {
namespace {
constexpr std::array provenances{std::pair{Provenance::measured, std::string_view("measured")}, std::pair{Provenance::digitised, std::string_view("digitised")},
                                 std::pair{Provenance::derived, std::string_view("derived")},
                                 std::pair{Provenance::reconstructed, std::string_view("reconstructed")}};
}

std::string_view to_string(Provenance provenance) {
  return std::ranges::find(provenances, provenance, &std::pair<Provenance, std::string_view>::first)->second;
}

std::optional<Provenance> provenance_from(std::string_view name) {
  auto const found = std::ranges::find(provenances, name, &std::pair<Provenance, std::string_view>::second);
  return found == provenances.end() ? std::nullopt : std::optional(found->first);
}

Curve const* CurveLibrary::find(std::string_view curve_name) const {
  auto const found = std::ranges::find(curves, curve_name, &Curve::name);
  return found == curves.end() ? nullptr : &*found;
}

}  // namespace wattfill
