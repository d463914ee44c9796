#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <system_error>

#include "cli/command.hpp"
#include "cli/help.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/quotation.hpp"
#include "wattfill/core/version.hpp"
#include "wattfill/scenario/text_file.hpp"
#include "wattfill/study/communicator.hpp"

namespace {

using namespace wattfill;

enum ExitCode { done = 0, input_wrong = 2, machine_failed = 3, defect = 4, interrupted = 130 };

std::string did_you_mean(std::string const& word) {
  std::vector<std::string> names;
  for (auto const& command : cli::commands()) names.emplace_back(command.name);
  auto const near = nearest(word, names);
  return near.empty() ? "; wattfill --help lists them" : "; did you mean \"" + near + "\"?";
}

int dispatch(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front() == "--help" || arguments.front() == "-h" || arguments.front() == "help") {
    std::fputs(cli::overview().c_str(), arguments.empty() ? stderr : stdout);
    return arguments.empty() ? input_wrong : done;
  }
  if (arguments.front() == "--version") {
    std::printf("wattfill %s (%s)\n", std::string(version).c_str(), std::string(revision).c_str());
    return done;
  }
  auto const found = std::ranges::find(cli::commands(), arguments.front(), &cli::Command::name);
  if (found == cli::commands().end()) throw InputError("there is no command " + quotation(arguments.front()) + did_you_mean(arguments.front()));
  arguments.erase(arguments.begin());

  namespace po = cli::po;
  po::options_description hidden;
  hidden.add(cli::options_of(*found)).add_options()("operand", po::value<std::vector<std::string>>());
  po::positional_options_description positional;
  positional.add("operand", -1);
  po::variables_map given;
  try {
    auto const style = po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(arguments).options(hidden).positional(positional).style(style).run(), given);
  } catch (po::error const& error) {
    throw InputError(std::string(error.what()) + "; see wattfill " + std::string(found->name) + " --help");
  }
  auto const operands = given.count("operand") > 0 ? given["operand"].as<std::vector<std::string>>() : std::vector<std::string>{};
  if (given.count("help") > 0) {
    std::cout << cli::help_text(*found, operands);
    return done;
  }
  return found->run(operands, given);
}

/// What the program expects of the process it is started in.
void prepare_process() {
  // A closed one would be given to the first result file, and messages with it. What is put there fails to be written, as a closed one would.
  for (int standard = 0; standard <= 2; ++standard)
    if (fcntl(standard, F_GETFD) < 0 && open("/dev/null", standard == 0 ? O_WRONLY : O_RDONLY) < 0) break;
  std::signal(SIGXFSZ, SIG_IGN);  // a file larger than `ulimit -f` is an error of writing, with our message
}

/// Results on standard output have arrived, or its reader wanted no more (`| head`).
void finish_output() {
  std::cout.flush();
  if ((std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout) && errno != EPIPE)
    throw MachineError(std::string("standard output could not be written: ") + std::strerror(errno) + "; point it at a file with room, or use --quiet");
}

/// The exit code; what went wrong is on stderr.
int run_program(std::vector<std::string> arguments) {
  try {
    auto const code = dispatch(std::move(arguments));
    finish_output();
    return code;
  } catch (InputError const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return input_wrong;
  } catch (MachineError const& error) {
    std::fprintf(stderr, "wattfill: %s\n", error.what());
    return machine_failed;
  } catch (std::bad_alloc const&) {
    std::fputs("wattfill: out of memory; use fewer threads (--threads), --rows summary, or a smaller sweep\n", stderr);
    return machine_failed;
  } catch (std::system_error const& error) {  // files, threads
    std::fprintf(stderr, "wattfill: %s; check the disk, the permissions and the limits of the process (ulimit -a)\n", error.what());
    return machine_failed;
  } catch (Interrupted const&) {
    std::fputs("wattfill: interrupted; no result file was changed; the same command with --resume goes on with what was finished\n", stderr);
    return interrupted;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "wattfill: a defect of ours: %s\nPlease report it with the scenario and this line.\n", error.what());
    return defect;
  }
}

}  // namespace

int main(int argc, char** argv) {
  prepare_process();
  auto const code = run_program({argv + 1, argv + argc});
  end_ranks(code);
  return code;
}
