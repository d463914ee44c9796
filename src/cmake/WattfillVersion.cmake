# The version and git revision that results carry: one generated source, rewritten only when it changes.
execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} describe --always --dirty --abbrev=12 --exclude=*
                OUTPUT_VARIABLE WATTFILL_REVISION OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT WATTFILL_REVISION)
  set(WATTFILL_REVISION unknown)
endif()
if(EXISTS ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)  # a commit or checkout configures anew
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
endif()
configure_file(${PROJECT_SOURCE_DIR}/src/cmake/version.cpp.in ${PROJECT_BINARY_DIR}/version.cpp @ONLY)
target_sources(wattfill_core PRIVATE ${PROJECT_BINARY_DIR}/version.cpp)
