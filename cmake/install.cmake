# SPDX-License-Identifier: Apache-2.0
# Where things land: in the build folder (build/signpost, build/libsignpost.*) and on `cmake --install`.
# Components are what become Debian packages: see cmake/packages.cmake.
set_target_properties(
  sp_core
  PROPERTIES ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
             LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")

# A shared library says what it offers. Where the archive is the default, packages have a shared library as
# well, made of the same objects; a plain `cmake --install` leaves it out.
if(BUILD_SHARED_LIBS)
  set(SP_SHARED sp_core)
  set_target_properties(signpost PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
elseif(CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo|MinSizeRel)$" AND NOT SIGNPOST_SANITIZE)
  set(SP_SHARED sp_core_shared)
  add_library(sp_core_shared SHARED $<TARGET_OBJECTS:sp_core>)
  get_target_property(core_libraries sp_core LINK_LIBRARIES)
  set_target_properties(
    sp_core_shared
    PROPERTIES OUTPUT_NAME signpost
               VERSION "${PROJECT_VERSION}"
               SOVERSION 1
               LINKER_LANGUAGE CXX
               LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  target_link_libraries(sp_core_shared PRIVATE ${core_libraries})
  install(
    TARGETS sp_core_shared
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
            COMPONENT library
            NAMELINK_COMPONENT development
            EXCLUDE_FROM_ALL)
endif()
if(SP_SHARED)
  set(SP_MAP "${CMAKE_CURRENT_LIST_DIR}/libsignpost.map")
  target_link_options(${SP_SHARED} PRIVATE "LINKER:--version-script=${SP_MAP}")
  set_target_properties(${SP_SHARED} PROPERTIES LINK_DEPENDS "${SP_MAP}")
endif()

install(
  TARGETS sp_core
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
          COMPONENT library
          NAMELINK_COMPONENT development)
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/include/signpost"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  COMPONENT development
  FILES_MATCHING
  PATTERN "*.h")
install(FILES "${PROJECT_SOURCE_DIR}/README.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT signpost)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT license)
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/examples"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}"
  COMPONENT signpost
  PATTERN "lab" EXCLUDE)
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/examples/lab/"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/signpost/lab"
  COMPONENT signpost
  USE_SOURCE_PERMISSIONS)

# The units name the program where it is installed, which is known only then (cpack has its own prefix).
# A configuration that is there already stays; below /usr its place is /etc.
install(
  CODE "
  set(units \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/systemd/system\")
  if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
    set(etc \"/etc/signpost\")
  else()
    set(etc \"\${CMAKE_INSTALL_PREFIX}/etc/signpost\")
  endif()
  file(READ \"${PROJECT_SOURCE_DIR}/examples/systemd/signpost.service\" text)
  string(REPLACE \"/usr/bin/signpost\" \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/signpost\" text \"\${text}\")
  string(REPLACE \"/etc/signpost\" \"\${etc}\" text \"\${text}\")
  file(WRITE \"\${units}/signpost.service\" \"\${text}\")
  message(STATUS \"Installing: \${units}/signpost.service\")
  if(NOT EXISTS \"\$ENV{DESTDIR}\${etc}/signpost.json\")
    file(INSTALL \"${PROJECT_SOURCE_DIR}/examples/config/debian.json\" DESTINATION \"\${etc}\" RENAME signpost.json)
  endif()"
  COMPONENT signpost)
install(FILES "${PROJECT_SOURCE_DIR}/examples/systemd/signpost.socket" DESTINATION lib/systemd/system COMPONENT signpost)

# What shells need to complete commands and options is told by the program itself.
if(NOT CMAKE_CROSSCOMPILING)
  install(
    CODE "
  foreach(one bash:bash-completion/completions/signpost zsh:zsh/vendor-completions/_signpost fish:fish/vendor_completions.d/signpost.fish)
    string(REGEX MATCH \"^[a-z]+\" shell \"\${one}\")
    string(REGEX REPLACE \"^[a-z]+:\" \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/\" path \"\${one}\")
    execute_process(COMMAND \"$<TARGET_FILE:signpost>\" completion \${shell} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
    file(WRITE \"\${path}\" \"\${text}\")
    message(STATUS \"Installing: \${path}\")
  endforeach()"
    COMPONENT signpost)
endif()

# pkg-config and CMake find the library. An archive leaves its own dependencies to the program that links it.
set(SP_PREFIX "@SP_PREFIX@") # known when it is installed
foreach(kind static shared)
  if(kind STREQUAL "shared")
    set(PC_PRIVATE ".private")
    set(PC_LIBS "")
  else()
    set(PC_PRIVATE "")
    set(PC_LIBS " -lstdc++")
  endif()
  configure_file("${CMAKE_CURRENT_LIST_DIR}/libsignpost.pc.in" "${PROJECT_BINARY_DIR}/libsignpost-${kind}.pc.in" @ONLY)
endforeach()
# sp_install_pc(KIND [EXCLUDE_FROM_ALL])
function(sp_install_pc kind)
  install(
    CODE "
  set(SP_PREFIX \"\${CMAKE_INSTALL_PREFIX}\")
  set(path \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig/libsignpost.pc\")
  configure_file(\"${PROJECT_BINARY_DIR}/libsignpost-${kind}.pc.in\" \"\${path}\" @ONLY)
  message(STATUS \"Installing: \${path}\")"
    COMPONENT development ${ARGN})
endfunction()
if(BUILD_SHARED_LIBS)
  sp_install_pc(shared)
else()
  sp_install_pc(static)
endif()

include(CMakePackageConfigHelpers)
set(SP_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/signpost")
cmake_path(RELATIVE_PATH CMAKE_INSTALL_INCLUDEDIR BASE_DIRECTORY "${SP_CMAKE_DIR}" OUTPUT_VARIABLE SP_INCLUDE_FROM_CONFIG)
configure_file("${CMAKE_CURRENT_LIST_DIR}/signpostConfig.cmake.in" "${PROJECT_BINARY_DIR}/signpostConfig.cmake" @ONLY)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/signpostConfigVersion.cmake" COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/signpostConfig.cmake" "${PROJECT_BINARY_DIR}/signpostConfigVersion.cmake"
        DESTINATION "${SP_CMAKE_DIR}" COMPONENT development)
