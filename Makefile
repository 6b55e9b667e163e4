# SPDX-License-Identifier: BSD-3-Clause
# One Makefile, non-recursive. Objects live in build/<key>/, one tree per compiler and flags; build/bin and build/lib point to the last one built.

CC       ?= cc
CFLAGS   ?= -O2 -g
PREFIX   ?= /usr/local
DESTDIR  ?=
LLVM     ?= 19

WARN     := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
BASE     := -std=c11 -D_GNU_SOURCE -I. -pthread $(WARN)
# omp-tools.h lies among clang's own headers: they must come after the compiler's.
OMPT_INC := $(firstword $(wildcard /usr/lib/llvm-$(LLVM)/lib/clang/*/include))
REC_CF   := -fPIC -fvisibility=hidden -ftls-model=initial-exec $(if $(OMPT_INC),-idirafter $(OMPT_INC)) $(shell pkg-config --cflags ck 2>/dev/null)
BLD_PC   := otf2 libdw jansson
BLD_CF   := -fopenmp $(shell pkg-config --cflags $(BLD_PC) 2>/dev/null)
BLD_LD   := $(shell pkg-config --libs $(BLD_PC) 2>/dev/null)

KEY      := $(shell printf '%s' '$(CC) $(CFLAGS) $(LDFLAGS)' | cksum | cut -d' ' -f1)
O        := build/$(KEY)
Q        := $(if $(V),,@)

COMMON_SRC  := $(wildcard common/*.c)
LAUNCH_SRC  := $(wildcard recorder/launch_*.c)
REC_SRC     := $(filter-out $(LAUNCH_SRC),$(wildcard recorder/*.c))
BLD_SRC     := $(wildcard builder/*.c)
obj          = $(patsubst %.c,$(O)/%.o,$(1))

RECORDER := $(O)/lib/libotter-ompt.so
LAUNCHER := $(O)/bin/otter-record
BUILDER  := $(O)/bin/otter-build
.PHONY: all clean
all: $(RECORDER) $(LAUNCHER) $(BUILDER)
	$(Q)ln -sfn $(KEY)/bin build/bin && ln -sfn $(KEY)/lib build/lib

$(O)/recorder/%.o: recorder/%.c
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CC      $<")
	$(Q)$(CC) $(BASE) $(REC_CF) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
$(O)/builder/%.o: builder/%.c
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CC      $<")
	$(Q)$(CC) $(BASE) $(BLD_CF) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
$(O)/common/%.o: common/%.c
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CC      $<")
	$(Q)$(CC) $(BASE) -fPIC $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(RECORDER): $(call obj,$(REC_SRC))
	@mkdir -p $(@D)
	$(if $(Q),@echo "  LINK    $@")
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -pthread -Wl,-z,nodelete -Wl,-z,defs -Wl,--version-script=recorder/exports.map -o $@ $^
$(LAUNCHER): $(call obj,$(LAUNCH_SRC))
	@mkdir -p $(@D)
	$(if $(Q),@echo "  LINK    $@")
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^
$(BUILDER): $(call obj,$(BLD_SRC) $(COMMON_SRC))
	@mkdir -p $(@D)
	$(if $(Q),@echo "  LINK    $@")
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -pthread -fopenmp -o $@ $^ $(BLD_LD)

clean:
	rm -rf build

-include $(shell find build -name '*.d' 2>/dev/null)
