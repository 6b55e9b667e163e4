# SPDX-License-Identifier: BSD-3-Clause
# The only Makefile. Objects are in build/<key>/, one tree for each combination of compiler and flags, so that they
# never mix; build/bin, build/lib and build/tests point to the tree that was built last. `make help` lists the
# targets.

CC      ?= cc
CFLAGS  ?= -O2 -g
PREFIX  ?= /usr/local
DESTDIR ?=
LLVM    ?= 19
SAN     ?=
# REPORT=no builds without the page report.html, and so without npm's libraries.
REPORT  ?= yes
$(if $(filter-out yes no,$(REPORT)),$(error REPORT is yes or no, not '$(REPORT)'))

PKG_CONFIG ?= pkg-config
pkg_cflags  = $(shell $(PKG_CONFIG) --cflags $(1) 2>/dev/null)
pkg_libs    = $(shell $(PKG_CONFIG) --libs $(1) 2>/dev/null)
# omp-tools.h is among clang's own headers. They are searched after those of the compiler in use (-idirafter), as they
# would otherwise hide gcc's.
OMPT_H     := $(firstword $(wildcard /usr/lib/llvm-$(LLVM)/lib/clang/*/include/omp-tools.h /usr/lib/llvm-*/lib/clang/*/include/omp-tools.h))
OMPT_CF    := $(if $(OMPT_H),-idirafter $(dir $(OMPT_H)))
BLD_PC     := otf2 libdw jansson sqlite3 zlib libgvc libxml-2.0
# The builder opens these itself, when it writes PDF, and when it decodes instructions.
PDF_PC     := librsvg-2.0 cairo-pdf
ALL_PC     := ck $(BLD_PC) $(PDF_PC) capstone

BASE_CF := -std=c11 -D_GNU_SOURCE -I. -pthread -fstack-protector-strong -fstack-clash-protection \
           -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
BASE_LD := -pthread -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack
# The checked calls of libc need an optimiser, and hide errors from sanitizers. A level that the caller sets in CFLAGS
# is kept.
FORTIFY_CF := $(if $(filter-out -O0,$(filter -O%,$(CFLAGS))),$(if $(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3))
# Control-flow protection. The tools mark where indirect branches may land and protect return addresses. The recorder
# protects return addresses only, as shadow stacks need every library of a process to do: marks would cost an
# instruction in each callback.
MACHINE          := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
BRANCH_CF_x86_64 := -fcf-protection=full
BRANCH_CF_aarch64 := -mbranch-protection=standard
RETURN_CF_x86_64 := -fcf-protection=return
PIC_CF  := -fPIC -fvisibility=hidden
REC_CF  := $(PIC_CF) -ftls-model=initial-exec $(RETURN_CF_$(MACHINE)) $(OMPT_CF) $(call pkg_cflags,ck)
TOOL_CF := -fPIE -fvisibility=hidden $(BRANCH_CF_$(MACHINE))
TOOL_LD := -pie
BLD_CF  := $(TOOL_CF) -fopenmp $(call pkg_cflags,$(BLD_PC))
BLD_LD  := -fopenmp $(call pkg_libs,$(BLD_PC)) -liberty -lm
# Graphviz' library lays out the graph of the report, where it is installed.
ifeq ($(shell $(PKG_CONFIG) --exists libgvc 2>/dev/null && echo yes),yes)
BLD_CF  += -DOTTER_HAS_GRAPHVIZ $(patsubst -I%/graphviz,,$(call pkg_cflags,libgvc))
BLD_LD  += $(call pkg_libs,libgvc)
endif
ifeq ($(REPORT),no)
BLD_CF  += -DOTTER_NO_REPORT
endif
TEST_LD := $(call pkg_libs,check)

# SAN=address (with undefined behaviour), SAN=thread, and with clang SAN=fuzz each build a tree of their own next to the
# plain one.
SAN_CF_address := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
SAN_CF_thread  := -fsanitize=thread
# libFuzzer's tracing of comparisons is left out: tests/fuzz/mutator.c knows what an input is, and an input takes two
# thirds of the time without.
SAN_CF_fuzz    := -fsanitize-coverage=inline-8bit-counters,pc-table -fsanitize=address,undefined -fno-sanitize-recover=undefined \
                  -fno-omit-frame-pointer
SAN_CF         := $(SAN_CF_$(SAN))
ifneq ($(SAN),)
ifeq ($(SAN_CF),)
$(error SAN is address, thread or fuzz)
endif
endif

KEY := $(shell printf '%s' '$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(BASE_CF) $(FORTIFY_CF) $(REC_CF) $(BLD_CF) $(SAN_CF_address) $(SAN_CF_thread) $(SAN_CF_fuzz)' | cksum | cut -d' ' -f1)
O   := build/$(KEY)$(addprefix -,$(SAN))
Q   := $(if $(V),,@)
say  = $(if $(V),,@printf '  %-7s %s\n' $(1) $@)

# The sources of each part. recorder/ makes four products: the launcher, of recorder/launch/, runs before the program, the
# recorder inside it, the library of recorder/gomp/ in programs that gcc built, before libomp, and that of recorder/audit/ in the loader.
COMMON_SRC := $(wildcard common/*.c)
LAUNCH_SRC := $(wildcard recorder/launch/*.c)
GOMP_NAMES := recorder/gomp/libomp_names.c
# The entries of OpenACC are written in instructions of one processor; elsewhere there are none.
GOMP_MAPS  := recorder/gomp/gomp.map $(if $(filter x86_64,$(MACHINE)),recorder/gomp/openacc.map)
GOMP_SRC   := $(filter-out $(GOMP_NAMES),$(wildcard recorder/gomp/*.c))
AUDIT_SRC  := recorder/audit/audit.c
SMALL_SRC  := recorder/audit/nothing.c
REC_SRC    := $(filter-out $(LAUNCH_SRC) $(wildcard recorder/gomp/*.c recorder/audit/*.c),$(wildcard recorder/*.c recorder/*/*.c))
BLD_SRC    := $(wildcard builder/*.c builder/*/*.c)
UNIT_SRC   := $(wildcard tests/unit/test_*.c)
UNIT_HELP  := $(filter-out $(UNIT_SRC),$(wildcard tests/unit/*.c))
STRESS_SRC := $(wildcard tests/stress/*.c)
TOOL_SRC   := $(wildcard tests/tools/*_tool.c)
# tests/fuzz has three programs, and mutator.c, which only libFuzzer's two are linked with.
FUZZ_MAIN  := $(addprefix tests/fuzz/,fuzz_memory.c fuzz_files.c)
FUZZ_PLAIN := tests/fuzz/replay_corpus.c
FUZZ_MUT   := tests/fuzz/mutator.c
FUZZ_SRC   := $(wildcard tests/fuzz/*.c)
FUZZ_HELP  := $(filter-out $(FUZZ_MAIN) $(FUZZ_PLAIN) $(FUZZ_MUT),$(FUZZ_SRC))
PROG_SRC   := $(filter-out $(TOOL_SRC),$(wildcard tests/tools/*.c))
DEVICE_SRC := $(wildcard tests/device/*.c)
# A unit test belongs to the recorder if it includes a header of the recorder, else to the builder.
REC_UNIT   := $(if $(UNIT_SRC),$(shell grep -l '"recorder/' $(UNIT_SRC)))
BLD_UNIT   := $(filter-out $(REC_UNIT),$(UNIT_SRC))

comma := ,
obj  = $(patsubst %.c,$(O)/%.o,$(1))
exe  = $(patsubst %.c,$(O)/%,$(1))

RECORDER   := $(O)/lib/libotter-ompt.so
LIBC_RECORDER := $(O)/tests/libc/libotter-ompt.so
LIBC_SYS   := $(O)/tests/libc/sys.o
LAUNCHER   := $(O)/bin/otter-record
# glibc's loader replaces $$LIB in a path by one of these folders, which differ between systems and word sizes. Loaders of
# other C libraries and word sizes find no such file, and their programs are not changed.
GOMP_DIR   := $(O)/lib/otter
GOMP_LIBS  := lib/$(MACHINE)-linux-gnu lib64
GOMP       := $(GOMP_DIR)/libgomp.so.1
# The library for LD_AUDIT, and one with nothing in it for programs of 32 bits, where the compiler makes such.
AUDIT      := $(GOMP_DIR)/libotter-audit.so
SMALL      := $(GOMP_DIR)/libotter-32.so
STAND_INS  := $(foreach n,0 1 2 3 4 5 6 7,$(GOMP_DIR)/libotter-name-$(n).so)
SMALL_LIBS := $(if $(filter x86_64,$(MACHINE)),lib/i386-linux-gnu lib32 lib)
BUILDER    := $(O)/bin/otter-build
REC_LIB    := $(O)/recorder.a
BLD_LIB    := $(O)/builder.a
COMMON_LIB := $(O)/common.a
UNIT_LIB   := $(O)/unit.a
FUZZ_LIB   := $(O)/fuzz.a
UNIT_BIN   := $(call exe,$(UNIT_SRC))
STRESS_BIN := $(call exe,$(STRESS_SRC))
PROG_BIN   := $(call exe,$(PROG_SRC))
DEVICE_BIN := $(O)/tests/device/driver
TOOL_SO    := $(patsubst %.c,$(O)/%.so,$(TOOL_SRC))

.PHONY: all dist deps demo quick check bare bench fuzz fuzz-run fuzz-programs fuzz-programs-run soak soak-run lint install uninstall clean help
.PHONY: builder-libraries check-run check-bin check-tools check-unit check-fuzz check-stress check-builder demo-run bench-run links need
.DELETE_ON_ERROR:

all: links

links: $(RECORDER) $(LIBC_RECORDER) $(LAUNCHER) $(BUILDER) $(GOMP) $(AUDIT)
	@mkdir -p $(O)/tests
	$(Q)for d in bin lib tests; do ln -sfn $(notdir $(O))/$$d build/$$d; done

# Reports missing packages once, before the compiler complains of the first header.
need:
	@$(PKG_CONFIG) --exists $(ALL_PC) 2>/dev/null && test -n '$(OMPT_H)' || \
		{ echo "Packages that Otter is built from are missing (pkg-config: $(ALL_PC); omp-tools.h): try 'make deps'." >&2; exit 1; }

# ---- objects ----
$(call obj,$(COMMON_SRC)): PART_CF := $(PIC_CF) $(BRANCH_CF_$(MACHINE))
$(call obj,$(REC_SRC)): PART_CF := $(REC_CF)
$(call obj,$(LAUNCH_SRC)): PART_CF := $(TOOL_CF)
$(call obj,$(GOMP_SRC)): PART_CF := $(PIC_CF) -ftls-model=initial-exec $(RETURN_CF_$(MACHINE))
$(call obj,$(AUDIT_SRC) $(SMALL_SRC)): PART_CF := $(PIC_CF) $(RETURN_CF_$(MACHINE))
$(call obj,$(GOMP_NAMES)): PART_CF := $(PIC_CF) -fvisibility=default -fno-builtin
$(call obj,$(BLD_SRC)): PART_CF := $(BLD_CF)
$(call obj,builder/draw/pdf.c): PART_CF := $(BLD_CF) $(patsubst -I%,-isystem %,$(call pkg_cflags,$(PDF_PC)))
$(call obj,$(REC_UNIT) $(STRESS_SRC)): PART_CF := $(OMPT_CF) $(call pkg_cflags,ck check)
$(call obj,$(BLD_UNIT) $(UNIT_HELP)): PART_CF := -fopenmp $(call pkg_cflags,$(BLD_PC) check)
$(call obj,$(FUZZ_SRC)): PART_CF := -fopenmp $(call pkg_cflags,$(BLD_PC))
$(call obj,$(TOOL_SRC)): PART_CF := -fPIC $(OMPT_CF)
$(call obj,$(DEVICE_SRC)): PART_CF := $(OMPT_CF)

$(O)/%.o: %.c | need
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(BASE_CF) $(if $(SAN),,$(FORTIFY_CF)) $(PART_CF) $(CPPFLAGS) $(CFLAGS) $(SAN_CF) -MMD -MP -c -o $@ $<

$(REC_LIB): $(call obj,$(REC_SRC))
$(BLD_LIB): $(call obj,$(filter-out builder/main.c,$(BLD_SRC)))
$(COMMON_LIB): $(call obj,$(COMMON_SRC))
$(UNIT_LIB): $(call obj,$(UNIT_HELP))
$(FUZZ_LIB): $(call obj,$(FUZZ_HELP))
%.a:
	@mkdir -p $(@D)
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) qcs $@ $^

# ---- the page of report.html, from its own files and from libraries that `make deps` installs ----
MODULES     := build/npm/node_modules
# `make dist` puts the page into a release as it was bundled here: whoever builds from that needs no npm. Without that folder
# the page is bundled anew.
MADE_PAGE   := builder/report/made
ifneq ($(wildcard $(MADE_PAGE)/tail.html),)
REPORT_PAGE := $(MADE_PAGE)
else
REPORT_PAGE := $(O)/report
$(REPORT_PAGE)/tail.html: $(wildcard builder/report/page/* builder/report/page/*/*) | need
	$(call say,BUNDLE)
	$(Q)test -x $(MODULES)/.bin/esbuild || { echo "The libraries of the report are missing: try 'make deps', or 'make REPORT=no' for a builder without it." >&2; exit 1; }
	$(Q)builder/report/page/bundle.sh $(MODULES) $(@D)
endif
ifneq ($(REPORT),no)
$(call obj,builder/report/report.c): $(REPORT_PAGE)/tail.html
endif
$(call obj,builder/report/report.c): PART_CF := $(BLD_CF) -DREPORT_PAGE='"$(REPORT_PAGE)"'

# The recorder once more, for tests and benchmarks whose preloaded libraries make its calls fail or slow: in this one they are
# libc's functions (recorder/system/sys.c).
$(LIBC_SYS): recorder/system/sys.c | need
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(BASE_CF) $(if $(SAN),,$(FORTIFY_CF)) $(REC_CF) -DOTTER_LIBC_CALLS $(CPPFLAGS) $(CFLAGS) $(SAN_CF) -MMD -MP -c -o $@ $<
$(LIBC_RECORDER): $(LIBC_SYS) $(filter-out $(call obj,recorder/system/sys.c),$(call obj,$(REC_SRC))) $(COMMON_LIB) recorder/exports.map

# ---- the products ----
LINK = $(CC) $(CFLAGS) $(SAN_CF) $(LDFLAGS) $(BASE_LD)

# Only the entry points of this library are visible. It stays mapped when the runtime closes it (nodelete), because its
# threads still run.
$(RECORDER): $(call obj,$(REC_SRC)) $(COMMON_LIB) recorder/exports.map
$(RECORDER) $(LIBC_RECORDER):
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(LINK) -shared -Wl,-z,nodelete -Wl,-z,defs -Wl,--exclude-libs,ALL -Wl,--version-script=recorder/exports.map \
		-o $@ $(filter %.o %.a,$^)
# A second name of the same file, for LD_PRELOAD and the linker. Loaded under both names it is still one library, which
# writes one dump.
	$(Q)ln -sfn $(notdir $@) $(@D)/libotter-abt.so
# The launcher uses the recorder's code for settings and unpacks segments: the linker takes only those members of the archives.
$(LAUNCHER): $(call obj,$(LAUNCH_SRC)) $(REC_LIB) $(COMMON_LIB)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(LINK) $(TOOL_LD) -o $@ $^
# With libgomp's name, versions and entries. libomp.so.5 is what it needs, by a file that has libomp's names alone.
$(GOMP): $(call obj,$(GOMP_SRC)) $(call obj,$(GOMP_NAMES)) $(GOMP_MAPS) recorder/gomp/libomp.map
	@mkdir -p $(@D) $(O)/names $(addprefix $(@D)/,$(GOMP_LIBS))
	$(call say,LINK)
	$(Q)$(CC) $(LDFLAGS) -shared -nostdlib -Wl,-soname,libomp.so.5 -Wl,--version-script=recorder/gomp/libomp.map -o $(O)/names/libomp.so.5 \
		$(call obj,$(GOMP_NAMES))
	$(Q)$(LINK) -shared -Wl,-z,defs -Wl,--no-as-needed -Wl,-soname,libgomp.so.1 \
		$(addprefix -Wl$(comma)--version-script=,$(GOMP_MAPS)) -o $@ $(call obj,$(GOMP_SRC)) $(O)/names/libomp.so.5
	$(Q)$(call gomp_links,$(@D))
# Puts the names under which the loader finds these libraries: $(1) is the folder.
gomp_links = $(foreach name,libgomp.so.1 libotter-gomp.so,$(call put_links,$(1),$(GOMP_LIBS),libgomp.so.1,$(name)))
audit_links = $(call put_links,$(1),$(GOMP_LIBS),libotter-audit.so,libotter-audit.so) test ! -e $(SMALL) || { \
	mkdir -p $(foreach folder,$(SMALL_LIBS),'$(1)/$(folder)') && \
	$(foreach name,libotter-gomp.so libotter-audit.so,$(call put_links,$(1),$(SMALL_LIBS),libotter-32.so,$(name))) }
put_links = for folder in $(2); do ln -sfn "$$(echo $$folder/ | sed 's@[^/]*/@../@g')"$(3) '$(1)'/$$folder/$(4); done;
# For the loader, which loads it into a name space of its own; and files that it finds under other names of libgomp. The object of
# SMALL_SRC is for the warnings and lint alone.
$(AUDIT): $(call obj,$(AUDIT_SRC) $(SMALL_SRC)) $(GOMP)
	$(call say,LINK)
	$(Q)for file in $(STAND_INS); do $(CC) $(LDFLAGS) $(BASE_LD) -shared -nostdlib -fPIC -x c /dev/null -x none -Wl,--no-as-needed \
		$(addprefix -Wl$(comma)--version-script=,$(GOMP_MAPS)) -o $$file $(GOMP) || exit 1; done
	$(Q)$(LINK) -shared -Wl,-z,defs -Wl,-soname,libotter-audit.so -o $@ $(call obj,$(AUDIT_SRC))
	$(Q)$(if $(SMALL_LIBS),$(CC) -m32 -shared -nostdlib -fPIC -o $(SMALL) $(SMALL_SRC) 2>/dev/null || rm -f $(SMALL))
	$(Q)$(call audit_links,$(@D))
$(BUILDER): $(call obj,builder/main.c) $(BLD_LIB) $(COMMON_LIB)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(LINK) $(TOOL_LD) -o $@ $^ $(BLD_LD)

# ---- tests ----
$(call exe,$(REC_UNIT) $(STRESS_SRC)): LINK_LD := $(TEST_LD)
$(call exe,$(REC_UNIT) $(STRESS_SRC)): $(REC_LIB) $(COMMON_LIB)
$(call exe,$(BLD_UNIT) $(PROG_SRC)): LINK_LD := $(TEST_LD) $(BLD_LD)
$(call exe,$(BLD_UNIT)): $(UNIT_LIB) $(BLD_LIB) $(COMMON_LIB)
$(call exe,tests/tools/golden_dumps.c): $(UNIT_LIB)
$(call exe,tests/tools/write_dump.c): $(UNIT_LIB)
$(call exe,tests/tools/tables_md.c): $(BLD_LIB)
$(call exe,$(PROG_SRC)): $(COMMON_LIB)
$(UNIT_BIN) $(STRESS_BIN) $(PROG_BIN): $(O)/%: $(O)/%.o
	$(call say,LINK)
	$(Q)$(LINK) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LINK_LD)

