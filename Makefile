# Knobs (make MPI=0 SAN=1 ...); CC is mpicc, or gcc with MPI=0, unless given.
MPI     ?= 1
SAN     ?= 0
NATIVE  ?= 0
DEBUG   ?= 0
# MPI=0: without MPI.  SAN=1: AddressSanitizer and UBSan.  NATIVE=1: for this processor only (results may then differ
# from other machines in the last bit).  DEBUG=1: no optimisation.  V=1: print commands.
# JOBS=N: compilers, and test steps, at a time.
# HDF5=DIR, PREFIX=DIR: where HDF5, and libyaml, GSL, xxHash and Random123, are on a machine without their packages.
HDF5    ?=
PREFIX  ?=
BINDIR  ?= /usr/local/bin
JOBS    ?= $(shell nproc)
PYTHON  ?= /usr/bin/python3
VERSION := 0.1.0

ifeq ($(origin CC),default)
CC := $(if $(filter 0,$(MPI)),gcc,mpicc)
endif

config := $(if $(filter 1,$(SAN)),san,$(if $(filter 1,$(DEBUG)),debug,$(if $(filter 1,$(NATIVE)),native,release)))
SHARED := build/$(config)
config := $(config)$(if $(filter 0,$(MPI)),-nompi)
BUILD  := build/$(config)

# --- flags -----------------------------------------------------------------------------------------------------------
# Results must not depend on the build: no contraction to fused operations, no -ffast-math anywhere.
comma  := ,
OPT    := $(if $(filter 1,$(DEBUG) $(SAN)),-O0,-O2)
KOPT   := $(if $(filter 1,$(DEBUG)),-O0,$(if $(filter 1,$(SAN)),-O1,-O3 -fno-tree-slp-vectorize))
CFLAGS ?= -g1
flags  := -std=gnu11 $(CFLAGS) -Wall -Wextra -Wpedantic -ffp-contract=off -fno-math-errno -fopenmp
flags  += $(if $(filter 1,$(NATIVE)),-march=native)
flags  += $(if $(filter 1,$(SAN)),-fsanitize=address$(comma)undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)

# pkg-config first; what it does not know is looked for in HDF5, PREFIX and the compiler's own paths.
paths     := $(if $(PREFIX),PKG_CONFIG_PATH="$(PREFIX)/lib/pkgconfig:$$PKG_CONFIG_PATH")
hdf5_pc   := $(if $(HDF5),,$(firstword $(foreach p,hdf5-serial hdf5,$(shell pkg-config --exists $p 2>/dev/null && echo $p))))
known_pc  := $(foreach p,yaml-0.1 gsl libxxhash,$(shell $(paths) pkg-config --exists $p 2>/dev/null && echo $p)) $(hdf5_pc)
pc_cflags := $(shell $(paths) pkg-config --cflags $(known_pc) 2>/dev/null)
pc_libs   := $(shell $(paths) pkg-config --libs $(known_pc) 2>/dev/null)
flags     += $(patsubst -I%,-isystem %,$(pc_cflags)) $(foreach d,$(HDF5) $(PREFIX),-isystem $d/include)
libs      := $(foreach d,$(HDF5) $(PREFIX),-L$d/lib -Wl$(comma)-rpath$(comma)$d/lib) $(filter -L%,$(pc_libs)) -lhdf5_hl $(pc_libs)
libs      += $(if $(hdf5_pc),,-lhdf5) $(if $(filter yaml-0.1,$(known_pc)),,-lyaml)
libs      += $(if $(filter gsl,$(known_pc)),,-lgsl -lgslcblas) $(if $(filter libxxhash,$(known_pc)),,-lxxhash) -lm
described := $(strip $(flags)) -DWITH_MPI=$(MPI) $(OPT) (kernels $(KOPT))

quiet := $(if $(V),,@)

