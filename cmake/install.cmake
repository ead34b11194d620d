# SPDX-License-Identifier: Apache-2.0
# Where things land: in the build folder (build/signpost, build/libsignpost.*), on `cmake --install`
# and in the Debian package of `cpack -G DEB`.
set_target_properties(
  sp_core
  PROPERTIES ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
             LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
if(TARGET signpost AND BUILD_SHARED_LIBS)
  set_target_properties(signpost PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
endif()
install(
  TARGETS sp_core
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/include/signpost"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING
  PATTERN "*.h")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/README.md"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/examples"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}"
  PATTERN "lab" EXCLUDE)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples/lab/" DESTINATION "${CMAKE_INSTALL_DATADIR}/signpost/lab"
        USE_SOURCE_PERMISSIONS)

# The units name the program where it is installed, which is known only then (cpack has its own prefix).
install(
  CODE "
  set(units \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/systemd/system\")
  file(READ \"${PROJECT_SOURCE_DIR}/examples/systemd/signpost.service\" text)
  string(REPLACE \"/usr/bin/signpost\" \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/signpost\" text \"\${text}\")
  file(WRITE \"\${units}/signpost.service\" \"\${text}\")
  message(STATUS \"Installing: \${units}/signpost.service\")")
install(FILES "${PROJECT_SOURCE_DIR}/examples/systemd/signpost.socket" DESTINATION lib/systemd/system)

# An archive leaves its own dependencies to the program that links it.
if(BUILD_SHARED_LIBS)
  set(PC_PRIVATE ".private")
  set(PC_LIBS "")
else()
  set(PC_PRIVATE "")
  set(PC_LIBS " -lstdc++")
endif()
configure_file("${CMAKE_CURRENT_LIST_DIR}/libsignpost.pc.in" "${PROJECT_BINARY_DIR}/libsignpost.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/libsignpost.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

set(CPACK_PACKAGE_NAME "signpost")
set(CPACK_PACKAGE_VENDOR "The signpost authors")
set(CPACK_PACKAGE_CONTACT "The signpost authors <signpost@localhost.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION "net")
set(CPACK_DEBIAN_PACKAGE_PRIORITY "optional")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# It is run for certificates on demand.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "dehydrated")
include(CPack)
