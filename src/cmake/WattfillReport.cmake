# The script of `wattfill report`'s page: bundled from npm packages that src/report/web/package-lock.json pins. A plain build does without, and needs no network.
#   cmake -DWATTFILL_REPORT=ON ...            part of every build and of the installation
#   cmake --build BUILD --target report_bundle   once
find_program(NPM npm)
if(WATTFILL_REPORT AND NOT NPM)
  message(FATAL_ERROR "WATTFILL_REPORT needs npm (Debian: nodejs npm); without it, configure with -DWATTFILL_REPORT=OFF")
endif()
if(NPM)
  set(web_source ${PROJECT_SOURCE_DIR}/src/report/web)
  set(web ${PROJECT_BINARY_DIR}/report_web)
  set(web_files app.js dom.js sections.js style.css package.json package-lock.json)
  list(TRANSFORM web_files PREPEND ${web_source}/ OUTPUT_VARIABLE web_inputs)
  add_custom_command(OUTPUT ${web}/node_modules/.package-lock.json
                     COMMAND ${CMAKE_COMMAND} -E copy_if_different ${web_source}/package.json ${web_source}/package-lock.json ${web}/
                     COMMAND ${CMAKE_COMMAND} -E chdir ${web} ${NPM} ci --no-audit --no-fund --ignore-scripts
                     DEPENDS ${web_source}/package-lock.json COMMENT "npm packages of the report's page" VERBATIM)
  add_custom_command(OUTPUT ${web}/dist/report.js
                     COMMAND ${CMAKE_COMMAND} -E copy_if_different ${web_inputs} ${web}/
                     COMMAND ${CMAKE_COMMAND} -E chdir ${web} ${NPM} run --silent build
                     DEPENDS ${web_inputs} ${web}/node_modules/.package-lock.json COMMENT "Bundling the report's page" VERBATIM)
  if(WATTFILL_REPORT)
    add_custom_target(report_bundle ALL DEPENDS ${web}/dist/report.js)
    install(FILES ${web}/dist/report.js DESTINATION ${CMAKE_INSTALL_DATADIR}/wattfill/report)
  else()
    add_custom_target(report_bundle DEPENDS ${web}/dist/report.js)
    install(FILES ${web}/dist/report.js DESTINATION ${CMAKE_INSTALL_DATADIR}/wattfill/report OPTIONAL)
  endif()
endif()
