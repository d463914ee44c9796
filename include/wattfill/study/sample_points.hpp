#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace wattfill {

/// Points that fill the unit cube [0, 1)^names.size() more evenly than chance, a coordinate a name; [point][name]. Functions of their arguments alone.

/// The first points of Sobol's sequence (Joe and Kuo's directions, Boost.Random) without its first, which is the origin; the first 2^k - 1 of them and the
/// origin hit every interval [i, i+1) / 2^k of every coordinate once. At most 3667 names; the order of the names matters.
std::vector<std::vector<double>> sobol_points(std::size_t count, std::size_t names);

/// A Latin hypercube (McKay, Beckman and Conover 1979): every interval [i, i+1) / count of every coordinate holds one point, at a random place. A coordinate
/// follows from its name and the seed: adding another leaves it.
std::vector<std::vector<double>> latin_hypercube(std::size_t count, std::span<std::string const> names, std::uint64_t seed);

}  // namespace wattfill
