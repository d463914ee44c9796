#include "wattfill/study/communicator.hpp"

#include <cstdlib>

#include "wattfill/core/error.hpp"

#ifdef WATTFILL_MPI
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <climits>
#include <deque>
#endif

namespace wattfill {
namespace {

class Local final : public Communicator {
 public:
  unsigned rank() const override { return 0; }
  unsigned ranks() const override { return 1; }
  void send(std::uint64_t, std::string_view) override { throw Defect("a piece was sent to nobody"); }
  std::pair<std::uint64_t, std::string> receive(unsigned) override { throw Defect("a piece was awaited from nobody"); }
  std::string broadcast(std::string text) override { return text; }
  void finish() override {}
};

/// How many ranks this process was started as one of, by what launchers tell in the environment.
int started_ranks() {
  for (auto const* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"})
    if (auto const* size = std::getenv(name); size != nullptr) return std::atoi(size);
  return 1;
}

#ifdef WATTFILL_MPI

void expect(int code, char const* doing) {
  if (code != MPI_SUCCESS) throw MachineError(std::string("MPI failed to ") + doing + "; see its own message");
}

class Mpi final : public Communicator {
 public:
  Mpi() {
    int provided = 0;
    expect(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "start");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }
  unsigned rank() const override { return static_cast<unsigned>(rank_); }
  unsigned ranks() const override { return static_cast<unsigned>(ranks_); }

  void send(std::uint64_t piece, std::string_view payload) override {
    constexpr std::size_t most_under_way = 256U << 20U;  // bytes
    while (!sent_.empty() && (under_way_ > most_under_way || arrived())) pop();
    auto& message = sent_.emplace_back();
    message.text.assign(reinterpret_cast<char const*>(&piece), sizeof piece);
    message.text += payload;
    if (message.text.size() > INT_MAX) throw MachineError("a piece of more than 2 GB cannot travel between ranks; use --rows summary");
    under_way_ += message.text.size();
    expect(MPI_Isend(message.text.data(), static_cast<int>(message.text.size()), MPI_BYTE, 0, 0, MPI_COMM_WORLD, &message.request), "send");
  }
  std::pair<std::uint64_t, std::string> receive(unsigned from) override {
    MPI_Status status;
    int size = 0;
    expect(MPI_Probe(static_cast<int>(from), 0, MPI_COMM_WORLD, &status), "receive");
    MPI_Get_count(&status, MPI_BYTE, &size);
    std::string text(static_cast<std::size_t>(size), '\0');
    expect(MPI_Recv(text.data(), size, MPI_BYTE, static_cast<int>(from), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "receive");
    std::uint64_t piece = 0;
    text.copy(reinterpret_cast<char*>(&piece), sizeof piece);
    return {piece, text.substr(sizeof piece)};
  }
  std::string broadcast(std::string text) override {
    auto size = static_cast<std::uint64_t>(text.size());
    expect(MPI_Bcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD), "broadcast");
    text.resize(size);
    expect(MPI_Bcast(text.data(), static_cast<int>(size), MPI_BYTE, 0, MPI_COMM_WORLD), "broadcast");
    return text;
  }
  void finish() override {
    while (!sent_.empty()) pop();
  }

 private:
  struct Message {
    std::string text;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  bool arrived() {
    int done = 0;
    expect(MPI_Test(&sent_.front().request, &done, MPI_STATUS_IGNORE), "send");
    return done != 0;
  }
  void pop() {
    expect(MPI_Wait(&sent_.front().request, MPI_STATUS_IGNORE), "send");
    under_way_ -= sent_.front().text.size();
    sent_.pop_front();
  }

  int rank_ = 0, ranks_ = 1;
  std::deque<Message> sent_;  // a deque: what is under way stays where it is
  std::size_t under_way_ = 0;
};

#endif

}  // namespace

std::unique_ptr<Communicator> make_local_communicator() { return std::make_unique<Local>(); }

std::unique_ptr<Communicator> make_communicator() {
#ifdef WATTFILL_MPI
  if (started_ranks() > 1) return std::make_unique<Mpi>();
#else
  if (started_ranks() > 1)
    throw InputError(
        "this is one of several ranks (mpirun), but the program was built without MPI: each would run the whole study; configure with -DWATTFILL_MPI=ON, or "
        "use --shard I/N");
#endif
  return make_local_communicator();
}

void end_ranks([[maybe_unused]] int code) {
#ifdef WATTFILL_MPI
  int begun = 0;
  MPI_Initialized(&begun);
  if (begun == 0) return;
  if (code != 0) MPI_Abort(MPI_COMM_WORLD, code);
  MPI_Finalize();
#endif
}

}  // namespace wattfill
