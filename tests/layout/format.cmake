# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)
# Every source file looks as clang-format (.clang-format) would write it.
set(files "")
foreach(folder include src tests examples)
  file(GLOB_RECURSE found "${SOURCE_DIR}/${folder}/*.c" "${SOURCE_DIR}/${folder}/*.h" "${SOURCE_DIR}/${folder}/*.cc")
  list(APPEND files ${found})
endforeach()
execute_process(COMMAND "${CLANG_FORMAT}" --dry-run -Werror --ferror-limit=3 ${files} RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "Run clang-format-14 -i on the files named above.")
endif()
