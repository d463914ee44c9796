#include "wattfill/study/device.hpp"

#include <atomic>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/snapshots.hpp"
#include "wattfill/sim/device_kernel.hpp"
#include "wattfill/study/study.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

constexpr std::uint64_t plenty = std::uint64_t{1} << 33U;

struct Case {
  std::deque<Curve> curves;
  MixSpec mix;
  std::vector<PolicySpec> policies{policy("equal-split"), policy("proportional"), policy("pfi-ranked"), policy("oracle")};

  explicit Case(std::size_t classes, std::uint64_t seed = 3) {
    Draws draws(seed);
    curves = random_curves(draws, classes);
    mix.name = "mix";
    mix.jobs = 1 + 3 * classes;
    mix.draw = {group("all", pointers(curves))};
  }
  Snapshot snapshot(std::vector<double> const& at = {0.1, 0.35}) const { return {mix, policies, cuts(at), {}, Objective::gpu_speed, 5}; }
};

std::vector<double> on_host(Snapshot const& snapshot, std::uint64_t first, std::uint64_t count) {
  Snapshot::Worker worker(snapshot);
  std::vector<double> scores(count * snapshot.scores_per_replication());
  for (std::uint64_t r = 0; r < count; r += Snapshot::batch) {
    auto const some = std::min<std::uint64_t>(Snapshot::batch, count - r);
    snapshot.replicate(first + r, some, worker, std::span(scores).subspan(r * snapshot.scores_per_replication(), some * snapshot.scores_per_replication()));
  }
  return scores;
}

std::vector<double> on_devices(Snapshot const& snapshot, DeviceDriver const& driver, std::uint64_t first, std::uint64_t count) {
  std::vector<double> scores(count * snapshot.scores_per_replication());
  auto const workers = static_cast<unsigned>(2 * driver.devices());
  DeviceMix const mix(driver, snapshot.device_tables(), workers, (count + 2) / 3);
  auto const columns = snapshot.scores_per_replication();
  for (std::uint64_t r = 0, w = 0; r < count; ++w) {  // pieces of 1, 2, 3, ... replications
    auto const some = std::min(w + 1, count - r);
    mix.score(static_cast<unsigned>(w % workers), first + r, std::span(scores).subspan(r * columns, some * columns));
    r += some;
  }
  return scores;
}

class NoRows final : public RowSink {
 public:
  void format(std::size_t, std::uint64_t, std::uint64_t, std::span<double const>, RowText&) const override {}
  void write(std::string_view, std::string_view) override {}
};

/// Every mean, half-width and gap of a study.
std::vector<double> numbers_of(StudySpec const& study, unsigned threads, RunOptions const& options) {
  std::vector<double> all;
  auto const result = run_study(study, *make_executor(threads), options);
  for (auto const& mix : result.mixes) {
    for (auto const* moments : {&mix.scores, &mix.vs_reference, &mix.vs_oracle})
      for (std::size_t c = 0; moments->count() > 0 && c < result.policies * result.targets * result.scores; ++c) {
        all.push_back(moments->mean(c));
        all.push_back(moments->half_width(c));
      }
    for (auto const& gap : mix.gap_closed) all.insert(all.end(), {gap.value, gap.low, gap.high});
  }
  return all;
}

