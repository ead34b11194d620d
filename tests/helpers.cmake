# SPDX-License-Identifier: Apache-2.0

# sp_mark_test(NAME TARGET KIND): labels a test with its kind, and with `core` where its folder tests
# the pure library (base, rule, decide): the coverage preset builds and runs those alone.
function(sp_mark_test name target kind)
  set(labels ${kind})
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY "${PROJECT_SOURCE_DIR}/tests" OUTPUT_VARIABLE folder)
  if(folder MATCHES "^(unit/(base|rule|decide)|spec|fault)$")
    list(APPEND labels core)
    add_dependencies(sp_core_tests ${target})
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT 120)
  # Criterion 2.4 succeeds although a test leaked; what LeakSanitizer prints is decisive.
  set_tests_properties(${name} PROPERTIES FAIL_REGULAR_EXPRESSION "ERROR: LeakSanitizer")
endfunction()

# sp_unit_test(NAME SOURCES … [LIBRARIES …] [ARGUMENTS …] [KIND kind]): a Criterion program, the CTest
# `unit.NAME` (or `kind.NAME`).
function(sp_unit_test name)
  cmake_parse_arguments(ARG "" "KIND" "SOURCES;LIBRARIES;ARGUMENTS" ${ARGN})
  if(NOT ARG_KIND)
    set(ARG_KIND unit)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE sp_flags sp_test_support ${ARG_LIBRARIES} PkgConfig::CRITERION)
  add_test(NAME ${ARG_KIND}.${name} COMMAND ${name} ${ARG_ARGUMENTS})
  sp_mark_test(${ARG_KIND}.${name} ${name} ${ARG_KIND})
endfunction()

# sp_fault_test(NAME SOURCES … [LIBRARIES …]): as sp_unit_test, with an allocator that can be told to
# fail (support/failing_alloc.h). It sees the calls of whatever is linked statically: our code.
function(sp_fault_test name)
  sp_unit_test(${name} KIND fault ${ARGN})
  target_link_libraries(${name} PRIVATE sp_failing_alloc)
endfunction()

# sp_thread_test(NAME SOURCES … [LIBRARIES …]): a plain program, for Criterion does not start under
# ThreadSanitizer. The CTest `threads.NAME`.
function(sp_thread_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE sp_flags sp_test_support ${ARG_LIBRARIES})
  add_dependencies(sp_thread_tests ${name})
  add_test(NAME threads.${name} COMMAND ${name})
  sp_mark_test(threads.${name} ${name} threads)
endfunction()

# sp_fuzz_target(NAME [CORE] LIBRARIES …): NAME_fuzz.c, which defines LLVMFuzzerTestOneInput, with the
# corpus in corpus/NAME. The CTest `fuzz.NAME` fuzzes for SIGNPOST_FUZZ_SECONDS in the preset `fuzz`
# and replays the corpus in all others. CORE: the target runs nothing but the pure library.
function(sp_fuzz_target name)
  cmake_parse_arguments(ARG "CORE" "" "LIBRARIES" ${ARGN})
  set(target ${name}_fuzz)
  set(corpus "${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name}")
  add_executable(${target} ${target}.c)
  target_link_libraries(${target} PRIVATE sp_flags ${ARG_LIBRARIES})
  add_dependencies(sp_fuzzers ${target})
  if(SIGNPOST_FUZZ)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    add_test(NAME fuzz.${name} COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/run.sh" "$<TARGET_FILE:${target}>" "${corpus}"
                                       "${CMAKE_CURRENT_BINARY_DIR}/${name}")
    set(timeout 0) # run.sh decides how long
  else()
    target_sources(${target} PRIVATE replay.c)
    add_test(NAME fuzz.${name} COMMAND ${target} "${corpus}")
    set(timeout 120)
  endif()
  sp_mark_test(fuzz.${name} ${target} fuzz)
  set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT ${timeout})
  if(ARG_CORE)
    add_dependencies(sp_core_tests ${target})
    set_tests_properties(fuzz.${name} PROPERTIES LABELS "fuzz;core")
  endif()
endfunction()