# tests/fuzz/memory_files.c replaces these calls of the builder, and contract.c the one that ends it when memory runs out.
FUZZ_CALLS := memory_fail open close read pread fstat stat mmap munmap madvise opendir readdir closedir gethostname strcmp
$(call exe,$(FUZZ_MAIN)): LINK_LD := -fsanitize=fuzzer
$(call exe,$(FUZZ_MAIN)): $(call obj,$(FUZZ_MUT))
$(call exe,$(FUZZ_MAIN) $(FUZZ_PLAIN)): $(O)/%: $(O)/%.o $(FUZZ_LIB) $(BLD_LIB) $(COMMON_LIB)
	$(call say,LINK)
	$(Q)$(LINK) $(addprefix -Wl$(comma)--wrap=,$(FUZZ_CALLS)) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LINK_LD) $(BLD_LD)

# Simulates a runtime with devices, for tests/device.py.
$(DEVICE_BIN): $(call obj,$(DEVICE_SRC))
	$(call say,LINK)
	$(Q)$(LINK) -o $@ $^

# Tools of the OpenMP runtime, like the recorder.
$(TOOL_SO): $(O)/%.so: $(O)/%.o
	$(call say,LINK)
	$(Q)$(LINK) -shared -o $@ $^

# The picture of the stages in docs/design.md. tests/stages_svg.sh compares the two.
docs/stages.svg: $(call exe,tests/tools/stages_dot.c)
	$(Q)$< | dot -Tsvg >$@

