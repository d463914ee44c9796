// A rule written by the user: curtailment in proportion to a formula.
#include <muParser.h>

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "policy/fills.hpp"
#include "policy/rules.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/fixed_math.hpp"
#include "wattfill/core/quotation.hpp"

namespace wattfill {
namespace {

/// The quantities a formula may name besides telemetry features. p_max, p_min [W] and t_max are of the whole job.
constexpr std::array<std::pair<char const*, WeightOf>, 9> variables{{
    {"p_max", [](Demand const& d) { return d.job_uncapped_w(); }},
    {"p_min", [](Demand const& d) { return d.gpus * d.floor_w; }},
    {"t_max", [](Demand const& d) { return d.believed->curve.max_speed(); }},
    {"pfi", [](Demand const& d) { return d.pfi; }},
    {"a", [](Demand const& d) { return d.a; }},
    {"b", [](Demand const& d) { return d.b; }},
    {"gpus", [](Demand const& d) { return d.gpus; }},
    {"value", [](Demand const& d) { return d.value; }},
    {"priority", [](Demand const& d) { return d.priority; }},
}};

/// A parser whose operators and functions are + - * / sqrt and our own exp and log: the same bits on every processor.
mu::Parser plain_parser() {
  mu::Parser parser;
  parser.EnableBuiltInOprt(false);
  parser.ClearFun();
  parser.ClearConst();
  using Fun1 = double (*)(double);
  using Fun2 = double (*)(double, double);
  auto const op = [&](char const* name, Fun2 f, unsigned precedence, mu::EOprtAssociativity side = mu::oaLEFT) {
    parser.DefineOprt(name, f, precedence, side);
  };
  // clang-format off: a table of operators
  op(
      "+", [](double x, double y) { return x + y; }, mu::prADD_SUB);
  op(
      "-", [](double x, double y) { return x - y; }, mu::prADD_SUB);
  op(
      "*", [](double x, double y) { return x * y; }, mu::prMUL_DIV);
  op(
      "/", [](double x, double y) { return x / y; }, mu::prMUL_DIV);
  op(
      "^", [](double x, double y) { return y == 2 ? x * x : fixed_pow(x, y); }, mu::prPOW, mu::oaRIGHT);
  op(
      "<", [](double x, double y) { return double(x < y); }, mu::prCMP);
  op(
      ">", [](double x, double y) { return double(x > y); }, mu::prCMP);
  op(
      "<=", [](double x, double y) { return double(x <= y); }, mu::prCMP);
  op(
      ">=", [](double x, double y) { return double(x >= y); }, mu::prCMP);
  op(
      "==", [](double x, double y) { return double(x == y); }, mu::prCMP);
  op(
      "!=", [](double x, double y) { return double(x != y); }, mu::prCMP);
  op(
      "&&", [](double x, double y) { return double(x != 0 && y != 0); }, mu::prLAND);
  op(
      "||", [](double x, double y) { return double(x != 0 || y != 0); }, mu::prLOR);
  // clang-format on
  auto const fun = [&](char const* name, Fun1 f) { parser.DefineFun(name, f); };
  fun("sqrt", [](double x) { return std::sqrt(x); });
  fun("abs", [](double x) { return std::fabs(x); });
  fun("exp", [](double x) { return fixed_exp(x); });
  fun("log", [](double x) { return fixed_log(x); });
  parser.DefineFun("min", static_cast<Fun2>([](double x, double y) { return y < x ? y : x; }));
  parser.DefineFun("max", static_cast<Fun2>([](double x, double y) { return x < y ? y : x; }));
  return parser;
}

[[noreturn]] void refuse(std::string const& formula, std::string const& why) {
  throw InputError({{},
                    "curtail",
                    '"' + shortened(formula, 200) + "\": " + why +
                        " (the formula is a job's share of the cut); it may use p_max, p_min, t_max, pfi, a, b, gpus, value, "
                        "priority, telemetry features, + - * / ^, comparisons, ?: and sqrt, abs, exp, log, min, max"});
}

class Expression final : public Policy {
 public:
  Expression(std::string formula, bool pfi_off) : formula_(std::move(formula)), pfi_off_(pfi_off) {
    auto parser = plain_parser();
    try {
      parser.SetExpr(formula_);
      for (auto const& [name, address] : parser.GetUsedVar()) names_.insert(name);
    } catch (mu::ParserError const& error) {
      refuse(formula_, error.GetMsg());
    }
  }

  FillPlan prepare(std::span<Demand const> demands) const override {
    std::map<std::string, double> values;
    auto parser = plain_parser();
    std::vector<double> weights;
    try {
      for (auto const& name : names_) parser.DefineVar(name, &values[name]);
      parser.SetExpr(formula_);
      for (auto const& demand : demands) {
        if (demand.adjustable())
          for (auto& [name, value] : values) value = value_of(name, demand);
        int results = 1;
        weights.push_back(demand.adjustable() ? *parser.Eval(results) : 0);
        if (results != 1) refuse(formula_, "it is " + std::to_string(results) + " formulas");  // muParser takes the last of "a, b"
      }
    } catch (mu::ParserError const& error) {
      refuse(formula_, error.GetMsg());
    }
    return curtail_in_proportion(demands, weights);
  }

 private:
  double value_of(std::string const& name, Demand const& demand) const {
    if (name == "pfi" && pfi_off_) return 1;
    for (auto const& [known, of] : variables)
      if (name == known) return of(demand);
    auto const found = demand.believed->telemetry.find(name);
    if (found == demand.believed->telemetry.end())
      refuse(formula_, quotation(name) + " is neither a quantity nor a telemetry feature of " + demand.believed->id());
    return found->second;
  }

  std::string formula_;
  bool pfi_off_;
  std::set<std::string> names_;
};

}  // namespace

std::unique_ptr<Policy> make_expression(PolicySpec const& spec) { return std::make_unique<Expression>(spec.curtail, spec.pfi_off); }

}  // namespace wattfill
