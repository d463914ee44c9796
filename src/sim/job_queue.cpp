#include "sim/job_queue.hpp"

#include <algorithm>

#include "wattfill/core/error.hpp"

namespace wattfill {

void JobQueue::push(std::uint32_t job, TimelineJob const& what) {
  if (!spec_.by_priority) return line_.push_back(job);
  // priority + aging x (t - submitted): t is the same for all, so that the order is that of priority - aging x submitted.
  ranked_.insert({spec_.aging_per_h / 3600 * what.submit_s - what.terms.priority, what.submit_s, job});
}

JobQueue::Reservation JobQueue::reserve(std::span<Running> running, double free, double needed) {
  std::ranges::sort(running, {}, &Running::end_s);
  std::size_t i = 0;
  while (i < running.size() && free < needed) free += running[i++].gpus;
  WATTFILL_ASSERT(free >= needed && i > 0);
  auto const time = running[i - 1].end_s;
  while (i < running.size() && running[i].end_s == time) free += running[i++].gpus;
  return {time, free - needed};
}

}  // namespace wattfill
