#pragma once
#include <span>
#include <string_view>

namespace wattfill::cli {

/// A commented scenario to begin with.
struct Starter {
  std::string_view kind, text;
  std::string_view profile;  ///< of pipelines: profile.csv beside it
};

std::span<Starter const> starters();

}  // namespace wattfill::cli
