# Manual page and completions, written by the program itself from its table of commands.
if(WATTFILL_SANITIZE)  # a watched program is for tests alone
  return()
endif()
set(shell ${PROJECT_BINARY_DIR}/shell)
file(MAKE_DIRECTORY ${shell})
add_custom_command(OUTPUT ${shell}/wattfill.1 ${shell}/wattfill ${shell}/_wattfill ${shell}/wattfill.fish
                   COMMAND wattfill_program completion man > ${shell}/wattfill.1
                   COMMAND wattfill_program completion bash > ${shell}/wattfill
                   COMMAND wattfill_program completion zsh > ${shell}/_wattfill
                   COMMAND wattfill_program completion fish > ${shell}/wattfill.fish
                   DEPENDS wattfill_program COMMENT "Manual page and completions" VERBATIM)
add_custom_target(wattfill_shell ALL DEPENDS ${shell}/wattfill.1)
install(FILES ${shell}/wattfill.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${shell}/wattfill DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${shell}/_wattfill DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${shell}/wattfill.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
