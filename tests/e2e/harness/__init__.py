# SPDX-License-Identifier: Apache-2.0
"""What the end-to-end tests stand on: a DNS server that can be told to misbehave, HTTP clients
that send exactly the octets they are given, and a runner for the program under test.

Everything here needs the Python standard library only."""
