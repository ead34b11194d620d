# SPDX-License-Identifier: Apache-2.0
# The two commands of the README. Everything else is CMake: see CONTRIBUTING.md.
.PHONY: demo test test-image
.NOTPARALLEL:

demo:
	@scripts/install-packages.sh build demo
	@scripts/build-release.sh build
	@scripts/demo.sh build/signpost

test:
	@scripts/install-packages.sh build demo test
	@scripts/test.sh

# The container image and a clean installation of the packages: minutes, root, Debian's archive.
test-image:
	@scripts/install-packages.sh build demo test image
	@cmake --preset release
	@cmake --build --preset release
	@ctest --test-dir build/release -L image --output-on-failure
