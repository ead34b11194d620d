# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)
# Every header compiles alone, and twice.
separate_arguments(flags UNIX_COMMAND "${INCLUDE_FLAGS}")
set(faults "")
foreach(root include src tests)
  file(GLOB_RECURSE headers RELATIVE "${SOURCE_DIR}/${root}" "${SOURCE_DIR}/${root}/*.h")
  foreach(header IN LISTS headers)
    execute_process(
      COMMAND
        "${COMPILER}" -std=c17 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Werror "-I${SOURCE_DIR}/include"
        "-I${SOURCE_DIR}/src" "-I${SOURCE_DIR}/tests" ${flags} -fsyntax-only -include "${SOURCE_DIR}/${root}/${header}"
        -include "${SOURCE_DIR}/${root}/${header}" -x c /dev/null
      RESULT_VARIABLE status
      ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
      string(APPEND faults "${root}/${header} does not compile alone:\n${output}\n")
    endif()
  endforeach()
endforeach()
if(faults)
  message(FATAL_ERROR "${faults}")
endif()
