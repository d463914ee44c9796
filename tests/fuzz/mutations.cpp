// The fuzz targets without a fuzzer: the corpora, then inputs made from them by a fixed series of changes, so that any compiler's build, and the usual tests,
// run the targets. What gives a new kind of refusal is changed further.
//
//     test_fuzz CORPUS (TARGET|all) [INPUTS [SECONDS [SEED]]]      as many inputs a target, or as many as so many seconds of CPU allow
#include <algorithm>
#include <csignal>
#include <ctime>
#include <random>
#include <set>

#include "fuzz/fuzz.hpp"
#include "fuzz/targets.hpp"
#include "support/folder.hpp"

namespace {

using wattfill::fuzz::last_refusal;
using wattfill::fuzz::Target;

constexpr std::size_t longest = 4096;  // bytes of an input
constexpr double most_cpu_s = 5;       // of one input: sanitizers and -O0 take ten times what the program does
constexpr std::size_t most_pool = 2000;

Target const* running = nullptr;
std::string current;

void show_current() {
  if (running == nullptr) return;
  std::fprintf(stderr, "\ntarget %s failed on the %zu bytes between these lines (bytes that are no text as \\x..):\n--------\n", running->name, current.size());
  for (unsigned char const c : current) {
    if (c == '\n' || (c >= ' ' && c < 127 && c != '\\'))
      std::fputc(c, stderr);
    else
      std::fprintf(stderr, "\\x%02x", c);
  }
  std::fprintf(stderr, "\n--------\n");
}

extern "C" void on_signal(int number) {
  show_current();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

std::vector<std::string> const& words() {
  static std::vector<std::string> const all = {"-1",
                                               "0",
                                               "1e308",
                                               "-1e308",
                                               "1e-320",
                                               "nan",
                                               ".nan",
                                               "inf",
                                               "-.inf",
                                               "0x7fffffff",
                                               "4294967296",
                                               "9223372036854775807",
                                               "18446744073709551616",
                                               "1e5",
                                               "00",
                                               "1_000",
                                               "\n",
                                               "\r\n",
                                               ",",
                                               ",,",
                                               ";",
                                               "\t",
                                               "\"",
                                               "'",
                                               "\"\"",
                                               "\\",
                                               ":",
                                               ": ",
                                               "- ",
                                               "? ",
                                               "{",
                                               "}",
                                               "[",
                                               "]",
                                               "[[[[[[[[",
                                               "{a: {a: {a: ",
                                               "&a ",
                                               "*a",
                                               "<<: *a",
                                               "!!binary ",
                                               "!t ",
                                               "|\n",
                                               ">-\n",
                                               "---\n",
                                               "...\n",
                                               "#",
                                               "%",
                                               "%%\n",
                                               "\n%%\n",
                                               "..",
                                               "../",
                                               "/",
                                               "/dev/zero",
                                               "~",
                                               "null",
                                               "true",
                                               "no",
                                               "\xef\xbb\xbf",
                                               "\xff",
                                               "\xc3",
                                               "\xe2\x80\xa8",
                                               std::string(1, '\0'),
                                               "  ",
                                               "       ",
                                               "2025-05-01T17:00:00-07:00",
                                               "9999-12-31T23:59:59Z",
                                               "+14:00",
                                               "wattfill: 1\n",
                                               "kind: ",
                                               "name: ",
                                               "a",
                                               "lab",
                                               "where: {}",
                                               "count: 1000000000",
                                               "step: 1e-300",
                                               "e9",
                                               "e-9"};
  return all;
}

std::string changed(std::string text, std::vector<std::string> const& pool, std::mt19937_64& draws) {
  auto const below = [&](std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(draws() % n); };
  for (auto times = 1 + below(below(4) == 0 ? 12 : 3); times > 0; --times) {
    auto const at = below(text.size() + 1), length = std::min(text.size() - at, below(below(3) == 0 ? 200 : 12));
    switch (below(9)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1:
        if (at < text.size()) text[at] = static_cast<char>(draws());
        break;
      case 2: text.erase(at, length); break;
      case 3: text.insert(at, text.substr(at, length)); break;
      case 4: text.replace(at, below(2) * length, words()[below(words().size())]); break;
      case 5: {  // a number, or a word, becomes another
        auto const from = text.find_first_of("0123456789", at);
        if (from == std::string::npos) break;
        auto const to = std::min(text.find_first_not_of("0123456789.eE+-", from), text.size());
        text.replace(from, to - from, words()[below(words().size())]);
        break;
      }
      case 6: {  // a piece of another input
        auto const& other = pool[below(pool.size())];
        auto const from = below(other.size() + 1);
        text.insert(at, other, from, below(200));
        break;
      }
      case 7: {  // a line again, or away
        auto const begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
        auto const end = std::min(text.find('\n', begin), text.size() - std::min<std::size_t>(1, text.size())) + 1;
        if (begin >= end || end > text.size()) break;
        if (below(2) == 0)
          text.erase(begin, end - begin);
        else
          for (auto again = 1 + below(6); again > 0; --again) text.insert(begin, text.substr(begin, end - begin));
        break;
      }
      default:
        if (text.size() > 1) text.resize(1 + below(text.size()));
    }
    if (text.size() > longest) text.resize(longest);
  }
  return text;
}

/// What a message says, without what it quotes.
std::string kind_of(std::string const& said) {
  std::string kind;
  bool quoted = false;
  for (char const c : said) {
    if (c == '"') quoted = !quoted;
    if (!quoted && ((c >= 'a' && c <= 'z') || (c == ' ' && !kind.ends_with(' ')))) kind += c;
    if (c == '\n' || kind.size() > 300) break;
  }
  return kind;
}

struct Count {
  std::uint64_t inputs = 0, kinds = 0;
  double slowest_s = 0;
};

Count run(Target const& target, std::filesystem::path const& corpus, std::uint64_t inputs, double seconds, std::uint64_t seed) {
  std::vector<std::filesystem::path> files;
  for (auto const& file : std::filesystem::directory_iterator(corpus / target.name)) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> pool;
  for (auto const& file : files) pool.push_back(wattfill::testing::text_of(file));
  wattfill::fuzz::require(!pool.empty(), "a target has a corpus");
  auto const given = pool.size();
  std::mt19937_64 draws(seed);
  std::set<std::string> kinds;
  Count count;
  auto const begun = std::clock();
  for (running = &target; count.inputs < inputs + given && (seconds == 0 || static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC < seconds); ++count.inputs) {
    current = count.inputs < given ? pool[count.inputs] : changed(pool[draws() % pool.size()], pool, draws);
    last_refusal().clear();
    auto const before = std::clock();
    target.run(reinterpret_cast<std::uint8_t const*>(current.data()), current.size());
    auto const took = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    count.slowest_s = std::max(count.slowest_s, took);
    wattfill::fuzz::require(took < most_cpu_s, "an input takes seconds");
    if (kinds.insert(kind_of(last_refusal())).second && count.inputs >= given && pool.size() < most_pool) pool.push_back(current);
  }
  running = nullptr;
  count.kinds = kinds.size();
  return count;
}

}  // namespace

extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*)());  // of the address sanitizer, where the program is built with it

