#pragma once
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "wattfill/core/error.hpp"
#include "wattfill/core/lanes.hpp"
#include "wattfill/sim/snapshot.hpp"
#include "wattfill/study/device.hpp"
#include "wattfill/study/study.hpp"

namespace wattfill {

/// Makes the replications of a mix on the devices that the options name, if they name some and the mix can run there.
class MixDevice {
 public:
  /// For `workers` threads that ask for up to `most` replications at a time.
  MixDevice(Snapshot const& snapshot, std::string const& mix, RunOptions const& options, unsigned workers, std::uint64_t most) : mix_(mix), options_(options) {
    if (options.device == nullptr) return;
    if (auto const reason = snapshot.why_not_on_device(); !reason.empty()) {
      if (!options.device_note) throw InputError({{}, "--device", "mixes." + mix + " cannot be made on a device (" + reason + "); use --device auto or cpu"});
      options.device_note("mixes." + mix + " is made on the host: " + reason);
      return;
    }
    try {
      on_device_.emplace(*options.device, snapshot.device_tables(), workers, most);
    } catch (DeviceError const& error) {
      fall_back(error);
    }
  }

  /// False: the host has to make them.
  bool score(unsigned worker, std::uint64_t first, std::span<double> rows) {
    return attempt([&] {
      on_device_->score(worker, first, rows);
      return true;
    });
  }
  /// The sums of replications that nobody wants to see one by one, see DeviceMix::fold; likewise.
  bool fold(unsigned worker, std::uint64_t first, DeviceFold const& fold, LaneVector& sums) {
    return attempt([&] {
      sums.resize(fold.numbers());
      return on_device_->fold(worker, first, fold, sums);
    });
  }

 private:
  template <class Work>
  bool attempt(Work const& work) {
    if (!on_device_ || failed_) return false;
    try {
      return work();
    } catch (DeviceError const& error) {
      fall_back(error);
      return false;
    }
  }
  void fall_back(DeviceError const& error) {
    if (!options_.device_note) throw error;
    if (!failed_.exchange(true)) options_.device_note("mixes." + mix_ + " is made on the host: " + error.what());
  }

  std::string mix_;
  RunOptions const& options_;
  std::optional<DeviceMix> on_device_;
  std::atomic<bool> failed_{false};
};

}  // namespace wattfill
