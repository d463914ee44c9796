// A curve library: metadata (YAML), a line of %%, points (CSV). What is accepted has usable curves.
#include <cmath>

#include "fuzz/fuzz.hpp"
#include "wattfill/scenario/library_file.hpp"

using namespace wattfill;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const parts = fuzz::parts_of(data, size, 2);
  auto const yaml = fuzz::folder().write("lib.yaml", parts[0]);
  fuzz::folder().write("lib.csv", parts[1]);
  fuzz::accepted([&] {
    auto const file = read_library(yaml);
    for (auto const& curve : file.library.curves) {
      auto const& c = curve.curve;
      fuzz::require(0 < c.min_draw() && c.min_draw() <= c.max_draw() && std::isfinite(c.max_draw()), "draws are above 0 and finite");
      double last = 0;
      for (int i = 0; i <= 16; ++i) {
        auto const speed = c.speed(c.min_draw() + (c.max_draw() - c.min_draw()) * i / 16);
        fuzz::require(std::isfinite(speed) && speed >= last, "speed is finite and does not fall with draw");
        last = speed;
      }
    }
  });
  return 0;
}
