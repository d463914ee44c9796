#include "wattfill/curve/curve_library.hpp"

#include "support/catch.hpp"

using namespace wattfill;

TEST_CASE("Provenance words are read back to what they were written from") {
  for (auto const provenance : {Provenance::measured, Provenance::digitised, Provenance::derived, Provenance::reconstructed})
    CHECK(provenance_from(to_string(provenance)) == provenance);
  CHECK(to_string(Provenance::digitised) == "digitised");
  CHECK_FALSE(provenance_from("Measured"));
  CHECK_FALSE(provenance_from(""));
}

TEST_CASE("A curve is found by its name alone and called by library and name") {
  CurveLibrary library;
  library.name = "lab";
  CHECK(library.find("a") == nullptr);
  PowerSpeedCurve const points({{100, 90, 1}, {200, 190, 2}});
  for (auto const* name : {"a", "b"})
    library.curves.push_back({.library = "lab",
                              .name = name,
                              .architecture = {},
                              .task = {},
                              .model = {},
                              .gpus = 1,
                              .speed_unit = {},
                              .provenance = Provenance::measured,
                              .flop_per_unit = {},
                              .telemetry = {},
                              .curve = points});
  REQUIRE(library.find("b") == &library.curves[1]);
  CHECK(library.find("b")->id() == "lab/b");
  CHECK(library.find("lab/b") == nullptr);
}
