# Install and export: a consumer says find_package(wattfill) and links wattfill::wattfill.
include(CMakePackageConfigHelpers)

install(TARGETS wattfill_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS wattfill_all EXPORT wattfillTargets)
install(DIRECTORY include/wattfill DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY curves scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/wattfill)
install(FILES LICENSE NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/wattfill)
install(EXPORT wattfillTargets NAMESPACE wattfill:: DESTINATION ${config_dir})
configure_package_config_file(src/cmake/wattfillConfig.cmake.in ${PROJECT_BINARY_DIR}/wattfillConfig.cmake
                              INSTALL_DESTINATION ${config_dir} PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/wattfillConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/wattfillConfig.cmake ${PROJECT_BINARY_DIR}/wattfillConfigVersion.cmake DESTINATION ${config_dir})
