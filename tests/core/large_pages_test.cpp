#include "wattfill/core/large_pages.hpp"

#include <cstdint>
#include <numeric>
#include <vector>

#include "support/catch.hpp"

using namespace wattfill;

TEST_CASE("Small and large arrays keep what is written, and large ones begin at a page of their own") {
  for (std::size_t n : {1U, 1000U, 524'287U, 524'288U, 2'000'000U}) {
    std::vector<std::uint64_t, LargePages<std::uint64_t>> numbers(n);
    std::iota(numbers.begin(), numbers.end(), std::uint64_t{1});
    numbers.push_back(n + 1);  // moves to an array of another size
    CHECK(std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0}) == (n + 1) * (n + 2) / 2);
    auto* const memory = allocate_large(n * 8);
    CHECK(reinterpret_cast<std::uintptr_t>(memory) % (n * 8 >= (4U << 20U) ? 2U << 20U : 64U) == 0);
    free_large(memory, n * 8);
  }
}
