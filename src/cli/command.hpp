#pragma once
#include <boost/program_options.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wattfill::cli {

namespace po = boost::program_options;

/// One command of the program. To add one: its file in src/cli and its line in command.cpp.
struct Command {
  std::string_view name;
  std::string_view operands;  ///< for the usage line, e.g. "SCENARIO.yaml"
  std::string_view summary;
  std::string_view example;
  void (*options)(po::options_description&);  ///< adds the options beside --help
  int (*run)(std::vector<std::string> const& operands, po::variables_map const&);
};

std::span<Command const> commands();

/// Throws InputError unless there are between `least` and `most` operands.
void expect_operands(std::vector<std::string> const& operands, std::size_t least, std::size_t most, std::string_view what);

/// Options that every command with a scenario or curves takes.
void add_curve_options(po::options_description&);
void add_scenario_options(po::options_description&);

void run_options(po::options_description&);
int run(std::vector<std::string> const&, po::variables_map const&);
void merge_options(po::options_description&);
int merge(std::vector<std::string> const&, po::variables_map const&);
void validate_options(po::options_description&);
int validate(std::vector<std::string> const&, po::variables_map const&);
int schema(std::vector<std::string> const&, po::variables_map const&);
int policies(std::vector<std::string> const&, po::variables_map const&);
int curves(std::vector<std::string> const&, po::variables_map const&);
void pfi_options(po::options_description&);
int pfi(std::vector<std::string> const&, po::variables_map const&);
void compare_options(po::options_description&);
int compare(std::vector<std::string> const&, po::variables_map const&);
void predict_options(po::options_description&);
int predict(std::vector<std::string> const&, po::variables_map const&);
void import_options(po::options_description&);
int import(std::vector<std::string> const&, po::variables_map const&);
void contract_options(po::options_description&);
int contract(std::vector<std::string> const&, po::variables_map const&);
void pipeline_options(po::options_description&);
int pipeline(std::vector<std::string> const&, po::variables_map const&);
void regress_options(po::options_description&);
int regress(std::vector<std::string> const&, po::variables_map const&);
int init(std::vector<std::string> const&, po::variables_map const&);
void report_options(po::options_description&);
int report(std::vector<std::string> const&, po::variables_map const&);
int completion(std::vector<std::string> const&, po::variables_map const&);

}  // namespace wattfill::cli
