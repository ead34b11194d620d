# SPDX-License-Identifier: Apache-2.0
# How all our code is compiled; every target of ours links sp_flags.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

add_library(sp_flags INTERFACE)
target_include_directories(sp_flags INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                           "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>")
target_compile_definitions(sp_flags INTERFACE _POSIX_C_SOURCE=200809L SIGNPOST_VERSION="${PROJECT_VERSION}")
target_compile_options(
  sp_flags
  INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wvla -Wformat=2 -Wcast-qual -Wundef
            -Wswitch-enum $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>
            $<$<BOOL:${SIGNPOST_WERROR}>:-Werror>)
if(SIGNPOST_SANITIZE)
  target_compile_options(sp_flags INTERFACE -fsanitize=${SIGNPOST_SANITIZE} -fno-sanitize-recover=all
                                            -fno-omit-frame-pointer)
  target_link_options(sp_flags INTERFACE -fsanitize=${SIGNPOST_SANITIZE})
endif()
