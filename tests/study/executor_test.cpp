#include "wattfill/study/executor.hpp"

#include <atomic>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "wattfill/core/error.hpp"

using namespace wattfill;

namespace {

/// Calls test(executor) for both forms and several numbers of threads. One after the other: oneTBB's forms that live at one time limit each other.
template <class Test>
void with_every_executor(Test test) {
  for (unsigned threads : {1U, 2U, 3U, 8U})
    for (auto make : {make_executor, make_thread_executor}) test(*make(threads));
}

}  // namespace

TEST_CASE("every index is worked on once, and no two calls share a worker at one time") {
  with_every_executor([](Executor const& executor) {
    CAPTURE(executor.threads());
    for (std::size_t count : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> calls(count), busy(executor.threads());
      std::atomic<int> wrong{0};
      executor.for_each(count, [&](std::size_t i, unsigned worker) {
        if (worker >= executor.threads() || busy[worker]++ != 0) ++wrong;
        ++calls[i];
        if (worker < executor.threads()) --busy[worker];
      });
      CHECK(wrong == 0);
      for (auto const& n : calls) CHECK(n == 1);
    }
  });
}

TEST_CASE("an exception inside comes out as itself, once, and the executor goes on working") {
  with_every_executor([](Executor const& executor) {
    CAPTURE(executor.threads());
    for (int round = 0; round < 3; ++round) {
      std::atomic<int> running{0};
      CHECK_THROWS_AS(executor.for_each(500,
                                        [&](std::size_t i, unsigned) {
                                          ++running;
                                          --running;
                                          if (i % 100 == 7) throw InputError("seven");
                                        }),
                      InputError);
      CHECK(running == 0);
      CHECK_THROWS_AS(executor.for_each(1, [](std::size_t, unsigned) { throw Interrupted(); }), Interrupted);
      std::atomic<int> calls{0};
      executor.for_each(50, [&](std::size_t, unsigned) { ++calls; });
      CHECK(calls == 50);
    }
  });
}

TEST_CASE("no threads at all means one") {
  CHECK(make_executor(0)->threads() == 1);
  CHECK(make_thread_executor(0)->threads() == 1);
}

TEST_CASE("the threads one may use are at least one, and no more than SLURM grants") {
  auto const* before = std::getenv("SLURM_CPUS_PER_TASK");
  std::string const kept = before == nullptr ? "" : before;
  unsetenv("SLURM_CPUS_PER_TASK");
  auto const all = available_threads();
  CHECK(all >= 1);
  setenv("SLURM_CPUS_PER_TASK", "1", 1);
  CHECK(available_threads() == 1);
  for (auto odd : {"0", "-3", "many", "100000"}) {
    setenv("SLURM_CPUS_PER_TASK", odd, 1);
    CHECK(available_threads() == all);
  }
  kept.empty() ? unsetenv("SLURM_CPUS_PER_TASK") : setenv("SLURM_CPUS_PER_TASK", kept.c_str(), 1);
}