check-unit: $(UNIT_BIN)
check-fuzz: $(call exe,$(FUZZ_PLAIN))
check-stress: $(STRESS_BIN)
check-builder: $(BUILDER)
check-tools: all $(PROG_BIN) $(TOOL_SO)
check-bin: check-tools check-unit check-stress $(DEVICE_BIN)

# What TESTS needs: goals in the plain tree, with SAN=address and with SAN=thread. A test that no line here names needs
# check-bin.
SELF_SUFFICIENT     := lint deps model aarch64 promises diagnoses runtimes.md unit-asan fuzz-corpus stress-tsan
PLAIN_unit          := check-unit
PLAIN_stress        := check-stress
PLAIN_golden        := check-tools
PLAIN_products      := all
PLAIN_dozen         := check-tools
PLAIN_answers       := check-tools
PLAIN_programs      := all
PLAIN_threads       := all
PLAIN_programs_selftest := all
ADDRESS_unit-asan   := check-unit
ADDRESS_fuzz-corpus := check-fuzz
ADDRESS_sanitized   := check-builder
PLAIN_sanitized     := all
THREAD_stress-tsan  := check-stress
NAMED         := $(sort $(foreach test,$(TESTS),$(firstword $(subst /, ,$(test)))))
PLAIN_GOALS   := $(if $(NAMED),$(sort $(foreach name,$(filter-out $(SELF_SUFFICIENT),$(NAMED)),$(or $(PLAIN_$(name)),check-bin))),check-bin)
ADDRESS_GOALS := $(if $(NAMED),$(sort $(foreach name,$(NAMED),$(ADDRESS_$(name)))),check-unit check-fuzz check-builder)
THREAD_GOALS  := $(if $(NAMED),$(sort $(foreach name,$(NAMED),$(THREAD_$(name)))),check-stress)

