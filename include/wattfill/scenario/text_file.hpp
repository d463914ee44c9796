#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "wattfill/core/text.hpp"

namespace wattfill {

/// The text of an input file without its byte-order mark. Throws InputError if it is missing, a folder, not readable, longer than `max_bytes`, or not
/// UTF-8 (with line and column of the first bad byte).
std::string read_text_file(std::filesystem::path const& file, std::size_t max_bytes = static_cast<std::size_t>(-1));

/// Takes a byte-order mark off and refuses text that is not UTF-8.
std::string checked_utf8(std::string text, std::string const& file_name);

/// The candidate nearest to `word` by edit distance if it is near enough to be a slip of the pen (a third of the letters), else "".
std::string nearest(std::string_view word, std::vector<std::string> const& candidates);

/// `; did you mean "x"?` or, where nothing is near, `; <label>: a, b, c`.
std::string suggestion(std::string_view word, std::vector<std::string> const& candidates, std::string_view label = "there are");

/// "a, b, c"; of more than 30, how many more
std::string listed(std::vector<std::string> const& words);

}  // namespace wattfill
