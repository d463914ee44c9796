#pragma once
#include <cstddef>
#include <functional>
#include <memory>

namespace wattfill {

/// Runs independent pieces of work side by side. Who runs what, and in which order, is not specified: results go into slots by index.
class Executor {
 public:
  virtual ~Executor() = default;
  Executor() = default;
  Executor(Executor const&) = delete;
  Executor& operator=(Executor const&) = delete;

  virtual unsigned threads() const = 0;
  /// Calls work(index, worker) once for every index in [0, count); worker < threads() names the calling thread's own scratch memory. The first
  /// exception is rethrown when all running calls have ended.
  virtual void for_each(std::size_t count, std::function<void(std::size_t index, unsigned worker)> const& work) const = 0;
};

/// Both take fewer threads where the system does not let them start as many; results do not depend on it.

/// oneTBB form. Under the thread sanitizer, which cannot see into Debian's libtbb, the std::thread form.
std::unique_ptr<Executor> make_executor(unsigned threads);
/// std::thread form.
std::unique_ptr<Executor> make_thread_executor(unsigned threads);

/// Threads that this process may use: what affinity, the cgroup's CPU quota and SLURM_CPUS_PER_TASK allow, at least 1.
unsigned available_threads();

}  // namespace wattfill
