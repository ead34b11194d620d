# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)
# The architecture, read off the object files: base ← rule ← decide ← dns ← explain ← http ← serve ← cli,
# with load on explain and lab on load, both beside http and serve.
# 1. No layer uses a symbol that a later layer defines.
# 2. The pure layers use nothing of the outside but what the list below names: no input or output, no
#    clock, no thread, no event loop.
set(layers base rule decide dns explain load http serve lab cli)
set(aside load lab) # what http and serve must not use either
set(pure base rule decide)

# Regular expressions for whole symbol names. Extend them only by what is pure as well.
set(allowed
    "_?mem(chr|cmp|cpy|move|set|rchr|mem)|str(len|nlen|chr|rchr|cmp|ncmp|str|spn|cspn|pbrk)|bcmp"
    "malloc|calloc|realloc|free|abort|qsort|bsearch"
    "v?snprintf|__v?snprintf_chk|__mem(cpy|move|set)_chk|__stack_chk_fail|__assert_fail"
    "__errno_location|_?_?setjmp|longjmp|_GLOBAL_OFFSET_TABLE_"
    "QRcode_.*|png_.*|idn2_.*" # libqrencode, libpng to memory, libidn2
    "_ZNK?3re2.*|_ZTV?N3re2.*" # RE2
    "_Zn[wa].*|_Zd[la].*|_ZNK?S[a-z].*|_ZS.*|_ZT[IV].*|_ZN9__gnu_cxx.*|__cxa_.*|__gxx_personality_v0|_Unwind_Resume|__dso_handle|DW.ref.*") # C++

function(symbols_of object ret_defined ret_undefined)
  execute_process(COMMAND "${NM}" -P "${object}" OUTPUT_VARIABLE output RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "nm can't read ${object}")
  endif()
  string(REPLACE "\n" ";" lines "${output}")
  set(defined "")
  set(undefined "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^([^ ]+) U")
      list(APPEND undefined "${CMAKE_MATCH_1}")
    elseif(line MATCHES "^([^ ]+) [A-TV-Z] ") # small letters are local, save for v and w: weak, unresolved
      list(APPEND defined "${CMAKE_MATCH_1}")
    endif()
  endforeach()
  set(${ret_defined} "${defined}" PARENT_SCOPE)
  set(${ret_undefined} "${undefined}" PARENT_SCOPE)
endfunction()

file(READ "${OBJECTS_FILE}" objects)
foreach(object IN LISTS objects)
  # …/src/base/CMakeFiles/sp_core.dir/__/rule/record.c.o, …/src/dns/CMakeFiles/sp_dns.dir/cache.c.o
  if(object MATCHES "\\.dir/__/([a-z]+)/[^/]*$" OR object MATCHES "/src/([a-z]+)/([a-z]+/)?CMakeFiles/[^/]*\\.dir/")
    set(layer "${CMAKE_MATCH_1}")
  else()
    message(FATAL_ERROR "${object}: belongs to no layer that this check knows")
  endif()
  symbols_of("${object}" defined undefined)
  list(APPEND defined_in_${layer} ${defined})
  list(APPEND used_by_${layer} ${undefined})
endforeach()

set(faults "")
list(JOIN allowed "|" allowed)
set(below "")
set(defined_aside "")
foreach(layer IN LISTS aside)
  list(APPEND defined_aside ${defined_in_${layer}})
endforeach()
foreach(layer IN LISTS layers)
  list(APPEND below ${defined_in_${layer}})
  set(later "")
  set(is_later FALSE)
  foreach(other IN LISTS layers)
    if(is_later)
      list(APPEND later ${defined_in_${other}})
    endif()
    if(other STREQUAL layer)
      set(is_later TRUE)
    endif()
  endforeach()
  list(REMOVE_DUPLICATES used_by_${layer})
  foreach(symbol IN LISTS used_by_${layer})
    if(symbol IN_LIST later)
      string(APPEND faults "${layer} uses ${symbol}, which a later layer defines\n")
    elseif(layer MATCHES "^(http|serve)$" AND symbol IN_LIST defined_aside)
      string(APPEND faults "${layer} uses ${symbol}, which is beside it\n")
    elseif(layer IN_LIST pure AND NOT symbol IN_LIST below AND NOT symbol MATCHES "^(${allowed})$")
      string(APPEND faults "${layer} is pure, but uses ${symbol}\n")
    endif()
  endforeach()
endforeach()
if(NOT defined_in_base OR NOT below)
  message(FATAL_ERROR "no symbols found: was anything built?")
endif()
if(faults)
  message(FATAL_ERROR "${faults}")
endif()
