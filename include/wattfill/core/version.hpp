#pragma once
#include <string_view>

namespace wattfill {

extern std::string_view const version;   ///< of the program, e.g. "0.1.0"
extern std::string_view const revision;  ///< of the sources: git commit, "-dirty" if changed; "unknown" outside a checkout

}  // namespace wattfill
