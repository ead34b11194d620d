#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# coverage.sh SOURCE BUILD: fails when less than 95 % of the lines of base, rule and decide were run.
set -eu
source=$1 build=$2
trap 'find "$build" -name "*.gcda" -delete' EXIT
gcovr --root "$source" --filter "$source/src/(base|rule|decide)/" --sort-uncovered --fail-under-line 95 "$build/src/base"
