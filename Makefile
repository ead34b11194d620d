# SPDX-License-Identifier: Apache-2.0
# The commands of the README. Everything else is CMake: see CONTRIBUTING.md.
.PHONY: bench demo lab test test-chart test-image
.NOTPARALLEL:

demo:
	@scripts/install-packages.sh build demo
	@scripts/build-release.sh build
	@scripts/demo.sh build/signpost

# A published experiment, repeated in four minutes; needs root. The result is in a new folder of lab-results/.
lab:
	@scripts/install-packages.sh build lab
	@scripts/build-release.sh build
	@build/signpost lab run E1 --quick

# BENCH=--quick: a short run that shows that everything works.
bench:
	@scripts/install-packages.sh build bench
	@scripts/build-release.sh build
	@bench/redirects.py build/signpost --out build/bench $(BENCH)

test:
	@scripts/install-packages.sh build demo test
	@scripts/test.sh

# The container image and a clean installation of the packages: minutes, root, Debian's archive.
test-image:
	@scripts/install-packages.sh build demo test image
	@cmake --preset release
	@cmake --build --preset release
	@ctest --test-dir build/release -L image --output-on-failure

# The Helm chart: golden files, and every rendering applied to a real kube-apiserver (built once, for which it
# takes Go 1.24 or later and some minutes).
test-chart:
	@scripts/install-packages.sh chart
	@scripts/chart-tools.sh build/tools
	@scripts/chart-readme.py --check
	@PATH="$(CURDIR)/build/tools:$$PATH" tests/chart/render.py
	@tests/chart/apiserver/build.sh build/apiserver
	@PATH="$(CURDIR)/build/tools:$$PATH" tests/chart/api.py build/apiserver