int main(int count, char** words) {
  if (count < 3) {
    std::fprintf(stderr, "use: test_fuzz CORPUS (TARGET|all) [INPUTS [SECONDS [SEED]]]\n");
    return 2;
  }
  std::string const asked = words[2];
  std::uint64_t const inputs = count > 3 ? std::strtoull(words[3], nullptr, 10) : 1000, seed = count > 5 ? std::strtoull(words[5], nullptr, 10) : 1;
  double const seconds = count > 4 ? std::strtod(words[4], nullptr) : 0;
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(show_current);
  for (int const number : {SIGABRT, SIGSEGV, SIGFPE, SIGINT, SIGTERM, SIGALRM}) std::signal(number, on_signal);
  bool any = false;
  for (auto const& target : wattfill::fuzz::targets)
    if (asked == "all" || asked == target.name) {
      any = true;
      auto const done = run(target, words[1], inputs, seconds, seed);
      std::printf("%s: %llu inputs, %llu kinds of refusal, slowest %.2f s of CPU\n", target.name, static_cast<unsigned long long>(done.inputs),
                  static_cast<unsigned long long>(done.kinds), done.slowest_s);
      std::fflush(stdout);
    }
  if (!any) std::fprintf(stderr, "there is no target \"%s\"\n", words[2]);
  return any ? 0 : 2;
}