template <class Act>
std::string failure(Act act) {
  try {
    act();
  } catch (DeviceError const& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("blocks and lanes as loops give the host's bits: many classes or one, counts that do not fill a block, several devices, either order") {
  for (std::size_t classes : {1, 2, 7, 8, 9, 25, 130}) {
    Case const c(classes);
    auto const snapshot = c.snapshot();
    for (std::uint64_t count : {1, 15, 16, 17, 33}) {
      auto const expected = on_host(snapshot, 11, count);
      for (std::size_t devices : {1, 3}) {
        CAPTURE(classes, count, devices);
        std::vector<std::uint64_t> const memory(devices, plenty);
        REQUIRE(same_bits(on_devices(snapshot, *host_driver(memory), 11, count), expected));
        REQUIRE(same_bits(on_devices(snapshot, *host_driver(memory, true), 11, count), expected));
      }
    }
  }
}

TEST_CASE("a device with little memory works in chunks, with the same bits") {
  Case const c(25);
  auto const snapshot = c.snapshot();
  auto const tables = snapshot.device_tables();
  auto const row = tables.scores_per_replication * sizeof(double);
  auto const cells = row / score::count;  // the objectives of a replication, which are added up, too
  auto const room = [&](std::uint64_t blocks, std::uint64_t workers = 1) {
    return (tables.image.size() + workers * (blocks * 16 * (row + cells) + 9 * row + 2 * cells)) * 16 / 15;
  };
  CHECK(plan_device(tables, room(1), 1, 1000, "x").chunk == 16);
  CHECK(plan_device(tables, room(3), 1, 1000, "x").chunk == 48);
  CHECK(plan_device(tables, room(3, 2), 2, 1000, "x").chunk == 48);
  CHECK(plan_device(tables, plenty, 2, 1000, "x").chunk == 1008);  // whole blocks
  auto const expected = on_host(snapshot, 0, 131);
  for (std::uint64_t blocks : {1, 3}) {
    auto const driver = host_driver({room(blocks)});
    std::vector<double> scores(expected.size());
    DeviceMix(*driver, tables, 1, 131).score(0, 0, scores);
    CHECK(same_bits(scores, expected));
  }
}

TEST_CASE("plans keep to the memory that there is, in whole blocks, for any device and mix (600 random cases)") {
  Draws draws(8);
  for (int i = 0; i < 600; ++i) {
    DeviceTables tables;
    tables.header.classes = 1 + draws.below(draws.chance(0.5) ? 40 : 1000);
    tables.header.stride = (tables.header.classes + 7) / 8 * 8;
    tables.scores_per_replication = 16 * (1 + draws.below(2000));
    tables.image.resize(draws.below(1000000));
    auto const free = static_cast<std::uint64_t>(draws.between(0, draws.chance(0.5) ? 3e6 : 2e10));
    auto const workers = static_cast<unsigned>(1 + draws.below(70));
    auto const most = 1 + draws.below(5000);
    CAPTURE(tables.header.classes, tables.scores_per_replication, tables.image.size(), free, workers, most);
    try {
      auto const plan = plan_device(tables, free, workers, most, "x");
      DeviceFold const fold{plan.chunk, tables.scores_per_replication, 16, 0, 0, 1 + draws.below(3), 0};
      REQUIRE(plan.output_bytes >= (plan.chunk * tables.scores_per_replication + fold.numbers()) * sizeof(double));
      REQUIRE(tables.image.size() + workers * plan.output_bytes <= free);
      REQUIRE((plan.groups >= 1 && plan.chunk % plan.groups == 0 && plan.chunk >= plan.groups && plan.chunk < most + plan.groups));
      REQUIRE((plan.threads == plan.groups * device_lanes && plan.threads <= 128));
      REQUIRE(plan.scratch_bytes == plan.groups * device_scratch(tables.header.stride) * sizeof(double));
      REQUIRE(plan.scratch_bytes <= 48 * 1024);
      REQUIRE(plan.blocks(plan.chunk) * plan.groups == plan.chunk);
    } catch (DeviceError const& error) {
      REQUIRE(error.fault == DeviceFault::out_of_memory);
      REQUIRE(static_cast<double>(free) < 1.1 * static_cast<double>(tables.image.size() + workers * 27 * tables.scores_per_replication * sizeof(double)) + 1);
    }
  }
}

TEST_CASE("what keeps a device from working is said with its remedy") {
  Case const c(25);
  auto const tables = c.snapshot().device_tables();
  CHECK(failure([&] { plan_device(tables, 1000, 2, 100, "CUDA device 1, H200"); }) ==
        "CUDA device 1, H200 is out of memory (156 kB are needed at least, 1 kB are free); end what else runs on it, use fewer policies or cuts, or use "
        "--device cpu");
#ifndef WATTFILL_CUDA
  CHECK(failure([&] { cuda_driver(); }) == "built without CUDA (configure with -DWATTFILL_CUDA=ON); use --device cpu or auto");
#endif
  CHECK(std::string(device_error(DeviceFault::no_device, {}, "no CUDA-capable device is detected").what()) ==
        "no CUDA device was found (no CUDA-capable device is detected); use --device cpu, or look at nvidia-smi and CUDA_VISIBLE_DEVICES");
  CHECK(std::string(device_error(DeviceFault::driver_too_old, {}, {}).what()) ==
        "the NVIDIA driver is older than the CUDA that wattfill was built with; update the driver, build with an older CUDA, or use --device cpu");
  CHECK(std::string(device_error(DeviceFault::other, "CUDA device 0, H200", "unspecified launch failure").what()) ==
        "CUDA device 0, H200 failed (unspecified launch failure); use --device cpu, or --device auto to go on without it");
}

TEST_CASE("memory of a device goes back when its mix goes, also where another device has none") {
  Case const c(7);
  auto const tables = c.snapshot().device_tables();
  auto const driver = host_driver({plenty, plenty});
  {
    DeviceMix const mix(*driver, tables, 3, 50);
    CHECK(driver->free_bytes(1) < plenty);
  }
  CHECK((driver->free_bytes(0) == plenty && driver->free_bytes(1) == plenty));
  auto const poor = host_driver({plenty, 10});
  CHECK_THROWS_AS(DeviceMix(*poor, tables, 3, 50), DeviceError);
  CHECK(poor->free_bytes(0) == plenty);
}

TEST_CASE("many curves at once answer as one does, over several devices and in as many rounds as memory asks for") {
  Draws draws(6);
  auto const curves = random_curves(draws, 40);
  std::vector<CurveView> views;
  for (auto const& curve : curves) views.push_back(curve.curve.view());
  CurveBatch const batch(views);
  std::vector<std::uint32_t> which;
  std::vector<double> x, answers(1001), expected;
  for (auto const query : {CurveQuery::speed, CurveQuery::draw}) {
    which.clear(), x.clear(), expected.clear();
    for (std::size_t i = 0; i < answers.size(); ++i) {
      which.push_back(static_cast<std::uint32_t>(draws.below(curves.size())));
      auto const& asked = curves[which.back()].curve;
      x.push_back(query == CurveQuery::speed ? draws.between(0, 1.2 * asked.max_draw()) : draws.between(-0.1, 1.2) * asked.max_speed());
      expected.push_back(query == CurveQuery::speed ? asked.speed(x.back()) : asked.draw_for(x.back()));
    }
    auto const needed = 16 * batch.points() + 4 * 41;
    for (auto const& memory :
         {std::vector<std::uint64_t>{plenty}, {plenty, plenty, plenty}, {(needed + 20 * 7 + 20) * 16 / 15 + 16}, {plenty, (needed + 2000) * 16 / 15 + 16}}) {
      std::ranges::fill(answers, -1);
      evaluate_curves(*host_driver(memory), batch, query, which, x, answers);
      REQUIRE(same_bits(answers, expected));
    }
    CHECK(failure([&] { evaluate_curves(*host_driver({100}), batch, query, which, x, answers); }).find("out of memory") != std::string::npos);
  }
}

TEST_CASE("a study on devices gives the bits of the host's, for any threads; what a device cannot do the host does, if that is asked for") {
  Draws draws(21);
  auto const curves = random_curves(draws, 7);
  auto study = small_study(curves);
  auto const expected = numbers_of(study, 2, {});
  NoRows rows;
  study.cuts = {0.1};
  study.policies = {policy("equal-split"), policy("proportional"), policy("oracle")};
  for (std::uint64_t replications : {300, 4097, 9000}) {  // blocks of the bootstrap of one, two and three
    study.mixes.front().replications = replications;
    auto const on_the_host = numbers_of(study, 2, {});
    for (RowSink* sink : {static_cast<RowSink*>(nullptr), static_cast<RowSink*>(&rows)}) {  // without rows they are added up on the device
      auto const threads = sink == nullptr ? 3U : 1U;
      auto const driver = host_driver({plenty, plenty}, replications > 300);
      RunOptions options;
      options.device = driver.get();
      options.rows = sink;
      CAPTURE(replications, sink != nullptr);
      CHECK(same_bits(numbers_of(study, threads, options), on_the_host));
      CHECK(driver->free_bytes(0) == plenty);
    }
  }
  study = small_study(curves);
  for (auto const& absent : {"oracle", "proportional"}) {
    auto without = study;
    std::erase_if(without.policies, [&](PolicySpec const& p) { return p.name == absent; });
    auto const driver = host_driver({plenty});
    RunOptions options;
    options.device = driver.get();
    CHECK(same_bits(numbers_of(without, 2, options), numbers_of(without, 2, {})));
  }

  std::vector<std::string> notes;
  auto const poor = host_driver({1000});
  RunOptions options;
  options.device = poor.get();
  CHECK_THROWS_AS(numbers_of(study, 1, options), DeviceError);
  options.device_note = [&](std::string const& note) { notes.push_back(note); };
  CHECK(same_bits(numbers_of(study, 1, options), expected));
  REQUIRE(notes.size() == 2);  // a note for each mix
  CHECK(contains(notes.front(), "mixes.drawn is made on the host: pretended device 0 is out of memory ("));

  study.belief.source = PfiSource::noisy;
  study.belief.rmse = 0.2;
  auto const noisy = numbers_of(study, 2, {});
  auto const rich = host_driver({plenty});
  options.device = rich.get();
  notes.clear();
  CHECK(same_bits(numbers_of(study, 2, options), noisy));
  REQUIRE(!notes.empty());
  CHECK(notes.front() == "mixes.drawn is made on the host: beliefs differ from mix to mix, and the paths that follow from them are made on the host");
  options.device_note = nullptr;
  CHECK(refusal([&] { numbers_of(study, 1, options); }) ==
        "--device: mixes.drawn cannot be made on a device (beliefs differ from mix to mix, and the paths that follow from them are made on the host); use "
        "--device "
        "auto or cpu");
}

TEST_CASE("a device that fails in the middle of a study: an error, or the host takes over and the bits stay") {
  /// Works for a while.
  class Failing final : public DeviceDriver {
   public:
    std::size_t devices() const override { return host_->devices(); }
    std::string name(std::size_t device) const override { return host_->name(device); }
    std::uint64_t free_bytes(std::size_t device) const override { return host_->free_bytes(device); }
    void* allocate(std::size_t device, std::size_t bytes) const override { return host_->allocate(device, bytes); }
    void release(std::size_t device, void* memory) const noexcept override { host_->release(device, memory); }
    void upload(std::size_t device, void* to, void const* from, std::size_t bytes) const override { host_->upload(device, to, from, bytes); }
    void download(std::size_t device, void* to, void const* from, std::size_t bytes) const override {
      if (--left_ < 0) throw device_error(DeviceFault::other, name(device), "an illegal memory access was encountered");
      host_->download(device, to, from, bytes);
    }
    void score(std::size_t device, DevicePlan const& plan, DeviceView const& view, DeviceLaunch const& launch, double* scores) const override {
      host_->score(device, plan, view, launch, scores);
    }
    void fold(std::size_t device, DeviceFold const& fold, double const* rows, double* sums) const override { host_->fold(device, fold, rows, sums); }
    void evaluate(std::size_t device, CurveBatchView const& batch, CurveQuery query, std::size_t count, std::uint32_t const* which, double const* x,
                  double* answers) const override {
      host_->evaluate(device, batch, query, count, which, x, answers);
    }

   private:
    std::unique_ptr<DeviceDriver> host_ = host_driver({plenty});
    mutable std::atomic<int> left_{3};
  };
  Draws draws(21);
  auto const curves = random_curves(draws, 7);
  auto const study = small_study(curves);
  auto const expected = numbers_of(study, 2, {});
  Failing const first, second;
  RunOptions options;
  options.device = &first;
  CHECK(failure([&] { numbers_of(study, 2, options); }) ==
        "pretended device 0 failed (an illegal memory access was encountered); use --device cpu, or --device auto to go on without it");
  std::atomic<int> notes{0};
  options.device = &second;
  options.device_note = [&](std::string const&) { ++notes; };
  CHECK(same_bits(numbers_of(study, 3, options), expected));
  CHECK(notes == 2);
}
