#include "sim/clock_bank.hpp"

#include <algorithm>
#include <bit>

#include "wattfill/core/error.hpp"
#include "wattfill/core/hostdevice.hpp"

namespace wattfill {
namespace {

/// When the clock that reads x at `since` reads `next`. What is already there is there at once, also at speed 0.
double time_of(double since, double x, double speed, double next) { return next <= x ? since : since + (next - x) / speed; }

struct Rates {
  std::size_t stride;
  double *draw, *speed, *x, *e, *since, *until;
  double const *next, *gpus, *wanted_draw, *wanted_speed;
};
struct Turned {
  double power_w, next_finish;
};

/// Anchors every clock whose rates change at t, sets the rates, and finds the first finish.
WATTFILL_CLONES Turned turn_clocks(Rates r, double t) {
  auto const now = all<Quad>(t);
  Quad power{}, first = all<Quad>(never);
  for (std::size_t i = 0; i < r.stride; i += quad_count) {
    auto const draw = load<Quad>(r.draw + i), speed = load<Quad>(r.speed + i);
    auto const new_draw = load<Quad>(r.wanted_draw + i), new_speed = load<Quad>(r.wanted_speed + i);
    auto since = load<Quad>(r.since + i), x = load<Quad>(r.x + i);
    auto const next = load<Quad>(r.next + i);
    auto const e = load<Quad>(r.e + i);
    QuadMask const changed = (draw != new_draw) | (speed != new_speed);
    auto const dt = now - since;
    x = select(changed, x + speed * dt, x);
    store(r.e + i, select(changed, e + draw * dt, e));
    since = select(changed, now, since);
    store(r.x + i, x);
    store(r.since + i, since);
    store(r.draw + i, new_draw);
    store(r.speed + i, new_speed);
    power += load<Quad>(r.gpus + i) * new_draw;
    auto until = select(next <= x, since, since + (next - x) / new_speed);
    until = select(until < now, now, until);  // rounding may put it a digit before
    store(r.until + i, until);
    first = min_each(until, first);
  }
  return {sum_quad(power), min_quad(first)};
}

}  // namespace

ClockBank::ClockBank(std::size_t classes, std::size_t jobs) : path_slots_(padded(classes)), seats_(jobs) {
  grow_slots(path_slots_ + 2);
  class_gpus_.assign(path_slots_, 0.0);
}

void ClockBank::grow_slots(std::size_t slots) {
  auto const first = counts_.size(), stride = padded(slots);
  for (auto* a : {&draw_, &speed_, &x_, &e_, &since_, &gpus_, &booked_, &wanted_draw_, &wanted_speed_}) a->resize(stride, 0.0);
  for (auto* a : {&next_, &until_}) a->resize(stride, never);
  counts_.resize(stride, 0.0);
  orders_.resize(stride);
  void_entries_.resize(stride, 0);
  joules_.resize(stride);
  idle_joules_.resize(stride);
  for (auto s = first; s < stride; ++s) {
    clock_in_slot_.push_back(static_cast<std::uint32_t>(s));
    slot_of_clock_.push_back(static_cast<std::uint32_t>(s));
    if (s >= path_slots_ + 2) free_.push_back(s);
  }
}

std::size_t ClockBank::fixed_slot(double speed, double draw_w, double t) {
  Fixed wish{std::bit_cast<std::uint64_t>(speed), std::bit_cast<std::uint64_t>(draw_w), 0};
  auto const at = std::ranges::lower_bound(fixed_, wish.key(), {}, &Fixed::key);
  if (at != fixed_.end() && at->key() == wish.key()) return at->slot;
  auto const place = at - fixed_.begin();
  if (free_.empty()) grow_slots(counts_.size() + lane_count);
  auto const lowest = std::ranges::min_element(free_);
  wish.slot = *lowest;
  free_.erase(lowest);
  fixed_.insert(fixed_.begin() + place, wish);
  auto const s = wish.slot;
  x_[s] = e_[s] = booked_[s] = 0;
  since_[s] = t;
  draw_[s] = wanted_draw_[s] = draw_w;
  speed_[s] = wanted_speed_[s] = speed;
  return s;
}

void ClockBank::book(std::size_t slot, double t) {
  auto const reading = energy(slot, t);
  if (reading == booked_[slot]) return;
  auto const idle = slot >= path_slots_ + 2 && speed_[slot] == 0;
  (idle ? idle_joules_ : joules_)[slot].add(gpus_[slot] * (reading - booked_[slot]));
  booked_[slot] = reading;
}

void ClockBank::add_gpus(std::size_t slot, double gpus, double jobs, double t) {
  if (counts_[slot] > 0) {
    book(slot, t);
  } else {  // a fresh start: readings of an empty clock mean nothing, and small ones are more precise
    x_[slot] = e_[slot] = booked_[slot] = 0;
    since_[slot] = t;
  }
  gpus_[slot] += gpus;
  counts_[slot] += jobs;
  if (auto const c = class_of(slot); c < path_slots_) class_gpus_[c] += gpus;
}

void ClockBank::enter(std::uint32_t job, std::size_t slot, double gpus, double left_s, double t) {
  add_gpus(slot, gpus, 1, t);
  auto& seat = seats_[job];
  seat.finish = progress(slot, t) + left_s;
  seat.energy -= energy(slot, t);
  if (seat.gpus != gpus) {  // of another size: what it used per GPU counts for the new number
    seat.energy = (seat.energy + energy(slot, t)) * (seat.gpus / gpus) - energy(slot, t);
    seat.gpus = gpus;
  }
  seat.clock = clock_in_slot_[slot];
  ++seat.stamp;
  orders_[slot].push({seat.finish, job, seat.stamp});
  refresh_next(slot);
}

double ClockBank::left_of(std::uint32_t job, double t) const { return std::max(seats_[job].finish - progress(slot_of(job), t), 0.0); }

double ClockBank::energy_of(std::uint32_t job, double t) const {
  auto const& seat = seats_[job];
  return seat.gpus * (seat.clock == nowhere ? seat.energy : seat.energy + energy(slot_of(job), t));
}

double ClockBank::leave(std::uint32_t job, double t) {
  auto& seat = seats_[job];
  auto const slot = slot_of(job);
  auto const left = left_of(job, t);
  seat.energy += energy(slot, t);
  add_gpus(slot, -seat.gpus, -1, t);
  seat.clock = nowhere;
  ++seat.stamp;  // its entry is void now
  if (auto& dead = ++void_entries_[slot]; dead > 16 && 2 * dead > orders_[slot].size()) {
    orders_[slot].compact([&](JobOrder::Entry const& e) { return is_void(e); });
    dead = 0;
  }
  drop_void_tops(slot);
  refresh_next(slot);
  give_back_if_empty(slot);
  return left;
}

void ClockBank::give_back_if_empty(std::size_t slot) {
  if (slot < path_slots_ + 2 || counts_[slot] > 0) return;
  std::erase_if(fixed_, [&](Fixed const& f) { return f.slot == slot; });
  free_.push_back(slot);
  draw_[slot] = wanted_draw_[slot] = speed_[slot] = wanted_speed_[slot] = 0;
  until_[slot] = never;
}

void ClockBank::drop_void_tops(std::size_t slot) {
  if (void_entries_[slot] == 0) return;
  auto& order = orders_[slot];
  auto const drop = [&](auto top, auto pop) {
    while (!order.empty() && is_void(top())) {
      pop();
      --void_entries_[slot];
    }
  };
  drop([&] { return order.min(); }, [&] { order.pop_min(); });
  drop([&] { return order.max(); }, [&] { order.pop_max(); });
}

void ClockBank::refresh_next(std::size_t slot) { next_[slot] = orders_[slot].empty() ? never : orders_[slot].min().finish; }

std::uint32_t ClockBank::take(std::size_t slot, bool least, double t, double& left) {
  auto& order = orders_[slot];
  auto const entry = least ? order.min() : order.max();
  least ? order.pop_min() : order.pop_max();
  auto& seat = seats_[entry.job];
  left = std::max(entry.finish - progress(slot, t), 0.0);
  seat.energy += energy(slot, t);
  add_gpus(slot, -seat.gpus, -1, t);
  seat.clock = nowhere;
  drop_void_tops(slot);
  refresh_next(slot);
  if (!order.empty()) __builtin_prefetch(&seats_[least ? order.soon().job : order.max().job], 1);
  return entry.job;
}

std::uint32_t ClockBank::pop_finished(double t) {
  for (auto& s = popped_; s < counts_.size(); ++s) {
    if (until_[s] != t) continue;
    double left = 0;
    auto const job = take(s, true, t, left);
    until_[s] = counts_[s] > 0 ? std::max(time_of(since_[s], x_[s], speed_[s], next_[s]), t) : never;
    soon_ = orders_[s].empty() ? nowhere : orders_[s].soon().job;
    give_back_if_empty(s);
    return job;
  }
  return nowhere;
}

void ClockBank::move(std::size_t from, std::size_t to, bool least, double t) {
  double left = 0;
  auto const job = take(from, least, t, left);
  enter(job, to, seats_[job].gpus, left, t);
}

double ClockBank::class_jobs(std::size_t c) const { return counts_[c] + (c == split_ ? counts_[middle()] + counts_[upper()] : 0); }

void ClockBank::swap_slots(std::size_t a, std::size_t b) {
  for (auto* values : {&draw_, &speed_, &x_, &e_, &since_, &next_, &until_, &gpus_, &booked_}) std::swap((*values)[a], (*values)[b]);
  std::swap(counts_[a], counts_[b]);
  orders_[a].swap(orders_[b]);
  std::swap(void_entries_[a], void_entries_[b]);
  std::swap(clock_in_slot_[a], clock_in_slot_[b]);
  slot_of_clock_[clock_in_slot_[a]] = static_cast<std::uint32_t>(a);
  slot_of_clock_[clock_in_slot_[b]] = static_cast<std::uint32_t>(b);
}

void ClockBank::join(double t) {
  if (split_ == nowhere) return;
  if (counts_[upper()] > counts_[split_]) swap_slots(upper(), split_);
  while (counts_[upper()] > 0) move(upper(), split_, true, t);
  while (counts_[middle()] > 0) move(middle(), split_, true, t);
  split_ = nowhere;
}

void ClockBank::split(std::size_t c, double up, bool part, double t) {
  if (split_ != c) {
    join(t);
    split_ = c;
    if (2 * up > counts_[c]) swap_slots(c, upper());  // the smaller part moves
  }
  auto const most_up = up, in_middle = part ? 1.0 : 0.0;
  if (counts_[upper()] > most_up) {
    if (counts_[middle()] > 0) move(middle(), c, true, t);
    while (counts_[upper()] > most_up + 1) move(upper(), c, false, t);  // a stay at the middle clock of no length would change nothing
    move(upper(), middle(), false, t);
  }
  while (counts_[upper()] < most_up) move(counts_[middle()] > 0 ? middle() : c, upper(), true, t);
  while (counts_[middle()] > in_middle) move(middle(), c, true, t);
  if (counts_[middle()] < in_middle) move(c, middle(), true, t);
}

double ClockBank::fixed_draw_w() const {
  double sum = 0;
  for (auto s = path_slots_ + 2; s < counts_.size(); ++s) sum += gpus_[s] * draw_[s];
  return sum;
}

double ClockBank::turn(double t) {
  auto const turned = turn_clocks({draw_.size(), draw_.data(), speed_.data(), x_.data(), e_.data(), since_.data(), until_.data(), next_.data(), gpus_.data(),
                                   wanted_draw_.data(), wanted_speed_.data()},
                                  t);
  next_finish_ = turned.next_finish;
  popped_ = 0;
  return turned.power_w;
}

double ClockBank::books(double t, bool overhead) const {
  ExactSum total;
  for (std::size_t s = 0; s < counts_.size(); ++s) {
    total.add((overhead ? idle_joules_ : joules_)[s].value());
    auto const idle = s >= path_slots_ + 2 && speed_[s] == 0;
    if (idle == overhead) total.add(gpus_[s] * (energy(s, t) - booked_[s]));
  }
  return total.value();
}

}  // namespace wattfill
