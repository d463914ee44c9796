#pragma once
#include <cstdint>

namespace wattfill {

/// The InputError of a deadline [time steps] that nothing can meet.
[[noreturn]] void throw_too_short(double deadline, std::int64_t shortest);

}  // namespace wattfill
