#pragma once
#include <stdexcept>
#include <string>
#include <vector>

namespace wattfill {

/// A place in an input file; lines and columns count from 1, 0 means "the file as a whole".
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
};

/// One mistake in the user's input. `what` says what is wrong, why it matters (in brackets) and, after a semicolon, what to do.
struct Problem {
  Location at;
  std::string key;  ///< path.to.key, empty where there is none
  std::string what;
};

/// "FILE:LINE:COLUMN: path.to.key: what is wrong (why); what to do"; parts that are not known are left out.
std::string to_string(Problem const&);

/// The user can fix it (exit code 2). Carries every mistake found, at most `max_problems`; what() joins them, a line each.
class InputError : public std::runtime_error {
 public:
  static constexpr std::size_t max_problems = 20;

  explicit InputError(Problem problem);
  explicit InputError(std::vector<Problem> problems);
  explicit InputError(std::string what) : InputError(Problem{{}, {}, std::move(what)}) {}

  std::vector<Problem> const& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

/// The machine failed us: disk full, file not writable, out of memory (exit code 3).
class MachineError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The user stopped the run (exit code 130).
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

/// A defect of ours (exit code 4).
class Defect : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void assertion_failed(char const* condition, char const* file, int line);

}  // namespace wattfill

/// Our own invariants: checked in developer builds, free otherwise.
#ifdef WATTFILL_ASSERTIONS
#define WATTFILL_ASSERT(condition) ((condition) ? void(0) : ::wattfill::assertion_failed(#condition, __FILE__, __LINE__))
#else
#define WATTFILL_ASSERT(condition) void(0)
#endif
