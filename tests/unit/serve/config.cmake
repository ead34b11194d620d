# SPDX-License-Identifier: Apache-2.0
# The configuration's tests; tests/unit/serve/CMakeLists.txt includes this.
sp_unit_test(address_test SOURCES address_test.c LIBRARIES sp_serve)
sp_unit_test(network_test SOURCES network_test.c LIBRARIES sp_serve)
sp_unit_test(json_position_test SOURCES json_position_test.c LIBRARIES sp_serve)
sp_unit_test(
  config_test
  SOURCES config_test.c config_acme_test.c config_faults_test.c config_load_test.c config_recorder.c
          config_origin_test.c config_write_test.c
  LIBRARIES sp_serve)
target_compile_definitions(config_test PRIVATE SP_EXAMPLES="${PROJECT_SOURCE_DIR}/examples/config")
sp_fault_test(config_memory_test SOURCES config_memory_test.c LIBRARIES sp_serve)
