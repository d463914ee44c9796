#include "wattfill/core/sha256.hpp"

#include "support/catch.hpp"

TEST_CASE("sha256 equals the published digests (FIPS 180-2, appendix B)") {
  CHECK(wattfill::sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(wattfill::sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}
