#include "wattfill/study/device.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <limits>
#include <map>
#include <thread>

#include "study/device_fold.hpp"
#include "wattfill/sim/device_kernel.hpp"

namespace wattfill {
namespace {

/// Replications that share a block: 128 threads, fewer where their memory would not fit.
constexpr unsigned most_groups = 16;
/// Shared memory that a block gets without asking, on every device.
constexpr std::size_t block_memory = 48 * 1024;
constexpr std::uint64_t most_blocks = std::numeric_limits<std::int32_t>::max();

/// Pretended devices: blocks, their groups and the lanes of a group are loops, and shared memory holds garbage at the start of each block.
class HostDriver final : public DeviceDriver {
 public:
  HostDriver(std::vector<std::uint64_t> free_bytes, bool backwards) : backwards_(backwards) {
    for (auto const bytes : free_bytes) devices_.push_back({bytes, {}});
  }
  std::size_t devices() const override { return devices_.size(); }
  std::string name(std::size_t device) const override { return "pretended device " + std::to_string(device); }
  std::uint64_t free_bytes(std::size_t device) const override { return devices_[device].free; }
  void* allocate(std::size_t device, std::size_t bytes) const override {
    auto& own = devices_[device];
    if (bytes > own.free)
      throw device_error(DeviceFault::out_of_memory, name(device), std::to_string(bytes) + " bytes asked for, " + std::to_string(own.free) + " free");
    own.free -= bytes;
    std::vector<double> memory((bytes + sizeof(double) - 1) / sizeof(double), std::numeric_limits<double>::quiet_NaN());
    auto* const at = memory.data();
    own.held.emplace(at, Held{std::move(memory), bytes});
    return at;
  }
  void release(std::size_t device, void* memory) const noexcept override {
    auto& own = devices_[device];
    auto const held = own.held.find(memory);
    own.free += held->second.bytes;
    own.held.erase(held);
  }
  void upload(std::size_t, void* to, void const* from, std::size_t bytes) const override { std::memcpy(to, from, bytes); }
  void download(std::size_t, void* to, void const* from, std::size_t bytes) const override { std::memcpy(to, from, bytes); }
  void score(std::size_t, DevicePlan const& plan, DeviceView const& view, DeviceLaunch const& launch, double* scores) const override {
    HostLanes const lanes(backwards_);
    auto const blocks = plan.blocks(launch.count);
    std::vector<double> shared(plan.scratch_bytes / sizeof(double));
    for (unsigned i = 0; i < blocks; ++i) {
      std::ranges::fill(shared, std::numeric_limits<double>::quiet_NaN());
      auto const block = backwards_ ? blocks - 1 - i : i;
      for (unsigned thread = 0; thread < plan.threads; thread += device_lanes) run_group(view, launch, lanes, block, thread, shared.data(), scores);
    }
  }
  void fold(std::size_t, DeviceFold const& fold, double const* rows, double* sums) const override {
    auto const items = fold.items();
    for (std::uint64_t i = 0; i < items; ++i) fold_item(fold, rows, backwards_ ? items - 1 - i : i, sums);
  }
  void evaluate(std::size_t, CurveBatchView const& curves, CurveQuery query, std::size_t count, std::uint32_t const* which, double const* x,
                double* answers) const override {
    for (std::size_t i = 0; i < count; ++i) answers[i] = curves.answer(query, which[i], x[i]);
  }

