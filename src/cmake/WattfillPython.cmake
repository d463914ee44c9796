# The Python module: build/<preset>/python/wattfill.*.so, installed where WATTFILL_PYTHON_DIR says.
if(NOT WATTFILL_PYTHON)
  return()
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter Development.Module)
set(PYTHON_EXECUTABLE ${Python3_EXECUTABLE})  # the one that pybind11 builds for
find_package(pybind11 2.10 REQUIRED)
set(WATTFILL_PYTHON_DIR "lib/python3/dist-packages" CACHE STRING "Where the Python module is installed, below the prefix")

file(GLOB python_sources CONFIGURE_DEPENDS src/python/*.cpp)
pybind11_add_module(wattfill_python MODULE NO_EXTRAS ${python_sources})
set_target_properties(wattfill_python PROPERTIES OUTPUT_NAME wattfill LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python CXX_VISIBILITY_PRESET hidden)
target_include_directories(wattfill_python PRIVATE src)
target_link_libraries(wattfill_python PRIVATE wattfill_scenario)
target_compile_options(wattfill_python PRIVATE -O1)  # conversions alone; templates that take long to optimise
wattfill_warnings(wattfill_python)
install(TARGETS wattfill_python LIBRARY DESTINATION ${WATTFILL_PYTHON_DIR})