# make gets flags from pkg-config when it starts: a second make finds the packages that deps has installed.
AGAIN = +$(Q)$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))
check: deps
	$(Q)tests/deps.sh check || echo "The tests that need it are skipped."
	$(AGAIN) check-run
# The README's commands on a Debian that has nothing: as root, in build/bare.
bare:
	$(Q)tests/bare.sh
# For use while working: about twenty seconds, and edited files are built once.
quick: deps
	$(AGAIN) check-run TESTS='unit golden dozen diff promises'
demo: deps
	$(AGAIN) demo-run
bench: deps
	$(Q)tests/deps.sh bench
	$(AGAIN) bench-run

check-run: $(PLAIN_GOALS)
	$(if $(ADDRESS_GOALS),+$(Q)$(MAKE) --no-print-directory SAN=address $(ADDRESS_GOALS))
	$(if $(THREAD_GOALS),+$(Q)$(MAKE) --no-print-directory SAN=thread $(THREAD_GOALS))
	$(Q)tests/check.sh $(O) $(TESTS)
# For programs that are linked with the builder's objects (bench/harness.py).
builder-libraries:
	@echo $(BLD_LD)
demo-run: all
	$(Q)docs/demo/run.sh
bench-run: all
	$(Q)bench/run $(if $(QUICK),--quick)

