#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wattfill {

/// Ranks that make one study together: they hand finished pieces to rank 0, which folds them. Three forms: this process alone; several ranks as threads of one
/// process, for tests; MPI, where the program was built with WATTFILL_MPI and started by mpirun or srun. Used by one thread of each rank.
class Communicator {
 public:
  virtual ~Communicator() = default;
  Communicator() = default;
  Communicator(Communicator const&) = delete;
  Communicator& operator=(Communicator const&) = delete;

  virtual unsigned rank() const = 0;
  virtual unsigned ranks() const = 0;
  /// Not rank 0: hands a piece over. What was sent first arrives first. Waits only where rank 0 is far behind.
  virtual void send(std::uint64_t piece, std::string_view payload) = 0;
  /// Rank 0: the next piece of that rank; waits for it.
  virtual std::pair<std::uint64_t, std::string> receive(unsigned from) = 0;
  /// What rank 0 gives, at every rank.
  virtual std::string broadcast(std::string text) = 0;
  /// Waits until what was sent has arrived.
  virtual void finish() = 0;
};

/// MPI's, if this process was started as one of its ranks, else one of this process alone. Throws InputError if it was started as one of several ranks and the
/// program was built without MPI.
std::unique_ptr<Communicator> make_communicator();
/// This process alone.
std::unique_ptr<Communicator> make_local_communicator();
/// Ranks of one process, each for a thread of its own. If one goes without finish(), what others wait for from it throws std::runtime_error.
std::vector<std::unique_ptr<Communicator>> make_dry_run(unsigned ranks);

/// The end of a program that may be a rank: with a code other than 0 all ranks end, with that code.
void end_ranks(int code);

}  // namespace wattfill
