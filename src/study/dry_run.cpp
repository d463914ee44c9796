#include <condition_variable>
#include <deque>
#include <mutex>
#include <stdexcept>

#include "wattfill/core/error.hpp"
#include "wattfill/study/communicator.hpp"

namespace wattfill {
namespace {

/// What the ranks of a dry run share.
struct Shared {
  explicit Shared(unsigned ranks) : queues(ranks), finished(ranks, false), gone(ranks, false), heard(ranks, 0) {}
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::deque<std::pair<std::uint64_t, std::string>>> queues;
  std::vector<bool> finished, gone;
  std::vector<std::string> said;  // by rank 0
  std::vector<std::size_t> heard;
};

class Thread final : public Communicator {
 public:
  Thread(std::shared_ptr<Shared> shared, unsigned rank) : shared_(std::move(shared)), rank_(rank) {}
  ~Thread() override {
    std::scoped_lock const lock(shared_->mutex);
    shared_->gone[rank_] = true;
    shared_->changed.notify_all();
  }
  unsigned rank() const override { return rank_; }
  unsigned ranks() const override { return static_cast<unsigned>(shared_->queues.size()); }

  void send(std::uint64_t piece, std::string_view payload) override {
    constexpr std::size_t most_under_way = 64;  // pieces
    std::unique_lock lock(shared_->mutex);
    auto& queue = shared_->queues[rank_];
    shared_->changed.wait(lock, [&] { return queue.size() < most_under_way || lost(0); });
    if (lost(0)) throw std::runtime_error("rank 0 has failed");
    queue.emplace_back(piece, payload);
    shared_->changed.notify_all();
  }
  std::pair<std::uint64_t, std::string> receive(unsigned from) override {
    std::unique_lock lock(shared_->mutex);
    auto& queue = shared_->queues[from];
    shared_->changed.wait(lock, [&] { return !queue.empty() || lost(from); });
    if (queue.empty()) throw std::runtime_error("rank " + std::to_string(from) + " has failed");
    auto message = std::move(queue.front());
    queue.pop_front();
    shared_->changed.notify_all();
    return message;
  }
  std::string broadcast(std::string text) override {
    std::unique_lock lock(shared_->mutex);
    auto const turn = shared_->heard[rank_]++;
    if (rank_ == 0) shared_->said.push_back(std::move(text));
    shared_->changed.notify_all();
    shared_->changed.wait(lock, [&] { return shared_->said.size() > turn || lost(0); });
    if (shared_->said.size() <= turn) throw std::runtime_error("rank 0 has failed");
    return shared_->said[turn];
  }
  void finish() override {
    std::scoped_lock const lock(shared_->mutex);
    shared_->finished[rank_] = true;
  }

 private:
  bool lost(unsigned rank) const { return shared_->gone[rank] && !shared_->finished[rank]; }

  std::shared_ptr<Shared> shared_;
  unsigned rank_;
};

}  // namespace

std::vector<std::unique_ptr<Communicator>> make_dry_run(unsigned ranks) {
  auto const shared = std::make_shared<Shared>(ranks);
  std::vector<std::unique_ptr<Communicator>> all;
  for (unsigned r = 0; r < ranks; ++r) all.push_back(std::make_unique<Thread>(shared, r));
  return all;
}

}  // namespace wattfill
