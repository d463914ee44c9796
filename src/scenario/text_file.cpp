#include "wattfill/scenario/text_file.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <numeric>
#include <system_error>

#include "wattfill/core/error.hpp"
#include "wattfill/core/quotation.hpp"

namespace wattfill {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  auto distance = b.size();
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto diagonal = i - 1;
    distance = row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      auto const above = row[j];
      distance = row[j] = std::min({above + 1, distance + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return distance;
}

}  // namespace

std::string checked_utf8(std::string text, std::string const& file_name) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  int line = 1, column = 1;
  for (std::size_t i = 0; i < text.size();) {
    auto const length = utf8_length(std::string_view(text).substr(i));
    if (length == 0 || text[i] == '\0')
      throw InputError(Problem{{file_name, line, column}, "", "not UTF-8 text (names and numbers cannot be read from it); save the file as UTF-8"});
    if (text[i] == '\n') {
      ++line;
      column = 1;
    } else {
      ++column;
    }
    i += length;
  }
  return text;
}

std::string read_text_file(std::filesystem::path const& file, std::size_t max_bytes) {
  std::error_code error;
  auto const status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) throw InputError(Problem{{file.string(), 0, 0}, "", "there is no such file; check the path"});
  if (std::filesystem::is_directory(status)) throw InputError(Problem{{file.string(), 0, 0}, "", "is a folder; name a file in it"});
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError(Problem{{file.string(), 0, 0}, "", "cannot be opened; check its permissions"});
  std::string text;
  std::array<char, 1 << 16> block;
  while (in.read(block.data(), block.size()), in.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > max_bytes)
      throw InputError(Problem{{file.string(), 0, 0},
                               "",
                               "is longer than " + std::to_string(max_bytes) + " bytes (it would be held in memory whole); check the path, or split the file"});
  }
  if (in.bad()) throw InputError(Problem{{file.string(), 0, 0}, "", "cannot be read; check the disk and the permissions"});
  return checked_utf8(std::move(text), file.string());
}

std::string nearest(std::string_view word, std::vector<std::string> const& candidates) {
  constexpr std::size_t longest = 200;  // of megabytes no slip of the pen is looked for: that takes as long as both lengths multiplied
  if (word.size() > longest) return {};
  std::string best;
  auto least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (auto const& candidate : candidates) {
    if (candidate.size() > longest) continue;
    auto const distance = edit_distance(word, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, std::vector<std::string> const& candidates, std::string_view label) {
  auto const near = nearest(word, candidates);
  if (!near.empty()) return "; did you mean " + quotation(near) + "?";
  return candidates.empty() ? std::string() : "; " + std::string(label) + ": " + listed(candidates);
}

std::string listed(std::vector<std::string> const& words) {
  constexpr std::size_t most = 30;
  std::string text;
  for (std::size_t i = 0; i < std::min(words.size(), most); ++i) text += (i == 0 ? "" : ", ") + shortened(words[i], 200);
  return words.size() <= most ? text : text + " and " + std::to_string(words.size() - most) + " more";
}

}  // namespace wattfill