deps:
	$(Q)tests/deps.sh

# Both fuzzers run at once for FUZZ_TIME seconds. They leave their findings in build/fuzz.
fuzz: deps
	$(Q)tests/deps.sh fuzz
	$(AGAIN) CC=clang-$(LLVM) SAN=fuzz fuzz-run
fuzz-run: $(call exe,$(FUZZ_MAIN))
	$(Q)tests/fuzz/run.sh $(O)/tests/fuzz $(or $(FUZZ_TIME),300)

# N random programs from SEED on, recorded and compared with their texts. Programs that differ are left in
# build/tests/run/programs.
fuzz-programs: deps
	$(AGAIN) fuzz-programs-run
fuzz-programs-run: all
	$(Q)tests/programs.py --count $(or $(N),1000) --first $(or $(SEED),1)

# Records on busy processors for MINUTES, kills in between, and compares each dump with the program's own counts.
soak: deps
	$(AGAIN) soak-run
soak-run: all
	$(Q)tests/soak.py $(or $(MINUTES),30)

lint: all
	$(Q)tests/deps.sh lint
	$(Q)CC='$(CC)' tests/lint.sh $(O)

# ---- a release ----
VERSION := $(shell sed -n 's/^#define OTTER_VERSION_STRING "\(.*\)"/\1/p' common/format.h)
DIST    := otter-$(VERSION)

