#include "wattfill/training/project.hpp"

#include <algorithm>

#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

constexpr std::size_t shown_of_a_cycle = 8;

std::string name_of(Project const& project, std::size_t i) { return i < project.names.size() ? project.names[i] : "computation " + std::to_string(i); }

void check_indices(Project const& project) {
  auto const n = project.curve_of.size();
  if (n == 0) throw InputError("there is no computation (an iteration of nothing has no frontier); give at least one");
  for (std::size_t i = 0; i < n; ++i)
    if (project.curve_of[i] >= project.curves.size())
      throw InputError(name_of(project, i) + " has no cost model (its duration and energy are unknown); give one");
  for (auto const& edge : project.edges)
    if (edge.before >= n || edge.after >= n)
      throw InputError("an edge from " + std::to_string(edge.before) + " to " + std::to_string(edge.after) +
                       " names a computation that is not there (there are " + std::to_string(n) + ")");
}

/// Every computation with `waiting` > 0 waits for another such one: walking back among them must come round.
[[noreturn]] void throw_cycle(Project const& project, std::vector<std::size_t> const& waiting) {
  auto const n = waiting.size();
  std::vector<std::size_t> waits_for(n, n);
  for (auto const& edge : project.edges)
    if (waiting[edge.before] > 0 && waiting[edge.after] > 0) waits_for[edge.after] = edge.before;
  auto at = static_cast<std::size_t>(std::ranges::find_if(waiting, [](auto w) { return w > 0; }) - waiting.begin());
  for (std::size_t i = 0; i < n; ++i) at = waits_for[at];
  std::string text = name_of(project, at);
  std::size_t length = 0;
  auto const start = at;
  do {
    at = waits_for[at];
    ++length;
    if (length <= shown_of_a_cycle) text += " waits for " + name_of(project, at);
  } while (at != start);
  if (length > shown_of_a_cycle) text += " ... (" + std::to_string(length) + " in all)";
  throw InputError("the edges form a cycle (nothing in it could ever start): " + text + "; remove an edge");
}

}  // namespace

std::vector<std::size_t> topological_order(Project const& project) {
  check_indices(project);
  auto const n = project.curve_of.size();
  std::vector<std::size_t> waiting(n, 0), first(n + 1, 0), after(project.edges.size());
  for (auto const& edge : project.edges) {
    ++waiting[edge.after];
    ++first[edge.before + 1];
  }
  for (std::size_t i = 0; i < n; ++i) first[i + 1] += first[i];
  auto place = first;
  for (auto const& edge : project.edges) after[place[edge.before]++] = edge.after;

  std::vector<std::size_t> order;
  order.reserve(n);
  for (std::size_t i = 0; i < n; ++i)
    if (waiting[i] == 0) order.push_back(i);
  for (std::size_t next = 0; next < order.size(); ++next)
    for (std::size_t e = first[order[next]]; e < first[order[next] + 1]; ++e)
      if (--waiting[after[e]] == 0) order.push_back(after[e]);
  if (order.size() < n) throw_cycle(project, waiting);
  return order;
}

}  // namespace wattfill
