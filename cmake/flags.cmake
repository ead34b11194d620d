# SPDX-License-Identifier: Apache-2.0
# How all our code is compiled; every target of ours links sp_flags.
include(CheckCCompilerFlag)
include(CheckIPOSupported)
include(CheckPIESupported)

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

# Position-independent code everywhere, and executables that are linked as such.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
check_pie_supported()

add_library(sp_flags INTERFACE)
target_include_directories(sp_flags INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                                              "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>")
target_compile_definitions(sp_flags INTERFACE _POSIX_C_SOURCE=200809L SIGNPOST_VERSION="${PROJECT_VERSION}")
target_compile_options(
  sp_flags
  INTERFACE -Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wconversion
            -Wsign-conversion
            -Wvla
            -Wformat=2
            -Wcast-qual
            -Wundef
            -Wswitch-enum
            $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>
            $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
            $<$<BOOL:${SIGNPOST_WERROR}>:-Werror>)

# Optimised builds are hardened; sanitizer builds have their own, stricter checks.
if(NOT SIGNPOST_SANITIZE)
  set(optimised "$<CONFIG:Release,RelWithDebInfo,MinSizeRel>")
  target_compile_options(sp_flags INTERFACE $<${optimised}:-U_FORTIFY_SOURCE> $<${optimised}:-D_FORTIFY_SOURCE=2>
                                            $<${optimised}:-fstack-protector-strong>)
  foreach(flag -fstack-clash-protection -fcf-protection)
    string(MAKE_C_IDENTIFIER "SIGNPOST_HAS${flag}" known)
    check_c_compiler_flag(${flag} ${known})
    if(${known})
      target_compile_options(sp_flags INTERFACE $<${optimised}:${flag}>)
    endif()
  endforeach()
  target_link_options(sp_flags INTERFACE $<${optimised}:LINKER:-z,relro> $<${optimised}:LINKER:-z,now>)
endif()

# Release is optimised across files. The archive keeps ordinary machine code beside gcc's own
# representation, so that whatever links the installed libsignpost.a need not be the same compiler.
check_ipo_supported(
  RESULT SIGNPOST_HAS_IPO
  OUTPUT ipo_reason
  LANGUAGES C CXX)
if(SIGNPOST_HAS_IPO AND NOT SIGNPOST_SANITIZE)
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION_RELEASE ON)
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    target_compile_options(sp_flags INTERFACE $<$<CONFIG:Release>:-ffat-lto-objects>)
  endif()
endif()

if(SIGNPOST_SANITIZE)
  target_compile_options(sp_flags INTERFACE -fsanitize=${SIGNPOST_SANITIZE} -fno-sanitize-recover=all
                                            -fno-omit-frame-pointer)
  target_link_options(sp_flags INTERFACE -fsanitize=${SIGNPOST_SANITIZE})
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    # What the sanitizers insert hides from gcc that a variable was set; builds without them do warn.
    target_compile_options(sp_flags INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
if(SIGNPOST_FUZZ)
  target_compile_options(sp_flags INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(sp_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(SIGNPOST_COVERAGE)
  target_compile_options(sp_flags INTERFACE --coverage)
  target_link_options(sp_flags INTERFACE --coverage)
endif()
if(SIGNPOST_ANALYZE)
  # The analyser of gcc 12 knows C only.
  target_compile_options(sp_flags INTERFACE $<$<COMPILE_LANGUAGE:C>:-fanalyzer>)
endif()
