#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wattfill/core/error.hpp"
#include "wattfill/curve/curve_batch.hpp"
#include "wattfill/sim/device_view.hpp"
#include "wattfill/sim/scores.hpp"

namespace wattfill {

/// What keeps a device from working.
enum class DeviceFault { none, not_built, no_device, driver_too_old, out_of_memory, other };

/// A device could not do its work; the message says which, why, and what to do.
class DeviceError : public MachineError {
 public:
  DeviceError(DeviceFault why, std::string const& what) : MachineError(what), fault(why) {}
  DeviceFault fault;
};
/// The error of a fault. `where` names the device, `detail` is what its driver said.
DeviceError device_error(DeviceFault fault, std::string_view where, std::string_view detail);

/// How the replications of a mix are given to one device: memory is known before anything is allocated.
struct DevicePlan {
  unsigned groups;             ///< replications of one block
  unsigned threads;            ///< of one block
  std::size_t scratch_bytes;   ///< shared memory of one block
  std::uint64_t chunk;         ///< replications of one launch at most
  std::uint64_t output_bytes;  ///< of one launch at most: scores, and what they are added up to

  unsigned blocks(std::uint64_t replications) const { return static_cast<unsigned>((replications + groups - 1) / groups); }
};
/// Plans for a device with `free_bytes` of memory for the tables and the scores of `workers` launches of up to `most` replications side by side. Throws
/// DeviceError if the tables and a block of each worker do not fit, or if one replication needs more shared memory than every device has.
DevicePlan plan_device(DeviceTables const& tables, std::uint64_t free_bytes, unsigned workers, std::uint64_t most, std::string_view where);

/// How the rows of a launch are added up on the device, so that only sums come to the host: what a study's chunk is folded to.
struct DeviceFold {
  static constexpr std::uint64_t absent = static_cast<std::uint64_t>(-1);
  std::uint64_t rows, columns;      ///< columns: scores of a replication
  std::uint64_t length;             ///< columns of one policy
  std::uint64_t reference, oracle;  ///< where the columns begin that all policies are compared with; absent: no differences
  std::uint64_t block, into_block;  ///< replications of a block of the bootstrap; how many of the first block came before

  std::uint64_t blocks() const { return (into_block + rows - 1) / block + 1; }
  std::uint64_t items() const { return 3 * columns + blocks() * (columns / score::count); }
  /// Three times (scores, differences to reference and oracle) first, sum and squares of every column, then [block][policy][target] sums of the objective.
  std::uint64_t numbers() const { return 9 * columns + blocks() * (columns / score::count); }
};

/// What CUDA does for us, and nothing else: memory, copies and launches. Everything above it is tested on the host. All functions throw DeviceError. Memory is
/// made and given back by one thread; launches and downloads of several threads run side by side.
class DeviceDriver {
 public:
  virtual ~DeviceDriver() = default;
  virtual std::size_t devices() const = 0;
  virtual std::string name(std::size_t device) const = 0;
  virtual std::uint64_t free_bytes(std::size_t device) const = 0;
  virtual void* allocate(std::size_t device, std::size_t bytes) const = 0;
  virtual void release(std::size_t device, void* memory) const noexcept = 0;
  virtual void upload(std::size_t device, void* to, void const* from, std::size_t bytes) const = 0;
  /// Waits for the launches of the calling thread.
  virtual void download(std::size_t device, void* to, void const* from, std::size_t bytes) const = 0;
  /// Scores of launch.count replications, see device_kernel.hpp. `view` and `scores` lie on the device.
  virtual void score(std::size_t device, DevicePlan const& plan, DeviceView const& view, DeviceLaunch const& launch, double* scores) const = 0;
  /// Adds up rows, see device_fold.hpp; `rows` and `sums` lie on the device.
  virtual void fold(std::size_t device, DeviceFold const& fold, double const* rows, double* sums) const = 0;
  /// answers[i] = what `curves` answers for curve which[i] at x[i], i < count. All of it lies on the device.
  virtual void evaluate(std::size_t device, CurveBatchView const& curves, CurveQuery query, std::size_t count, std::uint32_t const* which, double const* x,
                        double* answers) const = 0;
};

/// The same decomposition into blocks and lanes as loops on the host, with memory of the given sizes, for tests of indices, chunks and tails. `backwards`:
/// blocks and lanes in reverse.
std::unique_ptr<DeviceDriver> host_driver(std::vector<std::uint64_t> free_bytes, bool backwards = false);
/// All CUDA devices that are visible (CUDA_VISIBLE_DEVICES). Throws DeviceError if there is none, or if this build has no CUDA.
std::unique_ptr<DeviceDriver> cuda_driver();

/// Memory of a device, released with its owner.
class DeviceMemory {
 public:
  DeviceMemory(DeviceDriver const& driver, std::size_t device, std::size_t bytes) : driver_(&driver), device_(device), at_(driver.allocate(device, bytes)) {}
  DeviceMemory(DeviceMemory&& other) noexcept : driver_(other.driver_), device_(other.device_), at_(std::exchange(other.at_, nullptr)) {}
  DeviceMemory& operator=(DeviceMemory&&) = delete;
  ~DeviceMemory() {
    if (at_ != nullptr) driver_->release(device_, at_);
  }
  template <class T>
  T* as() const {
    return static_cast<T*>(at_);
  }

 private:
  DeviceDriver const* driver_;
  std::size_t device_;
  void* at_;
};

/// Speeds at draws, or draws for speeds, of many curves: answers[i] is what curve which[i] < curves.curves() answers at x[i], see CurveView. Devices take index
/// ranges, as much at a time as their memory holds. Throws DeviceError where not even the curves fit.
void evaluate_curves(DeviceDriver const& driver, CurveBatch const& curves, CurveQuery query, std::span<std::uint32_t const> which, std::span<double const> x,
                     std::span<double> answers);

/// A mix on all devices of a driver, which outlives it. Worker w has memory of its own on device w modulo their number, so that several devices take different
/// ranges of replications.
class DeviceMix {
 public:
  /// For calls of up to `most` replications. Throws DeviceError where memory does not suffice.
  DeviceMix(DeviceDriver const& driver, DeviceTables const& tables, unsigned workers, std::uint64_t most);

  /// Scores of scores.size() / scores_per_replication replications from `first` on, as Snapshot::replicate has them. Different workers may call it side by
  /// side.
  void score(unsigned worker, std::uint64_t first, std::span<double> scores) const;
  /// Sums of fold.rows replications from `first` on: fold.numbers() of them. False: memory holds too few rows at a time.
  bool fold(unsigned worker, std::uint64_t first, DeviceFold const& fold, std::span<double> sums) const;

 private:
  void launch(unsigned worker, std::uint64_t first, std::uint64_t count) const;

  struct OnDevice {
    DevicePlan plan;
    DeviceMemory image;
  };
  DeviceDriver const& driver_;
  DeviceHeader header_;
  std::size_t columns_;
  std::vector<OnDevice> devices_;
  std::vector<DeviceMemory> scores_;  // of each worker, with room for their sums behind
};

}  // namespace wattfill
