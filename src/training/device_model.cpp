#include "wattfill/training/device_model.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "wattfill/core/error.hpp"
#include "wattfill/core/fixed_math.hpp"
#include "wattfill/core/text.hpp"

namespace wattfill {
namespace {

constexpr int narrow_block = 512;

/// The running of one partition: computations and communication side by side.
class DeviceRun {
 public:
  DeviceRun(DeviceModel const& device, PartitionShape const& shape, PartitionSetting const& setting)
      : device_(device), shape_(shape), setting_(setting), speed_(setting.clock_mhz / device.top_mhz) {
    auto const sm_rate = device.sm_byte_per_s * (setting.block > narrow_block ? device.wide_block : 1);
    by_sms_s_ = shape.message_bytes / (sm_rate * setting.sms * speed_);
    by_link_s_ = shape.message_bytes / device.link_byte_per_s;
  }

  PartitionCost cost() {
    auto const n = shape_.groups.size();
    auto const begin = setting_.start < 0 ? n : index(&ComputeGroup::first, setting_.start);
    auto const end = setting_.start < 0 ? n : index(&ComputeGroup::last, setting_.end);
    if (setting_.start >= 0 && end < begin) refuse("ends before it starts");
    for (std::size_t g = 0; g < n; ++g) {
      if (g == begin) left_ = 1;
      compute(shape_.groups[g]);
      if (g == end) finish();
    }
    if (begin == n) left_ = 1;
    finish();
    auto const scale = fixed_pow(speed_, device_.clock_exponent);
    double dynamic_j = device_.link_byte_j * shape_.message_bytes + scale * speed_ * device_.sm_w * setting_.sms * communicating_s_;
    for (auto const& g : shape_.groups) dynamic_j += scale * device_.flop_j * g.flop + device_.byte_j * g.bytes;
    return {time_s_, device_.static_w * time_s_ + dynamic_j};
  }

 private:
  [[noreturn]] void refuse(char const* what) const {
    throw InputError("communication from " + std::to_string(setting_.start) + " to " + std::to_string(setting_.end) + " " + what +
                     "; name the first number of a group as start and the last number of a group as end");
  }
  std::size_t index(int ComputeGroup::*member, int wanted) const {
    auto const found = std::ranges::find(shape_.groups, wanted, member);
    if (found == shape_.groups.end()) refuse("fits no group of computations");
    return static_cast<std::size_t>(found - shape_.groups.begin());
  }

  double alone_s(ComputeGroup const& g) const { return std::max(g.flop / (device_.flop_per_s * speed_), g.bytes / device_.byte_per_s); }
  double beside_s(ComputeGroup const& g) const {
    return std::max(g.flop / (device_.flop_per_s * speed_ * (device_.sms - setting_.sms) / device_.sms),
                    g.bytes / (device_.byte_per_s * (1 - device_.memory_taken)));
  }
  double message_s(bool beside) const { return std::max(by_sms_s_, by_link_s_ * (beside ? 1 + device_.link_slowed : 1)); }

  void compute(ComputeGroup const& g) {
    if (left_ == 0) {
      time_s_ += alone_s(g);
      return;
    }
    auto const whole_s = beside_s(g), message = left_ * message_s(true);
    if (message >= whole_s) {
      time_s_ += whole_s;
      communicating_s_ += whole_s;
      left_ -= whole_s / message_s(true);
      return;
    }
    time_s_ += message + (1 - message / whole_s) * alone_s(g);  // what is left of the group runs alone
    communicating_s_ += message;
    left_ = 0;
  }
  void finish() {
    auto const s = left_ * message_s(false);
    time_s_ += s;
    communicating_s_ += s;
    left_ = 0;
  }

  DeviceModel const& device_;
  PartitionShape const& shape_;
  PartitionSetting const& setting_;
  double speed_, by_sms_s_ = 0, by_link_s_ = 0;
  double left_ = 0;  // share of the message
  double time_s_ = 0, communicating_s_ = 0;
};

double squared(double x) { return x * x; }

/// Hooke and Jeeves on factors: each parameter is tried a little larger and smaller, steps shrink where nothing helps.
void pattern_search(std::vector<double*> const& parameters, std::function<double()> const& badness, int sweeps) {
  std::vector<double> step(parameters.size(), 0.2);
  auto best = badness();
  for (int s = 0; s < sweeps; ++s) {
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      auto const before = *parameters[p];
      bool better = false;
      for (double factor : {1 + step[p], 1 / (1 + step[p])}) {
        *parameters[p] = before * factor;
        if (auto const now = badness(); now < best) {
          best = now;
          better = true;
          break;
        }
        *parameters[p] = before;
      }
      step[p] = std::clamp(step[p] * (better ? 1.3 : 0.6), 1e-6, 0.5);
    }
  }
}

}  // namespace

PartitionCost cost_of(DeviceModel const& device, PartitionShape const& shape, PartitionSetting const& setting) {
  if (!(setting.sms >= 1 && setting.sms < device.sms))
    throw InputError(std::to_string(setting.sms) + " SMs for communication of a GPU that has " + number_text(device.sms) + "; leave some to both");
  if (!(setting.clock_mhz > 0)) throw InputError("a clock of " + number_text(setting.clock_mhz) + " MHz; clocks are positive");
  return DeviceRun(device, shape, setting).cost();
}

ModelError model_error(DeviceModel const& device, PartitionShape const& shape, std::vector<PartitionSetting> const& settings,
                       std::vector<PartitionCost> const& costs) {
  ModelError error;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    auto const c = cost_of(device, shape, settings[i]);
    auto const time = c.time_s / costs[i].time_s - 1, energy = c.energy_j / costs[i].energy_j - 1;
    error.time_rms += squared(time) / static_cast<double>(settings.size());
    error.energy_rms += squared(energy) / static_cast<double>(settings.size());
    error.time_worst = std::max(error.time_worst, std::fabs(time));
    error.energy_worst = std::max(error.energy_worst, std::fabs(energy));
  }
  error.time_rms = std::sqrt(error.time_rms);
  error.energy_rms = std::sqrt(error.energy_rms);
  return error;
}

void calibrate(DeviceModel& device, PartitionShape& shape, std::vector<PartitionSetting> const& settings, std::vector<PartitionCost> const& costs, int sweeps) {
  std::vector<double*> time{&device.link_byte_per_s, &device.sm_byte_per_s, &device.wide_block, &device.memory_taken, &device.link_slowed};
  for (auto& g : shape.groups) {
    time.push_back(&g.flop);
    time.push_back(&g.bytes);
  }
  auto const possible = [&] { return device.memory_taken < 0.95; };
  constexpr double impossible = 1e300;
  pattern_search(
      time, [&] { return possible() ? model_error(device, shape, settings, costs).time_rms : impossible; }, sweeps);
  std::vector<double*> const energy{&device.flop_j, &device.byte_j, &device.link_byte_j, &device.sm_w, &device.clock_exponent};
  pattern_search(
      energy, [&] { return possible() ? model_error(device, shape, settings, costs).energy_rms : impossible; }, sweeps);
}

}  // namespace wattfill
