#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <span>
#include <vector>

#include "wattfill/sim/timeline_spec.hpp"

namespace wattfill {

/// The jobs that wait, in the order in which they are to start.
class JobQueue {
 public:
  explicit JobQueue(QueueSpec const& spec) : spec_(spec) {}

  /// Jobs are pushed in the order of their numbers, which is that of arrival.
  void push(std::uint32_t job, TimelineJob const& what);
  bool empty() const { return size() == 0; }
  std::size_t size() const { return spec_.by_priority ? ranked_.size() : line_.size(); }
  std::uint32_t head() const { return spec_.by_priority ? ranked_.begin()->job : line_.front(); }
  void pop_head() { spec_.by_priority ? static_cast<void>(ranked_.erase(ranked_.begin())) : line_.pop_front(); }

  /// A running job: when it is expected to end, and its GPUs.
  struct Running {
    double end_s, gpus;
  };
  /// Where the head of the queue is reserved its GPUs: the first time at which enough of them are expected to be free, and how many others are then left.
  struct Reservation {
    double time_s, spare;
  };
  /// `running` is reordered. The head needs more than `free` GPUs and no more than there are in all.
  static Reservation reserve(std::span<Running> running, double free, double needed);

  /// EASY backfill: jobs behind the head that may start now at time t on `free` GPUs without delaying the reservation, in order; they leave the queue.
  /// `may` says whether a job could start for all other reasons; it is asked once per job that would fit, and jobs it lets through count as started.
  template <class May>
  void backfill(double t, double free, Reservation reserved, std::span<TimelineJob const> jobs, May may) {
    if (spec_.by_priority) {
      backfill_from(ranked_, t, free, reserved, jobs, may);
    } else {
      backfill_from(line_, t, free, reserved, jobs, may);
    }
  }

 private:
  struct Ranked {
    double rank;  // lower starts first; a job's place among others does not change while it waits
    double submit_s;
    std::uint32_t job;
    auto operator<=>(Ranked const&) const = default;
  };
  static std::uint32_t number(Ranked const& waiting) { return waiting.job; }
  static std::uint32_t number(std::uint32_t waiting) { return waiting; }

  template <class Waiting, class May>
  void backfill_from(Waiting& waiting, double t, double free, Reservation reserved, std::span<TimelineJob const> jobs, May may) {
    std::size_t looked = 0;
    for (auto next = std::next(waiting.begin()); next != waiting.end() && looked < spec_.depth && free > 0; ++looked) {
      auto const candidate = number(*next);
      auto const& job = jobs[candidate];
      auto const estimate = job.estimate_s < 0 ? job.work_s : job.estimate_s;
      auto const in_time = t + estimate <= reserved.time_s;
      if (job.gpus <= free && (in_time || job.gpus <= reserved.spare) && may(candidate)) {
        free -= job.gpus;
        if (!in_time) reserved.spare -= job.gpus;
        next = waiting.erase(next);
      } else {
        ++next;
      }
    }
  }

  QueueSpec spec_;
  std::deque<std::uint32_t> line_;  // those who wait, if their order is that of arrival
  std::set<Ranked> ranked_;         // else
};

}  // namespace wattfill
