# SPDX-License-Identifier: Apache-2.0
# The two commands of the README. Everything else is CMake: see CONTRIBUTING.md.
.PHONY: demo test
.NOTPARALLEL:

demo:
	@scripts/install-packages.sh build demo
	@scripts/build-release.sh build
	@scripts/demo.sh build/signpost

test:
	@scripts/install-packages.sh build demo test
	@scripts/test.sh