# --- what is built ---------------------------------------------------------------------------------------------------
kernel_src := $(wildcard kernels/*.c kernels/*/*.c)
engine_src := $(wildcard src/*.c analysis/models/*.c)
unit_src   := $(wildcard tests/unit/*.c)
check_src  := $(wildcard tests/check/*.c)
# With and without MPI all objects but own_obj are the same: compiled once, into SHARED.
own_obj    := $(BUILD)/src/par.o $(BUILD)/src/build.o
kernel_obj := $(kernel_src:%.c=$(SHARED)/%.o)
lib_obj    := $(kernel_obj) $(filter-out $(SHARED)/src/main.o $(own_obj:$(BUILD)/%=$(SHARED)/%),$(engine_src:%.c=$(SHARED)/%.o)) $(own_obj)
unit_bin   := $(unit_src:%.c=$(BUILD)/%)
check_bin  := $(check_src:%.c=$(BUILD)/%)
vector_bin := $(patsubst %.c,$(BUILD)/%,$(shell grep -l vectors.h $(unit_src)))
PROGRAM    := $(BUILD)/tcpsweep

.PHONY: all program test-programs run run-built reproduce test test-long test-built test-long-built deps unit e2e check-ns2 check-fuzz check-stat check-ns3 check-two-way check-linux \
	check-vectors check-seed001 check-experiments check-properties bench bench-instructions bench-algorithms bench-engine san-test nm-check install clean help FORCE
.DELETE_ON_ERROR:
.SECONDARY:

all: program ## build ./tcpsweep
	@ln -sf $(PROGRAM) tcpsweep

program: $(PROGRAM)

$(PROGRAM): $(SHARED)/src/main.o $(BUILD)/libtcpsweep.a
	@mkdir -p $(@D) && echo "  LD $@"
	$(quiet)$(CC) $(flags) -o $@.new $^ $(libs) && mv $@.new $@

$(BUILD)/libtcpsweep.a: $(lib_obj)
	@rm -f $@
	$(quiet)ar rcs $@ $^

$(SHARED)/kernels/%.o: kernels/%.c
	@mkdir -p $(@D) && echo "  CC $@"
	$(quiet)$(CC) $(flags) $(KOPT) -MMD -MP -c -o $@ $<

define compile
@mkdir -p $(@D) && echo "  CC $@"
$(quiet)$(CC) $(flags) $(OPT) -MMD -MP -c -o $@ $<
endef

$(SHARED)/%.o: %.c
	$(compile)

$(own_obj): $(BUILD)/%.o: %.c
	$(compile)

$(SHARED)/tests/%.o: OPT := -O0

$(BUILD)/tests/%: $(SHARED)/tests/%.o $(BUILD)/libtcpsweep.a
	@mkdir -p $(@D) && echo "  LD $@"
	$(quiet)$(CC) $(flags) -o $@ $^ -lcmocka $(libs)

# What the program says about itself; touched only when it changes.
$(BUILD)/src/par.o: flags += -DWITH_MPI=$(MPI)
$(BUILD)/src/build.o: flags += -I$(BUILD)
$(BUILD)/src/build.o: $(BUILD)/build_info.h
$(BUILD)/build_info.h: FORCE
	@mkdir -p $(@D)
	@new=$@.$$$$; { echo '#define BUILD_VERSION "$(VERSION)"'; \
	   echo "#define BUILD_COMMIT \"$$(GIT_OPTIONAL_LOCKS=0 git describe --always --dirty=+dirty --abbrev=12 --exclude='*' 2>/dev/null || echo unknown)\""; \
	   echo "#define BUILD_COMPILER \"$$($(CC) --version | head -n 1)\""; \
	   echo '#define BUILD_FLAGS "$(described)"'; } >$$new; \
	 if cmp -s $$new $@; then rm $$new; else mv $$new $@; fi

-include $(shell find $(BUILD) $(SHARED) -name '*.d' 2>/dev/null)

# --- the two commands ------------------------------------------------------------------------------------------------
# The packages come first, and what pkg-config knows changes with them: hence the second make.
deps:
	@MPI=$(MPI) tests/install.sh

run: deps ## install what is missing (root on Debian), build, run the quick start sweep, print its table
	@$(MAKE) --no-print-directory run-built

test: deps ## the same, then all tests (under 5 minutes on 2 cores); the last line sums them up
	@$(MAKE) --no-print-directory test-built

test-long: export TCPSWEEP_LONG = 1
test-long: deps ## the same with the long variants of the tests
	@$(MAKE) --no-print-directory test-long-built

reproduce: deps all ## every published experiment: what is said, what is simulated, verdict; ID=0.7: one, with its settings and plot
	TCPSWEEP=$(CURDIR)/$(PROGRAM) $(PYTHON) -m analysis.reproduce $(ID)

run-built:
	@$(MAKE) --no-print-directory -j$(JOBS) all
	./tcpsweep run sweeps/quickstart.yaml -o build/quickstart.h5 --force
	@$(PYTHON) -m analysis.plot build/quickstart.h5 --models pftk,square_root --out build/quickstart.png

# The long ones first.
steps := e2e san-test check-stat check-ns3 check-two-way check-linux check-seed001 check-experiments check-properties unit check-ns2 check-fuzz check-vectors nm-check

test-built: run-built
	@$(MAKE) --no-print-directory -j$(JOBS) test-programs
	@$(PYTHON) tests/run_steps.py $(JOBS) $(steps)

test-long-built: run-built
	@$(MAKE) --no-print-directory -j$(JOBS) test-programs
	@TCPSWEEP_LONG=1 $(PYTHON) tests/run_steps.py $(JOBS) $(steps) bench-algorithms

# --- the tests one by one --------------------------------------------------------------------------------------------
test-programs: $(unit_bin) $(check_bin)

unit: $(unit_bin) ## unit tests
	@failed=0; for t in $(unit_bin); do ./$$t || failed=1; done; exit $$failed

e2e: all $(vector_bin) ## end-to-end tests, and tests of the checks themselves
	TCPSWEEP=$(CURDIR)/$(PROGRAM) $(PYTHON) -m pytest -q -p no:cacheprovider tests/e2e tests/check

check-ns2: $(BUILD)/tests/check/packet_exact ## packet by packet against ns-2 (REF=DIR: other cases of the same form)
	$< $(or $(REF),tests/reference/ns2-vectors)

check-fuzz: $(BUILD)/tests/check/packet_exact ## the same on random cases, against the model of ns-2's rules in tests/check
	$(PYTHON) tests/check/ns2_model.py tests/reference/ns2-vectors
	PACKET_EXACT=$< $(PYTHON) tests/check/fuzz_packet_exact.py $(if $(TCPSWEEP_LONG),5000,200)

check-stat: all ## means against ns-2 (REF=DIR)
	TCPSWEEP=$(CURDIR)/$(PROGRAM) $(PYTHON) tests/check/check_stat_ns2.py $(or $(REF),tests/reference/ns2)

check-two-way: all ## data in both directions of a link against ns-2 (REF=DIR)
	TCPSWEEP=$(CURDIR)/$(PROGRAM) $(PYTHON) tests/check/check_two_way.py $(or $(REF),tests/reference/ns2)

check-ns3: all ## means against ns-3 (REF=DIR)
	TCPSWEEP=$(CURDIR)/$(PROGRAM) $(PYTHON) tests/check/check_stat_ns3.py $(or $(REF),tests/reference/ns3)

check-linux: all ## dialect linux against Linux 6.1 itself (REF=DIR)
	TCPSWEEP=$(CURDIR)/$(PROGRAM) $(PYTHON) tests/check/check_linux.py $(or $(REF),tests/reference/linux)

check-seed001: all ## seed 001, goodput against ns-2 (REF=DIR)
	TCPSWEEP=$(CURDIR)/$(PROGRAM) $(PYTHON) tests/check/check_seed001.py $(or $(REF),tests/reference/ns2)

check-experiments: all ## what the published experiments say: the quick ones, in test-long all
	TCPSWEEP=$(CURDIR)/$(PROGRAM) $(PYTHON) -m analysis.reproduce --check $(if $(TCPSWEEP_LONG),,--quick) --out $(BUILD)/experiments

check-vectors: $(BUILD)/tests/unit/test_models ## analytic models against published numbers (REF=DIR)
	$< $(or $(REF),tests/reference/vectors)

check-properties: $(BUILD)/tests/check/properties ## conservation, horizon, limits on random scenarios
	$< $(if $(TCPSWEEP_LONG),2000,200)

san-test: ## unit and packet-exact tests under ASan and UBSan
	@$(MAKE) --no-print-directory SAN=1 MPI=0 -j$(JOBS) test-programs
	@$(MAKE) --no-print-directory SAN=1 MPI=0 unit check-ns2

nm-check: $(BUILD)/libtcpsweep.a ## no mutable file-scope data in the kernel
	@nm -A -f sysv $(kernel_obj) | awk -F'|' '{gsub(/ /, "", $$7)} \
	    $$7 ~ /^(\.t?bss|\.t?data|\*COM\*)/ && $$7 !~ /^\.data\.rel\.ro/ {print "mutable data: " $$1; bad++} \
	    END {print (bad ? 0 : 1) " passed, " (bad ? 1 : 0) " failed"; exit bad > 0}'

bench: all ## nanoseconds per packet
	./tcpsweep bench

bench-instructions: $(PROGRAM) ## instructions per packet, counted by callgrind (needs valgrind)
	TCPSWEEP=$(PROGRAM) $(PYTHON) tests/bench_instructions.py

bench-algorithms: $(PROGRAM) ## the same of every algorithm preset, against its limit relative to sack
	TCPSWEEP=$(PROGRAM) $(PYTHON) tests/bench_instructions.py --algorithms

bench-engine: all ## share of the kernel in all CPU time, speed-up on two threads and two ranks
	TCPSWEEP=$(PROGRAM) $(PYTHON) tests/bench_engine.py

# --- the rest --------------------------------------------------------------------------------------------------------
install: program ## copy the program to BINDIR (/usr/local/bin)
	install -D -m 755 $(PROGRAM) $(DESTDIR)$(BINDIR)/tcpsweep

clean: ## remove everything built
	rm -rf build tcpsweep

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## /\1|/p' Makefile | awk -F'|' '{printf "make %-20s %s\n", $$1, $$2}'
