# What every target of the project is compiled with, and the two functions that declare a floor and its warnings.

# Reported numbers may not depend on the processor or on contraction to fused multiply-add: see the determinism contract in README.md.
add_library(wattfill_flags INTERFACE)
target_compile_features(wattfill_flags INTERFACE cxx_std_20)
target_compile_options(wattfill_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off;-Wno-psabi>")  # psabi: vector registers never cross a call here
set_target_properties(wattfill_flags PROPERTIES EXPORT_NAME flags)
install(TARGETS wattfill_flags EXPORT wattfillTargets)

if(WATTFILL_SANITIZE)
  add_compile_options(-fsanitize=${WATTFILL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  if(WATTFILL_SANITIZE MATCHES "undefined" AND NOT WATTFILL_SANITIZE_ALL)
    # Checks at every access of memory, which double the time to compile. The address sanitizer sees a null pointer or a wrong size when it is used.
    add_compile_options(-fno-sanitize=null,alignment,object-size,vptr)
  endif()
  add_link_options(-fsanitize=${WATTFILL_SANITIZE})
  add_compile_definitions(WATTFILL_SANITIZED=1)
endif()
if(WATTFILL_FUZZ)  # which branches an input reaches is counted in the libraries, too
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_compile_definitions(WATTFILL_ASSERTIONS=1)
endif()

function(wattfill_warnings target)
  if(WATTFILL_DEVELOPER)
    set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wdouble-promotion -Wnon-virtual-dtor -Woverloaded-virtual -Werror
                 -Wno-restrict -Wno-maybe-uninitialized)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>")  # GCC 12 reports both falsely inside std::string at -O3
    target_compile_definitions(${target} PRIVATE WATTFILL_ASSERTIONS=1)
  endif()
endfunction()

# What reads the texts of strangers: overflows of buffers end the program, and nothing that is called can be exchanged once it runs. The floors that compute
# are left as they are: no text reaches them, and their speed is measured.
function(wattfill_harden target)
  if(NOT WATTFILL_SANITIZE)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-fstack-protector-strong>)
    target_compile_definitions(${target} PRIVATE $<$<CONFIG:Release>:_FORTIFY_SOURCE=2>)
    if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
      target_link_options(${target} PRIVATE -Wl,-z,relro,-z,now,-z,noexecstack)
    endif()
  endif()
endfunction()

function(wattfill_floor name)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp ${PROJECT_SOURCE_DIR}/src/${name}/*/*.cpp)
  set(target wattfill_${name})
  add_library(${target} STATIC ${sources})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}> PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PUBLIC wattfill_flags ${arg_LINK})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  wattfill_warnings(${target})
  install(TARGETS ${target} EXPORT wattfillTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()
