#include "wattfill/core/error.hpp"

#include <utility>

#include "wattfill/core/quotation.hpp"

namespace wattfill {

std::string to_string(Problem const& problem) {
  std::string text;
  auto const& at = problem.at;
  if (!at.file.empty()) {
    text += at.file.starts_with("--") ? shortened(at.file, 140) : at.file;  // a path is shown whole, so that it can be found
    if (at.line > 0) text += ":" + std::to_string(at.line);
    if (at.line > 0 && at.column > 0) text += ":" + std::to_string(at.column);
    text += ": ";
  }
  if (!problem.key.empty()) text += shortened(problem.key, 200) + ": ";
  return text + problem.what;
}

namespace {

std::string joined(std::vector<Problem> const& problems) {
  std::string text;
  for (auto const& problem : problems) {
    if (!text.empty()) text += '\n';
    text += to_string(problem);
  }
  return text;
}

std::vector<Problem> bounded(std::vector<Problem> problems) {
  if (problems.size() > InputError::max_problems) {
    auto const more = problems.size() - InputError::max_problems;
    problems.resize(InputError::max_problems);
    problems.push_back({{}, {}, "and " + std::to_string(more) + " more mistakes"});
  }
  return problems;
}

}  // namespace

InputError::InputError(Problem problem) : InputError(std::vector<Problem>{std::move(problem)}) {}

InputError::InputError(std::vector<Problem> problems) : std::runtime_error(joined(bounded(problems))), problems_(bounded(std::move(problems))) {}

void assertion_failed(char const* condition, char const* file, int line) { throw Defect(std::string(file) + ":" + std::to_string(line) + ": " + condition); }

}  // namespace wattfill