# All files of the clone, as they are, and the page as it was bundled, in build/otter-VERSION.tar.gz.
dist: $(REPORT_PAGE)/tail.html
	@git ls-files --error-unmatch Makefile >/dev/null 2>&1 || { echo "make dist needs a clone of git's: which files belong to a release is not known." >&2; exit 1; }
	$(Q)rm -rf build/dist && mkdir -p build/dist/$(DIST)/$(MADE_PAGE)
	$(Q)git ls-files -z | tar -cf - --null -T - | tar -xf - -C build/dist/$(DIST)
	$(Q)cp $(addprefix $(REPORT_PAGE)/,head.html tail.html LICENSES) build/dist/$(DIST)/$(MADE_PAGE)
	$(Q)tar -czf build/$(DIST).tar.gz --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$$(git log -1 --format=%ct)" -C build/dist $(DIST)
	$(Q)rm -rf build/dist
	@echo "Made build/$(DIST).tar.gz"

# ---- install ----
BIN_DIR := $(DESTDIR)$(PREFIX)/bin
LIB_DIR := $(DESTDIR)$(PREFIX)/lib
MAN_DIR := $(DESTDIR)$(PREFIX)/share/man
DOC_DIR := $(DESTDIR)$(PREFIX)/share/doc/otter
MAN     := $(wildcard docs/*.[1-8])
DOC     := $(wildcard README.md LICENSE docs/*.md docs/*.svg)
DEMO    := $(wildcard docs/demo/*)

# The launcher finds the recorder in ../lib beside its own directory: bin and lib have to stay together.
install: all
	$(Q)install -d '$(BIN_DIR)' '$(LIB_DIR)' '$(DOC_DIR)/demo' $(foreach n,1 5 7,'$(MAN_DIR)/man$(n)')
	$(Q)install -m 755 $(LAUNCHER) $(BUILDER) '$(BIN_DIR)'
	$(Q)install -m 644 $(RECORDER) '$(LIB_DIR)'
	$(Q)ln -sfn $(notdir $(RECORDER)) '$(LIB_DIR)'/libotter-abt.so
	$(Q)install -d $(foreach folder,$(GOMP_LIBS),'$(LIB_DIR)/otter/$(folder)')
	$(Q)install -m 644 $(GOMP) $(AUDIT) $(STAND_INS) $(wildcard $(SMALL)) '$(LIB_DIR)/otter'
	$(Q)$(call gomp_links,$(LIB_DIR)/otter)
	$(Q)$(call audit_links,$(LIB_DIR)/otter)
	$(Q)for page in $(MAN); do install -m 644 $$page '$(MAN_DIR)'/man$${page##*.}; done
	$(Q)install -m 644 $(DOC) '$(DOC_DIR)'
	$(if $(filter no,$(REPORT)),,$(Q)install -m 644 $(REPORT_PAGE)/LICENSES '$(DOC_DIR)/LICENSES-report')
	$(Q)for file in $(DEMO); do case $$file in *.sh) mode=755;; *) mode=644;; esac; install -m $$mode $$file '$(DOC_DIR)/demo'; done
	@echo "Installed into $(DESTDIR)$(PREFIX)"
uninstall:
	$(Q)rm -f '$(BIN_DIR)'/otter-record '$(BIN_DIR)'/otter-build '$(LIB_DIR)'/libotter-ompt.so '$(LIB_DIR)'/libotter-abt.so
	$(Q)rm -rf '$(LIB_DIR)/otter'
	$(Q)for page in $(notdir $(MAN)); do rm -f '$(MAN_DIR)'/man$${page##*.}/$$page; done
	$(Q)rm -rf '$(DOC_DIR)'

clean:
	$(Q)rm -rf build

help:
	@echo "make            build the recorder, the launcher and the builder into build/bin and build/lib"
	@echo "make demo       install what is missing, record a program, build its archive and its graph"
	@echo "make quick      after an edit: unit tests, kept outputs of small dumps, a dozen programs"
	@echo "make check      install what is missing, run all tests (TESTS='name ...' runs only these)"
	@echo "make bare       the same on a bare Debian, as root: debootstrap into build/bare, a user, make demo, make check (TESTS)"
	@echo "make deps       install the packages that are missing (Debian)"
	@echo "make bench      measure the recorder and other tracers (QUICK=1: for a minute)"
	@echo "make fuzz       look for inputs that harm the builder (FUZZ_TIME=300 seconds)"
	@echo "make fuzz-programs  record N=1000 random programs from SEED=1 on, compare graphs with their texts"
	@echo "make soak       record on busy processors for MINUTES=30, with faults; what is lost is counted"
	@echo "make lint       the tests lint and products, cppcheck, clang-tidy, gcc's analyzer"
	@echo "make dist       a release that is built without npm and network: build/otter-VERSION.tar.gz"
	@echo "make install    into PREFIX (/usr/local), below DESTDIR; uninstall removes it"
	@echo "make clean      remove build/"
	@echo "variables       CC CFLAGS CPPFLAGS LDFLAGS PREFIX DESTDIR; V=1 shows commands;"
	@echo "                REPORT=no builds otter-build without the page report.html, and so without npm;"
	@echo "                SAN=address, SAN=thread or SAN=fuzz builds with sanitizers; LLVM=19 is the version whose omp-tools.h is used"

-include $(wildcard $(O)/*/*.d $(O)/*/*/*.d)
