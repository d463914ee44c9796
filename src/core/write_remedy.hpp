#pragma once

namespace wattfill {

/// What to do about an errno of opening, writing or renaming a file, for messages.
char const* write_remedy(int number);

}  // namespace wattfill
