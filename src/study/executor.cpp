#include "wattfill/study/executor.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace wattfill {
namespace {

class TbbExecutor final : public Executor {
 public:
  explicit TbbExecutor(unsigned threads)
      : threads_(threads), control_(oneapi::tbb::global_control::max_allowed_parallelism, threads), arena_(static_cast<int>(threads)) {}

  unsigned threads() const override { return threads_; }
  void for_each(std::size_t count, std::function<void(std::size_t, unsigned)> const& work) const override {
    arena_.execute([&] {
      oneapi::tbb::parallel_for(std::size_t{0}, count,
                                [&](std::size_t i) { work(i, static_cast<unsigned>(oneapi::tbb::this_task_arena::current_thread_index())); });
    });
  }

 private:
  unsigned threads_;
  oneapi::tbb::global_control control_;
  mutable oneapi::tbb::task_arena arena_;
};

class ThreadExecutor final : public Executor {
 public:
  explicit ThreadExecutor(unsigned threads) : threads_(threads) {}

  unsigned threads() const override { return threads_; }
  void for_each(std::size_t count, std::function<void(std::size_t, unsigned)> const& work) const override {
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex failing;
    auto const run = [&](unsigned worker) {
      for (auto i = next++; i < count; i = next++) {
        try {
          work(i, worker);
        } catch (...) {
          next = count;
          std::scoped_lock const lock(failing);
          if (!failure) failure = std::current_exception();
        }
      }
    };
    {
      std::vector<std::jthread> others;
      for (unsigned w = 1; w < threads_ && w < count; ++w) others.emplace_back(run, w);
      run(0);
    }
    if (failure) std::rethrow_exception(failure);
  }

 private:
  unsigned threads_;
};

/// CPUs that the cgroup's quota is worth (cgroup v2, then v1), rounded up; 0: no quota.
unsigned cgroup_cpus() {
  double quota = 0, period = 0;
  if (std::ifstream v2("/sys/fs/cgroup/cpu.max"); v2) {
    std::string word;
    if (!(v2 >> word >> period) || word == "max") return 0;
    quota = std::atof(word.c_str());
  } else {
    std::ifstream quota_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"), period_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
    if (!(quota_file >> quota) || !(period_file >> period)) return 0;
  }
  return quota > 0 && period > 0 ? std::max(1U, static_cast<unsigned>(quota / period + 0.999)) : 0;
}

/// How many of `wanted` threads the system lets us start (limits on processes or memory): this one, and those that can stand beside it.
unsigned startable(unsigned wanted) {
  std::atomic<bool> enough{false};
  std::vector<std::jthread> others;
  try {
    while (others.size() + 1 < wanted)
      others.emplace_back([&] {
        std::vector<char> const own(1 << 16);  // a thread that allocates takes address space of its own
        enough.wait(false);
      });
  } catch (std::system_error const&) {
    // as many as there are
  } catch (std::bad_alloc const&) {
    // likewise
  }
  enough = true;
  enough.notify_all();
  auto const started = static_cast<unsigned>(others.size()) + 1;
  return started == wanted ? started : std::max(1U, started / 2);  // room to spare where the limit was met
}

}  // namespace

std::unique_ptr<Executor> make_thread_executor(unsigned threads) { return std::make_unique<ThreadExecutor>(startable(std::max(1U, threads))); }

std::unique_ptr<Executor> make_executor(unsigned threads) {
#ifdef __SANITIZE_THREAD__
  return make_thread_executor(threads);
#else
  return std::make_unique<TbbExecutor>(startable(std::max(1U, threads)));
#endif
}

unsigned available_threads() {
  auto threads = std::max(1U, std::thread::hardware_concurrency());
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) threads = std::max(1U, static_cast<unsigned>(CPU_COUNT(&allowed)));
  if (auto const quota = cgroup_cpus(); quota > 0) threads = std::min(threads, quota);
  if (auto const* slurm = std::getenv("SLURM_CPUS_PER_TASK"); slurm != nullptr && std::atoi(slurm) > 0)
    threads = std::min(threads, static_cast<unsigned>(std::atoi(slurm)));
  return threads;
}

}  // namespace wattfill
