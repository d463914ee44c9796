#pragma once
// What the fuzz targets share: an input may be refused with an InputError; anything else that is thrown, found by a sanitizer or takes long is a defect.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "support/folder.hpp"
#include "wattfill/core/error.hpp"

namespace wattfill::fuzz {

/// The files of one input: texts divided by lines of `%%`. At least `least` of them, the last ones empty if need be.
inline std::vector<std::string> parts_of(std::uint8_t const* data, std::size_t size, std::size_t least) {
  static constexpr std::string_view divider = "\n%%\n";
  std::string_view rest(reinterpret_cast<char const*>(data), size);
  std::vector<std::string> parts;
  while (parts.size() + 1 < least) {
    auto const end = rest.find(divider);
    parts.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + divider.size());
  }
  parts.emplace_back(rest);
  return parts;
}

/// One folder for the whole run of a target; TMPDIR says where (tests/fuzz/smoke: in memory).
inline testing::Folder const& folder() {
  static testing::Folder const made("fuzz");
  return made;
}

/// What must hold of every input that is accepted.
inline void require(bool holds, char const* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

/// What the last refusal said; a run without a sanitizer's view of branches takes what is said for what was reached (mutations.cpp).
inline std::string& last_refusal() {
  static std::string said;
  return said;
}

/// Runs what may refuse its input; says whether it was accepted. A refusal has something to say.
template <class Act>
bool accepted(Act const& act) {
  try {
    act();
    return true;
  } catch (InputError const& error) {
    require(!std::string_view(error.what()).empty(), "a refusal says what is wrong");
    require(std::string_view(error.what()).size() < 100'000, "a refusal is short enough to be read");
    last_refusal() = error.what();
    return false;
  }
}

}  // namespace wattfill::fuzz
