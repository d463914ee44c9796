#include "wattfill/core/sha256.hpp"

#include <fstream>

#include "support/catch.hpp"
#include "support/folder.hpp"

TEST_CASE("sha256 equals the published digests (FIPS 180-2, appendix B)") {
  CHECK(wattfill::sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(wattfill::sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_CASE("the digest of a file is that of its bytes, however many pieces it is read in; a missing file has none") {
  wattfill::testing::Folder const folder("sha256");
  std::string bytes;
  for (int i = 0; i < 200000; ++i) bytes += static_cast<char>(i * 37);
  std::ofstream(folder / "f", std::ios::binary) << bytes;
  CHECK(wattfill::sha256_of_file(folder / "f") == wattfill::sha256(bytes));
  CHECK(wattfill::sha256_of_file(folder / "missing").empty());
}
