# SPDX-License-Identifier: Apache-2.0
# The configuration's part of sp_serve; src/serve/CMakeLists.txt includes this.
set(SP_CONFIG_SOURCES
    address.c
    config.c
    config_check.c
    config_faults.c
    config_file.c
    config_keys.c
    config_load.c
    config_origin.c
    config_read.c
    config_read_list.c
    config_read_value.c
    config_suggest.c
    config_values.c
    config_values_acme.c
    config_write.c
    network.c)
