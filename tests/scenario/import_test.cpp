#include "wattfill/scenario/import/import.hpp"

#include <algorithm>
#include <string>

#include "support/catch.hpp"
#include "support/folder.hpp"
#include "wattfill/core/error.hpp"

using namespace wattfill;
using wattfill::testing::TemporaryFile;

namespace {

template <class Call>
std::string message(Call const& call) {
  try {
    call();
  } catch (InputError const& error) {
    return error.what();
  }
  return "accepted";
}

std::string const zeus_header = "dataset,network,batch_size,optimizer,power_limit,time_per_epoch,average_power\n";
std::string const emerald_header = "Workload,GPU power cap,throughput,total GPU power,normalized throughput,power per GPU\n";

}  // namespace

TEST_CASE("Formats are listed by name and an unknown one gets a suggestion") {
  CHECK(import_formats().size() == 6);
  for (auto const& format : import_formats()) CHECK(import_format(format.name).read == format.read);
  CHECK(message([] { import_format("zeuss"); }) == "unknown import format \"zeuss\"; did you mean \"zeus\"?");
}

TEST_CASE("Zeus: the largest batch of each network, of several optimizers the first in the file; speed is epochs a second") {
  TemporaryFile const file(zeus_header +
                               "cifar100,shufflenetv2,128,adam,100,9,80\ncifar100,shufflenetv2,128,adam,250,8,200\n"
                               "cifar100,shufflenetv2,1024,adadelta,100,8,90\ncifar100,shufflenetv2,1024,adam,100,7,91\n"
                               "cifar100,shufflenetv2,1024,adadelta,250,4,210\ncifar100,shufflenetv2,1024,adam,250,3,211\n"
                               "squad,bert_base_uncased,32,adamw,100,90,110\nsquad,bert_base_uncased,32,adamw,250,50,215\n",
                           "summary_power_v100.csv");
  auto const imported = import_format("zeus").read({.input = file.path(), .library_name = "lab", .gpu = {}, .every_run = false});
  auto const& library = imported.library;
  CHECK(library.gpu_model == "V100");
  CHECK(library.tdp_w == 250);
  CHECK(library.speed_unit == "epochs/s");
  REQUIRE(library.curves.size() == 2);
  CHECK(library.curves[0].name == "cifar100_shufflenetv2");
  CHECK(library.curves[0].curve.points()[0] == CurvePoint{100, 90, 0.125});
  CHECK(library.curves[0].curve.points()[1] == CurvePoint{250, 210, 0.25});
  CHECK(library.curves[1].task == "fine-tuning");
  CHECK(library.curves[1].curve.findings().above_cap == 1);
  auto const noted = [&](std::string const& text) { return std::ranges::find(imported.notes, text) != imported.notes.end(); };
  CHECK(noted("read cifar100_shufflenetv2: batch size 1024, adadelta, 2 points"));
  CHECK(noted("dropped 2 runs with smaller batches or another optimizer; --every-run keeps them"));
  CHECK(noted("squad_bert_base_uncased: points that draw more than their cap (kept as measured): 1"));

  auto const every = import_format("zeus").read({.input = file.path(), .library_name = "lab", .gpu = "V100 PCIe", .every_run = true}).library;
  CHECK(every.gpu_model == "V100 PCIe");
  REQUIRE(every.curves.size() == 4);
  CHECK(every.curves[2].name == "cifar100_shufflenetv2_b1024_adam");
}

TEST_CASE("Zeus: a file name without a GPU and an epoch of no time are refused") {
  TemporaryFile const file(zeus_header + "a,b,1,adam,100,0,80\n");
  CHECK(message([&] { import_zeus({.input = file.path(), .library_name = "lab", .gpu = "A40", .every_run = false}); }) ==
        file.path() + ":2:16: time_per_epoch must be more than 0 s (the speed is its inverse); correct or remove the row");
  TemporaryFile const good(zeus_header + "a,b,1,adam,100,1,80\na,b,1,adam,200,1,180\n");
  CHECK(message([&] { import_zeus({.input = good.path(), .library_name = "lab", .gpu = {}, .every_run = false}); }).find("name the GPU with --gpu") !=
        std::string::npos);
}

TEST_CASE("Emerald: draw per GPU and throughput, GPUs from the powers, scaled copies dropped with a note") {
  TemporaryFile const file(emerald_header +
                           "infer_llama_8b_48g,100,0.045,4800,0.5,100\ninfer_llama_8b_48g,400,0.09,14400,1,300\n"
                           "infer_llama_8b,100,0.015,1600,0.5,100\ninfer_llama_8b,400,0.03,4800,1,300\n");
  auto const imported = import_emerald({.input = file.path(), .library_name = "lab", .gpu = {}, .every_run = false});
  REQUIRE(imported.library.curves.size() == 1);
  auto const& curve = imported.library.curves[0];
  CHECK(curve.name == "infer_llama_8b");
  CHECK(curve.task == "inference");
  CHECK(curve.gpus == 16);
  CHECK(curve.speed_unit.empty());
  CHECK(curve.curve.points()[1] == CurvePoint{400, 300, 0.03});
  CHECK(imported.notes[0] == "dropped infer_llama_8b_48g: infer_llama_8b scaled to 48 GPUs, not a measurement of its own");
}

TEST_CASE("Emerald: powers that do not give a whole number of GPUs, and GPUs that change within a job, are refused") {
  TemporaryFile const odd(emerald_header + "ft_x,100,0.1,1650,0.5,100\n");
  CHECK(message([&] { import_emerald({.input = odd.path(), .library_name = "lab", .gpu = {}, .every_run = false}); }) ==
        odd.path() + ":2:14: total GPU power is 16.5 times the power per GPU (a job has a whole number of GPUs); correct one of the two columns");
  TemporaryFile const changed(emerald_header + "ft_x,100,0.1,1600,0.5,100\nft_x,400,0.2,9600,1,300\n");
  CHECK(message([&] { import_emerald({.input = changed.path(), .library_name = "lab", .gpu = {}, .every_run = false}); }) ==
        changed.path() + ":3:14: this row has 32 GPUs, earlier rows of ft_x have 16 (one curve is one job); give it a name of its own");
}

TEST_CASE("Reconstruct: the notes carry each group's figures, and an unknown shape gets a suggestion") {
  auto const imported = import_reconstruct({.input = "quadratic", .library_name = "lab", .gpu = {}, .every_run = false});
  CHECK(imported.library.name == "lab");
  CHECK(imported.notes.size() == 25);
  CHECK(imported.notes[1] == "ft_llama_70b_8g_no_compile: PFI 1.220, PFI4 1.370, 0.088 of full speed at 200 W");
  CHECK(message([] { import_reconstruct({.input = "roofing", .library_name = "lab", .gpu = {}, .every_run = false}); }) ==
        "unknown shape \"roofing\"; did you mean \"roofline\"?");
}
