# SPDX-License-Identifier: Apache-2.0
# `cpack -G DEB`: signpost, libsignpost1 and libsignpost-dev.
set(DEBIAN "${CMAKE_CURRENT_LIST_DIR}/debian")
find_program(GZIP gzip)
find_program(STRIP strip)

# The day of the changelog entry: SOURCE_DATE_EPOCH, where that is set, so that builds can be repeated.
string(TIMESTAMP SP_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)

# What only a Debian package has: these are in no plain `cmake --install`.
function(sp_debian_files component package)
  install(
    CODE "
  set(usr \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
  set(doc \"\${usr}/share/doc/${package}\")
  file(INSTALL \"${DEBIAN}/copyright\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/share/doc/${package}\")
  set(text \"signpost (${PROJECT_VERSION}) unstable; urgency=medium\\n\\n  * See CHANGELOG.md in the sources.\\n\\n -- ${CPACK_PACKAGE_CONTACT}  ${SP_DATE}\\n\")
  file(WRITE \"\${doc}/changelog\" \"\${text}\")
  file(GLOB pages \"\${usr}/share/man/man1/*.1\")
  foreach(page \"\${doc}/changelog\" \${pages})
    execute_process(COMMAND \"${GZIP}\" -9nf \"\${page}\" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  if(EXISTS \"${DEBIAN}/${package}.lintian-overrides\")
    file(INSTALL \"${DEBIAN}/${package}.lintian-overrides\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/share/lintian/overrides\" RENAME \"${package}\")
  endif()
  file(GLOB archives \"\${usr}/${CMAKE_INSTALL_LIBDIR}/*.a\")
  foreach(archive \${archives})
    execute_process(COMMAND \"${STRIP}\" --strip-debug --enable-deterministic-archives -R .comment -R .gnu.lto_* -R .gnu.debuglto_*
                            -N __gnu_lto_slim -N __gnu_lto_v1 \"\${archive}\" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()"
    COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

set(CPACK_PACKAGE_NAME "signpost")
set(CPACK_PACKAGE_VENDOR "The signpost authors")
set(CPACK_PACKAGE_CONTACT "The signpost authors <signpost@localhost.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
set(CPACK_STRIP_FILES ON)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENTS_ALL signpost development)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY "optional")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_SIGNPOST_PACKAGE_NAME "signpost")
set(CPACK_DEBIAN_SIGNPOST_PACKAGE_SECTION "net")
set(CPACK_DEBIAN_SIGNPOST_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_SIGNPOST_PACKAGE_RECOMMENDS "procps, dehydrated") # systemctl reload runs kill; certificates on demand
set(CPACK_DEBIAN_SIGNPOST_PACKAGE_CONTROL_EXTRA "${DEBIAN}/postinst" "${DEBIAN}/prerm" "${DEBIAN}/postrm" "${DEBIAN}/conffiles")
set(CPACK_DEBIAN_SIGNPOST_DESCRIPTION
    "For a visitor of www.example.com it looks up the TXT records of
_redirect.www.example.com, and sends the visitor where they say. Nothing
is stored in the service itself.

It is not started before it is enabled, for it takes port 80:
systemctl enable --now signpost.socket signpost.service")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME "libsignpost-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION "libdevel")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libre2-dev, libidn2-dev, libqrencode-dev, libpng-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
    "The rules of signpost without any input or output: whoever embeds them asks
DNS in its own way.

This package has headers, the archive, and what pkg-config and CMake need.")

if(SP_SHARED)
  sp_install_pc(shared EXCLUDE_FROM_ALL)
  list(APPEND CPACK_COMPONENTS_ALL library)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME "libsignpost1")
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION "libs")
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${DEBIAN}/triggers" "${PROJECT_BINARY_DIR}/shlibs" "${PROJECT_BINARY_DIR}/symbols")
  file(WRITE "${PROJECT_BINARY_DIR}/shlibs" "libsignpost 1 libsignpost1 (>= ${PROJECT_VERSION})\n")
  file(STRINGS "${SP_MAP}" symbols REGEX "^    sp_")
  list(TRANSFORM symbols REPLACE "^ *([a-z0-9_]+).*" " \\1@SIGNPOST_1 0.1.0")
  list(JOIN symbols "\n" symbols)
  file(WRITE "${PROJECT_BINARY_DIR}/symbols" "libsignpost.so.1 libsignpost1 #MINVER#\n SIGNPOST_1@SIGNPOST_1 0.1.0\n${symbols}\n")
  set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
      "The rules of signpost without any input or output: whoever embeds them asks
DNS in its own way. This package has the shared library.")
  string(PREPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libsignpost1 (= ${PROJECT_VERSION}), ")
  sp_debian_files(library libsignpost1)
endif()
# Where the program itself is linked with the shared library.
if(BUILD_SHARED_LIBS)
  set(CPACK_DEBIAN_SIGNPOST_PACKAGE_DEPENDS "libsignpost1 (= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}")
endif()

sp_debian_files(signpost signpost)
sp_debian_files(development libsignpost-dev)
include(CPack)
