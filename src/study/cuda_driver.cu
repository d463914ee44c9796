// Devices, memory and errors of CUDA.
#include <cuda_runtime.h>

#include "study/cuda_launch.hpp"

namespace wattfill {
namespace {

void check(cudaError_t status, std::string const& where) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // else the next call reports it again
  auto const fault = status == cudaErrorNoDevice           ? DeviceFault::no_device
                     : status == cudaErrorMemoryAllocation ? DeviceFault::out_of_memory
                                                           : DeviceFault::other;
  throw device_error(fault, where, cudaGetErrorString(status));
}

std::string version_text(int version) { return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); }

class CudaDriver final : public DeviceDriver {
 public:
  CudaDriver() {
    int has = 0;  // stays so where there is no driver; the count alone would call it too old
    if (cudaDriverGetVersion(&has) == cudaSuccess && has == 0) throw device_error(DeviceFault::no_device, {}, "no NVIDIA driver is installed");
    auto const status = cudaGetDeviceCount(&count_);
    if (status == cudaErrorInsufficientDriver)
      throw device_error(DeviceFault::driver_too_old, {}, "it has " + version_text(has) + ", wattfill " + version_text(CUDART_VERSION));
    check(status, "CUDA");
  }
  std::size_t devices() const override { return static_cast<std::size_t>(count_); }
  std::string name(std::size_t device) const override {
    cudaDeviceProp about{};
    check(cudaGetDeviceProperties(&about, static_cast<int>(device)), "CUDA device " + std::to_string(device));
    return "CUDA device " + std::to_string(device) + ", " + about.name;
  }
  std::uint64_t free_bytes(std::size_t device) const override {
    std::size_t free = 0, total = 0;
    on(device, [&] { return cudaMemGetInfo(&free, &total); });
    return free;
  }
  void* allocate(std::size_t device, std::size_t bytes) const override {
    void* memory = nullptr;
    on(device, [&] { return cudaMalloc(&memory, bytes); });
    return memory;
  }
  void release(std::size_t device, void* memory) const noexcept override {
    cudaSetDevice(static_cast<int>(device));
    cudaFree(memory);
  }
  void upload(std::size_t device, void* to, void const* from, std::size_t bytes) const override {
    on(device, [&] { return cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice); });
    on(device, [] { return cudaDeviceSynchronize(); });  // else a launch of another thread may come before the last bytes
  }
  void download(std::size_t device, void* to, void const* from, std::size_t bytes) const override {
    on(device, [&] { return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost); });
  }
  void score(std::size_t device, DevicePlan const& plan, DeviceView const& view, DeviceLaunch const& launch, double* scores) const override {
    on(device, [&] {
      launch_score(plan, view, launch, scores);
      return cudaGetLastError();
    });
  }

  void fold(std::size_t device, DeviceFold const& fold, double const* rows, double* sums) const override {
    on(device, [&] {
      launch_fold(fold, rows, sums);
      return cudaGetLastError();
    });
  }
  void evaluate(std::size_t device, CurveBatchView const& curves, CurveQuery query, std::size_t count, std::uint32_t const* which, double const* x,
                double* answers) const override {
    on(device, [&] {
      launch_curves(curves, query, count, which, x, answers);
      return cudaGetLastError();
    });
  }

 private:
  template <class Call>
  void on(std::size_t device, Call const& call) const {
    check(cudaSetDevice(static_cast<int>(device)), "CUDA device " + std::to_string(device));
    if (auto const status = call(); status != cudaSuccess) check(status, name(device));
  }

  int count_ = 0;
};

}  // namespace

std::unique_ptr<DeviceDriver> cuda_driver() {
  auto driver = std::make_unique<CudaDriver>();
  if (driver->devices() == 0) throw device_error(DeviceFault::no_device, {}, {});
  return driver;
}

}  // namespace wattfill
