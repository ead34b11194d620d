# SPDX-License-Identifier: Apache-2.0

# sp_unit_test(NAME LIBRARY… FILES…): a Criterion program from tests/unit/<layer>/<module>_test.c.
function(sp_unit_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE sp_flags sp_test_support ${ARG_LIBRARIES} PkgConfig::CRITERION)
  add_test(NAME unit.${name} COMMAND ${name})
  set_tests_properties(unit.${name} PROPERTIES LABELS unit TIMEOUT 120)
endfunction()
