#pragma once
#include <string>

#include "wattfill/curve/curve_library.hpp"

namespace wattfill {

/// Which curves are meant: every field that is not empty must equal the curve's own. A default-made filter matches every curve.
struct CurveFilter {
  std::string library, curve, architecture, task, model;

  bool matches(Curve const& c) const {
    auto const agrees = [](std::string const& wanted, std::string const& own) { return wanted.empty() || wanted == own; };
    return agrees(library, c.library) && agrees(curve, c.name) && agrees(architecture, c.architecture) && agrees(task, c.task) && agrees(model, c.model);
  }
  bool operator==(CurveFilter const&) const = default;
};

}  // namespace wattfill