 private:
  struct Held {
    std::vector<double> memory;
    std::size_t bytes;
  };
  struct Device {
    std::uint64_t free;
    std::map<void*, Held> held;
  };
  mutable std::vector<Device> devices_;
  bool backwards_;
};

std::string kilobytes(std::uint64_t bytes) { return std::to_string((bytes + 1023) / 1024) + " kB"; }

}  // namespace

DeviceError device_error(DeviceFault fault, std::string_view where, std::string_view detail) {
  std::string const at(where), said = detail.empty() ? "" : " (" + std::string(detail) + ")";
  switch (fault) {
    case DeviceFault::not_built: return {fault, "built without CUDA (configure with -DWATTFILL_CUDA=ON); use --device cpu or auto"};
    case DeviceFault::no_device: return {fault, "no CUDA device was found" + said + "; use --device cpu, or look at nvidia-smi and CUDA_VISIBLE_DEVICES"};
    case DeviceFault::driver_too_old:
      return {fault, "the NVIDIA driver is older than the CUDA that wattfill was built with" + said +
                         "; update the driver, build with an older CUDA, or use --device cpu"};
    case DeviceFault::out_of_memory:
      return {fault, at + " is out of memory" + said + "; end what else runs on it, use fewer policies or cuts, or use --device cpu"};
    case DeviceFault::none:
    case DeviceFault::other: break;
  }
  return {DeviceFault::other, at + " failed" + said + "; use --device cpu, or --device auto to go on without it"};
}

DevicePlan plan_device(DeviceTables const& tables, std::uint64_t free_bytes, unsigned workers, std::uint64_t most, std::string_view where) {
  auto const scratch = device_scratch(tables.header.stride) * sizeof(double);
  if (scratch > block_memory)
    throw device_error(DeviceFault::other, where,
                       "one replication of " + std::to_string(tables.header.classes) + " classes needs " + std::to_string(scratch) +
                           " bytes of shared memory, there are " + std::to_string(block_memory));
  DevicePlan plan{};
  plan.groups = static_cast<unsigned>(std::min<std::uint64_t>(most_groups, block_memory / scratch));
  plan.threads = plan.groups * device_lanes;
  plan.scratch_bytes = plan.groups * scratch;
  // Behind the rows of a launch their sums: nine for each column, and the objectives of as many blocks as rows, and one.
  auto const row = tables.scores_per_replication * sizeof(double), cells = row / score::count, fixed = 9 * row + cells;
  auto const block = (row + cells) * plan.groups, usable = free_bytes - free_bytes / 16;  // the driver and its pages take some of it
  auto const each = usable < tables.image.size() ? 0 : (usable - tables.image.size()) / workers;
  if (each < fixed + block)
    throw device_error(DeviceFault::out_of_memory, where,
                       kilobytes(tables.image.size() + (fixed + block) * workers) + " are needed at least, " + kilobytes(usable) + " are free");
  auto const blocks = std::min((each - fixed) / block, (most + plan.groups - 1) / plan.groups);
  plan.chunk = std::min(blocks, most_blocks) * plan.groups;
  plan.output_bytes = plan.chunk * (row + cells) + fixed;
  return plan;
}

std::unique_ptr<DeviceDriver> host_driver(std::vector<std::uint64_t> free_bytes, bool backwards) {
  return std::make_unique<HostDriver>(std::move(free_bytes), backwards);
}

#ifndef WATTFILL_CUDA
std::unique_ptr<DeviceDriver> cuda_driver() { throw device_error(DeviceFault::not_built, {}, {}); }
#endif

void evaluate_curves(DeviceDriver const& driver, CurveBatch const& curves, CurveQuery query, std::span<std::uint32_t const> which, std::span<double const> x,
                     std::span<double> answers) {
  WATTFILL_ASSERT(which.size() == x.size() && x.size() == answers.size());
  auto const count = x.size(), devices = driver.devices();
  auto const each = (count + devices - 1) / devices;
  auto const work = [&](std::size_t device) {
    auto const from = std::min(count, device * each), until = std::min(count, from + each);
    auto const points = curves.points() * sizeof(double), starts = (curves.curves() + 1) * sizeof(std::uint32_t);
    auto const usable = driver.free_bytes(device) / 16 * 15, fixed = 2 * points + starts;
    constexpr std::size_t query_bytes = sizeof(std::uint32_t) + 2 * sizeof(double), most = std::size_t{1} << 24U;
    if (usable < fixed + query_bytes)
      throw device_error(DeviceFault::out_of_memory, driver.name(device),
                         kilobytes(fixed + query_bytes) + " are needed at least, " + kilobytes(usable) + " are free");
    auto const chunk = std::min({most, (usable - fixed) / query_bytes, until - from});
    if (chunk == 0) return;
    DeviceMemory const draws(driver, device, points), speeds(driver, device, points), first(driver, device, starts);
    DeviceMemory const asked(driver, device, chunk * sizeof(std::uint32_t)), at(driver, device, chunk * sizeof(double)),
        out(driver, device, chunk * sizeof(double));
    auto const here = curves.view();
    driver.upload(device, draws.as<void>(), here.draws, points);
    driver.upload(device, speeds.as<void>(), here.speeds, points);
    driver.upload(device, first.as<void>(), here.first, starts);
    for (std::size_t i = from; i < until; i += chunk) {
      auto const some = std::min(chunk, until - i);
      driver.upload(device, asked.as<void>(), which.data() + i, some * sizeof(std::uint32_t));
      driver.upload(device, at.as<void>(), x.data() + i, some * sizeof(double));
      driver.evaluate(device, {draws.as<double>(), speeds.as<double>(), first.as<std::uint32_t>()}, query, some, asked.as<std::uint32_t>(), at.as<double>(),
                      out.as<double>());
      driver.download(device, answers.data() + i, out.as<void>(), some * sizeof(double));
    }
  };
  std::vector<std::exception_ptr> failures(devices);
  {
    std::vector<std::jthread> threads;
    for (std::size_t d = 0; d < devices; ++d)
      threads.emplace_back([&, d] {
        try {
          work(d);
        } catch (...) {
          failures[d] = std::current_exception();
        }
      });
  }
  for (auto const& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

DeviceMix::DeviceMix(DeviceDriver const& driver, DeviceTables const& tables, unsigned workers, std::uint64_t most)
    : driver_(driver), header_(tables.header), columns_(tables.scores_per_replication) {
  auto const devices = static_cast<unsigned>(driver.devices());
  for (unsigned i = 0; i < std::min(devices, workers); ++i) {
    auto const plan = plan_device(tables, driver.free_bytes(i), (workers - i + devices - 1) / devices, most, driver.name(i));
    devices_.push_back({plan, DeviceMemory(driver, i, tables.image.size())});
    driver.upload(i, devices_.back().image.as<void>(), tables.image.data(), tables.image.size());
  }
  for (unsigned w = 0; w < workers; ++w) scores_.emplace_back(driver, w % devices, devices_[w % devices].plan.output_bytes);
}

void DeviceMix::launch(unsigned worker, std::uint64_t first, std::uint64_t count) const {
  auto const device = worker % devices_.size();
  auto const& [plan, image] = devices_[device];
  driver_.score(device, plan, {header_, image.as<unsigned char>()}, {first, count, plan.groups}, scores_[worker].as<double>());
}

void DeviceMix::score(unsigned worker, std::uint64_t first, std::span<double> scores) const {
  WATTFILL_ASSERT(worker < scores_.size() && scores.size() % columns_ == 0);
  auto const device = worker % devices_.size();
  auto const count = scores.size() / columns_, chunk = devices_[device].plan.chunk;
  for (std::uint64_t done = 0; done < count; done += chunk) {
    auto const some = std::min(chunk, count - done);
    launch(worker, first + done, some);
    driver_.download(device, scores.data() + done * columns_, scores_[worker].as<double>(), some * columns_ * sizeof(double));
  }
}

bool DeviceMix::fold(unsigned worker, std::uint64_t first, DeviceFold const& fold, std::span<double> sums) const {
  WATTFILL_ASSERT(worker < scores_.size() && fold.columns == columns_ && sums.size() == fold.numbers());
  auto const device = worker % devices_.size();
  if (fold.rows > devices_[device].plan.chunk) return false;
  auto* const rows = scores_[worker].as<double>();
  auto* const there = rows + fold.rows * columns_;
  launch(worker, first, fold.rows);
  driver_.fold(device, fold, rows, there);
  driver_.download(device, sums.data(), there, sums.size_bytes());
  return true;
}

}  // namespace wattfill
