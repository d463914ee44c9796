#include "policy/linear_program.hpp"

#ifdef WATTFILL_GLPK
#include <glpk.h>

#include <memory>
#endif

namespace wattfill {

#ifdef WATTFILL_GLPK

bool have_solver() { return true; }

std::optional<std::vector<double>> maximum(LinearProgram const& program) {
  std::unique_ptr<glp_prob, decltype(&glp_delete_prob)> const owner(glp_create_prob(), glp_delete_prob);
  auto* const lp = owner.get();
  glp_set_obj_dir(lp, GLP_MAX);
  auto const rows = static_cast<int>(program.limit.size()), columns = static_cast<int>(program.gain.size());
  if (columns == 0) return std::vector<double>{};
  glp_add_cols(lp, columns);
  for (int c = 0; c < columns; ++c) {
    auto const most = program.most[static_cast<std::size_t>(c)];
    glp_set_col_bnds(lp, c + 1, most > 0 ? GLP_DB : GLP_FX, 0, most);
    glp_set_obj_coef(lp, c + 1, program.gain[static_cast<std::size_t>(c)]);
  }
  if (rows > 0) glp_add_rows(lp, rows);
  for (int r = 0; r < rows; ++r) glp_set_row_bnds(lp, r + 1, GLP_UP, 0, program.limit[static_cast<std::size_t>(r)]);
  std::vector<int> row{0}, column{0};  // GLPK counts from 1
  std::vector<double> value{0};
  for (auto const& entry : program.entries) {
    row.push_back(static_cast<int>(entry.row) + 1);
    column.push_back(static_cast<int>(entry.column) + 1);
    value.push_back(entry.value);
  }
  glp_load_matrix(lp, static_cast<int>(program.entries.size()), row.data(), column.data(), value.data());
  glp_smcp how;
  glp_init_smcp(&how);
  how.msg_lev = GLP_MSG_OFF;
  if (glp_simplex(lp, &how) != 0 || glp_get_status(lp) != GLP_OPT) return std::nullopt;
  std::vector<double> x;
  for (int c = 1; c <= columns; ++c) x.push_back(glp_get_col_prim(lp, c));
  return x;
}

#else

bool have_solver() { return false; }
std::optional<std::vector<double>> maximum(LinearProgram const&) { return std::nullopt; }

#endif

}  // namespace wattfill
