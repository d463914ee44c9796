#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "sim/job_order.hpp"
#include "wattfill/core/exact_sum.hpp"
#include "wattfill/core/lanes.hpp"
#include "wattfill/core/large_pages.hpp"

namespace wattfill {

inline constexpr double never = std::numeric_limits<double>::infinity();  // a time that does not come

/// The clocks of a timeline run. All jobs that are treated alike share one: its progress reading grows by the speed they have (T/T_max), its energy reading by
/// the draw of one GPU. A job that enters with work left w finishes when the progress reading has grown by w, and has used its GPUs times the growth of the
/// energy reading. So a change of draw touches one clock, not its jobs.
///
/// Clocks stand in slots: `classes` of them (padded to `path_slots`) for the classes that a policy divides watts among; then the middle and upper part of the
/// class that the oracle splits; then fixed ones, made as needed, for jobs whose draw is given. A reading is anchored where its rate changed last and computed
/// from there: booking at more instants changes no bit.
class ClockBank {
 public:
  static constexpr std::uint32_t nowhere = static_cast<std::uint32_t>(-1);

  ClockBank(std::size_t classes, std::size_t jobs);

  std::size_t path_slots() const { return path_slots_; }
  std::size_t middle() const { return path_slots_; }
  std::size_t upper() const { return path_slots_ + 1; }
  std::size_t slots() const { return counts_.size(); }

  /// A fixed slot of this speed [T/T_max] and draw of one GPU [W]; of equal wishes the same slot. It is given back when its last job leaves.
  std::size_t fixed_slot(double speed, double draw_w, double t);

  /// A job of `gpus` GPUs starts to stand in a slot with `left_s` of work.
  void enter(std::uint32_t job, std::size_t slot, double gpus, double left_s, double t);
  /// It leaves; gives the work that is left, at least 0. Its energy so far stays with it.
  double leave(std::uint32_t job, double t);

  bool seated(std::uint32_t job) const { return seats_[job].clock != nowhere; }
  std::size_t slot_of(std::uint32_t job) const { return slot_of_clock_[seats_[job].clock]; }
  double gpus_of(std::uint32_t job) const { return seats_[job].gpus; }
  double left_of(std::uint32_t job, double t) const;
  /// Energy of the job so far [J], all its GPUs.
  double energy_of(std::uint32_t job, double t) const;

  /// When the first job of any slot finishes; infinity if none does at these rates. Valid after turn().
  double next_finish() const { return next_finish_; }
  /// Takes out a job that finishes at exactly t; nowhere if there is none (any more). Slots in order, in a slot by reading.
  std::uint32_t pop_finished(double t);
  /// A job that will finish soon after the one popped last; nowhere if none is known. For fetching what is kept of it.
  std::uint32_t soon() const { return soon_; }

  /// GPUs of path class c, all parts together; [path_slots].
  double const* class_gpus() const { return class_gpus_.data(); }
  double class_jobs(std::size_t c) const;
  double draw(std::size_t slot) const { return draw_[slot]; }
  double speed(std::size_t slot) const { return speed_[slot]; }
  double count(std::size_t slot) const { return counts_[slot]; }
  double gpus(std::size_t slot) const { return gpus_[slot]; }

  /// Draw of all fixed slots [W].
  double fixed_draw_w() const;
  /// What the draws and speeds should be from the next turn on; [slots]. Those of fixed slots are theirs.
  double* wanted_draws() { return wanted_draw_.data(); }
  double* wanted_speeds() { return wanted_speed_.data(); }
  /// Splits path class c: `up` jobs in the upper slot, one in the middle if `part`, the others in the class's own. Those with the least work left step up
  /// first, those with the most step down first, and nobody else moves. The class that was split before is put together again.
  void split(std::size_t c, double up, bool part, double t);
  /// Nobody is split.
  void join(double t);

  /// Sets the wanted rates at time t; gives the total draw [W].
  double turn(double t);

  /// Energy of all jobs in path and middle and upper slots and moving fixed ones, and of fixed slots of speed 0 (checkpoints, pauses, restarts) [J].
  double working_j(double t) const { return books(t, false); }
  double overhead_j(double t) const { return books(t, true); }

 private:
  struct Seat {
    double finish = 0;  // reading of the clock
    double energy = 0;  // [J, one GPU] while seated: what it used before less the reading when it came
    double gpus = 0;
    std::uint32_t clock = nowhere;
    std::uint32_t stamp = 0;
  };

  double progress(std::size_t slot, double t) const { return x_[slot] + speed_[slot] * (t - since_[slot]); }
  double energy(std::size_t slot, double t) const { return e_[slot] + draw_[slot] * (t - since_[slot]); }
  void book(std::size_t slot, double t);
  void add_gpus(std::size_t slot, double gpus, double jobs, double t);
  void drop_void_tops(std::size_t slot);
  void give_back_if_empty(std::size_t slot);
  void refresh_next(std::size_t slot);
  void grow_slots(std::size_t slots);
  void swap_slots(std::size_t a, std::size_t b);
  std::uint32_t take(std::size_t slot, bool least, double t, double& left);
  void move(std::size_t from, std::size_t to, bool least, double t);
  std::size_t class_of(std::size_t slot) const { return slot < path_slots_ ? slot : slot < path_slots_ + 2 ? split_ : nowhere; }
  bool is_void(JobOrder::Entry const& e) const { return seats_[e.job].stamp != e.stamp; }
  double books(double t, bool overhead) const;

  std::size_t path_slots_;
  std::size_t split_ = nowhere, popped_ = 0;  // popped_: no slot before it has jobs that finish at this instant
  std::uint32_t soon_ = nowhere;
  double next_finish_ = std::numeric_limits<double>::infinity();
  LaneVector draw_, speed_, x_, e_, since_, next_, until_, gpus_, booked_, wanted_draw_, wanted_speed_, class_gpus_;
  std::vector<double> counts_;
  std::vector<JobOrder> orders_;
  std::vector<std::size_t> void_entries_;
  std::vector<ExactSum> joules_, idle_joules_;  // by slot: at speeds above 0 or of the path; at speed 0 in fixed slots
  std::vector<std::uint32_t> clock_in_slot_, slot_of_clock_;
  std::vector<std::size_t> free_;
  struct Fixed {
    std::uint64_t speed_bits, draw_bits;
    std::size_t slot;
    auto key() const { return std::pair(speed_bits, draw_bits); }
  };
  std::vector<Fixed> fixed_;  // in use, by key
  std::vector<Seat, LargePages<Seat>> seats_;
};

}  // namespace wattfill
