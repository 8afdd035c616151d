# Two commands: `make run` and `make test`. Both install what is missing (apt),
# build, and do their work; a second call has nothing to build.

BUILD := build
PTOSCOPE := $(BUILD)/bin/ptoscope

.PHONY: all build install run test test-asan test-tsan test-bare test-aarch64 test-long lint format fuzz fuzz-programs fuzz-inputs mutate bench bench-long bench-against docs pictures report-page vscode site install-packages install-test-packages package tarball clean

all: build

install-packages:
	@scripts/install-packages.sh
install-test-packages:
	@scripts/install-packages.sh tests

$(BUILD)/build.ninja: | install-packages
	cmake --preset release

# The tool and the library; what else a command needs, it names.
build: install-packages $(BUILD)/build.ninja
	@ninja -C $(BUILD)
build-%: install-packages $(BUILD)/build.ninja
	@ninja -C $(BUILD) $*

# The tool, libptoscope with its headers, a CMake package and a pkg-config file. DESTDIR stages.
PREFIX ?= /usr/local
install: build
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(PREFIX)"

# Debian packages and a tarball that runs from anywhere, in $(BUILD)/packages (docs/packages.md).
VERSION := $(shell sed -n 's/^project.ptoscope VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
package: build
	@scripts/install-packages.sh dpkg-dev file
	@cpack --config $(BUILD)/CPackConfig.cmake
tarball: build
	@scripts/tarball.sh $(BUILD) $(BUILD)/packages/ptoscope-$(VERSION)-$$(uname -m).tar.gz

run: build-ptoscope
	$(PTOSCOPE) run examples/abs.pto --arg random:f32:32x32:1 --arg zeros:f32:32x32 \
	  --expect 1=examples/expected/abs.npy --stats

test: install-test-packages build-ptoscope-tests
	@ctest --test-dir $(BUILD) --output-on-failure -j $$(nproc)

# All tests under address and undefined-behaviour sanitizers, with fewer random programs; leaks, too, where LLVM is not loaded.
test-asan: install-test-packages
	@test -f build-asan/build.ninja || cmake --preset asan
	@ninja -C build-asan ptoscope-tests
	@PTOSCOPE_RANDOM_PROGRAMS=200 ctest --test-dir build-asan --output-on-failure -j $$(nproc)

# What needs no LLVM, threads of launches among it, under ThreadSanitizer.
test-tsan: install-test-packages
	@test -f build-tsan/build.ninja || cmake --preset tsan
	@ninja -C build-tsan ptoscope-tests
	@ctest --test-dir build-tsan --output-on-failure -j $$(nproc)

# Support, Machine, Checkers and Meaning without LLVM and MLIR.
test-bare: install-test-packages
	@test -f build-bare/build.ninja || cmake --preset bare
	@ninja -C build-bare ptoscope-tests
	@ctest --test-dir build-bare --output-on-failure -j $$(nproc)

# The same for AArch64, whatever this host is: Debian's cross compiler builds it, QEMU runs it.
ifeq ($(shell uname -m),aarch64)
test-aarch64: test-bare
else
test-aarch64: install-test-packages
	@scripts/install-packages.sh g++-aarch64-linux-gnu qemu-user-static
	@scripts/arm64-packages.sh build-aarch64/root
	@test -f build-aarch64/build.ninja || cmake --preset aarch64
	@ninja -C build-aarch64 ptoscope-tests
	@ctest --test-dir build-aarch64 --output-on-failure -j $$(nproc)
endif

PYTHON := $(firstword $(wildcard /usr/bin/python3) python3)

# Style, spelling and links, without a build; `make test` does it, too. `make format` rewrites the C++ files.
lint: install-test-packages
	@$(PYTHON) -B scripts/lint.py

format: install-test-packages
	@$(PYTHON) -B scripts/lint.py --repair

# Every case of the products that `make test` samples; more random programs, and more with typing errors; every tile
# instruction in text with every element, layout and shape of its tests; vectors of any length with every length and mask;
# every f32 input of exp, ln, the roots and the reciprocal, with the largest error of each; the parts without LLVM on
# AArch64: half an hour, on all cores.
test-long: install-test-packages build-ptoscope-tests test-aarch64
	@PTOSCOPE_TEST_LONG=1 ctest --test-dir $(BUILD) --output-on-failure -j $$(nproc) \
	  -R '^(Support|Checkers|Meaning|MeaningNative|Tile|EndToEnd)Tests$$'
	@scripts/install-packages.sh emacs-nox slurm-wlm
	@LIT_FILTER='EndToEnd/|Timing/trace-size|Docs/timing|Report/what-if|Editors/|Audit/folder|Tools/(fix|prove|slurm|packages|printed)' PTOSCOPE_TEST_LONG=1 ctest --test-dir $(BUILD) --output-on-failure -R '^lit$$'
	@ls test/TileText/*.test | PATH=$(CURDIR)/$(BUILD)/bin:$$PATH PYTHONPATH=test/TileText/Inputs:test/Inputs PTOSCOPE_TEST_LONG=1 \
	  xargs -P $$(nproc) -I{} $(PYTHON) -B {} $(BUILD)/{}
	@ls test/Ops/vmi.*.test | PATH=$(CURDIR)/$(BUILD)/bin:$$PATH PYTHONPATH=test/Inputs PTOSCOPE_TEST_LONG=1 \
	  xargs -P $$(nproc) -I{} $(PYTHON) -B {} $(BUILD)/{}
	@$(PYTHON) -B scripts/digests.py $(BUILD)
	@seq 0 4 | xargs -P $$(nproc) -I{} env GTEST_TOTAL_SHARDS=5 GTEST_SHARD_INDEX={} \
	  $(BUILD)/bin/MeaningNativeTests --gtest_also_run_disabled_tests --gtest_brief=1 --gtest_filter='*EveryInput*'

# What is right stays right, and what is wrong hurts no one: programs that are legal or have one fault, against an
# interpreter, and input that may be anything, for everything that reads.
fuzz: fuzz-programs fuzz-inputs

# The random programs of `make test`, and many more. FUZZ_SEED=N starts elsewhere.
FUZZ_SEED ?= 1000000
fuzz-programs: build-EndToEndTests
	PTOSCOPE_RANDOM_PROGRAMS=50000 PTOSCOPE_RANDOM_SEED=$(FUZZ_SEED) $(BUILD)/bin/EndToEndTests

# All targets of fuzz/, in so many seconds together, or those that TARGETS names (docs/security.md).
SECONDS ?= 3600
fuzz-inputs: install-packages
	@test -f build-fuzz/build.ninja || cmake --preset fuzz
	@ninja -C build-fuzz ptoscope-fuzz
	@$(PYTHON) -B scripts/fuzz.py build-fuzz --seconds $(SECONDS) $(TARGETS)

# Every synchronising instruction of every correct kernel removed, moved or renumbered, one at a time: minutes.
mutate: build-ptoscope-mutate
	@PATH=$(CURDIR)/$(BUILD)/bin:$$PATH $(PYTHON) -B test/Mutate/collect.py $(BUILD)/mutate
	@$(BUILD)/bin/ptoscope-mutate test/Mutate/kernels.txt $(BUILD)/mutate/kernels.txt

# OpenBLAS is what products of matrices are compared with. HOST=v3 measures as on a host without AVX-512.
BENCH := ptoscope-bench$(if $(HOST),-$(HOST))
bench: build-ptoscope-benchmarks
	@scripts/install-packages.sh libopenblas0-pthread
	@ninja -C $(BUILD) $(BENCH)
	@$(BUILD)/bin/$(BENCH)

# Every figure of another build (BASE=folder) beside ours, in turns; ROUNDS and PARTS choose.
ROUNDS ?= 7
bench-against: build-ptoscope-benchmarks
	@$(PYTHON) -B scripts/bench_against.py $(BASE) $(BUILD) --rounds $(ROUNDS) $(PARTS)

# Kernels of 100 million instructions under all checks: some minutes.
bench-long: build-ptoscope-benchmarks
	@$(BUILD)/bin/ptoscope-bench checks-long

docs: build-ptoscope-reference build
	@$(PTOSCOPE) ops --json > $(BUILD)/ops.json
	@$(PYTHON) -B scripts/coverage_page.py $(BUILD)/ops.json . docs/isa/coverage.md
	@$(PYTHON) -B scripts/tile_manual.py reference $(BUILD)/ops.json examples/instructions docs/tile-instructions.md
	@$(PYTHON) -B scripts/timing_table.py write $(PTOSCOPE) .

# Pictures of reports for the documents, taken in Chromium.
pictures: build
	@$(PYTHON) -B scripts/report_picture.py $(PTOSCOPE) docs/images

# The page of reports, bundled from report/ into share/report; needs npm and its packages.
report-page:
	@cd report && npm ci --ignore-scripts --no-audit --no-fund && npm run check && npm run build

# The extension of VS Code: build/vscode/ptoscope-VERSION.vsix.
vscode: install-test-packages
	@$(PYTHON) -B scripts/vscode.py build $(BUILD)/vscode

# The documents as a site: build/site/index.html.
site: install-test-packages
	@$(PYTHON) -B scripts/doc_site.py $(BUILD)/site

clean:
	rm -rf build build-asan build-tsan build-bare build-aarch64 build-fuzz
