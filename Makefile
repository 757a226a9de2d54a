# binlog: `make help` says what there is.  Everything is built below $(O).
#
# Here is what the library and the tools are built of; what else there is stands beside its subject:
# man/rules.mk, tools/install/rules.mk, tests/packages.mk, tests/rules.mk, tests/fuzz/rules.mk, tests/bench/rules.mk,
# tests/analysis/rules.mk, tests/coverage/build.mk.
#
# Lines that begin with two number signs are what `make help` says.
## make                 build everything below build (O=DIR for another place); V=1 shows commands, CC=... chooses a compiler,
##                      SAN=address,undefined sanitizes the tools, PORTABLE=1 builds the library without its assembly
O ?= build
CC ?= gcc
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
MANDIR ?= $(PREFIX)/share/man
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/vendor-completions
DESTDIR ?=
# Programs that tests run from there; one place for builds within builds.
export DEBS ?= $(abspath $(O))/debs
V ?= 0
Q := $(if $(filter 1,$(V)),,@)
say = @printf '  %-8s %s\n' $(1) $(2)

# ---- flags ----
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla -Walloca -Wwrite-strings -Wformat=2 \
	-Wundef -Wcast-qual $(if $(WERROR),-Werror)
# Where it is built is not in what is built.
ANYWHERE = -fdebug-prefix-map=$(CURDIR)=. -fdebug-prefix-map=$(O)=./build
# Debian puts them where no compiler looks by itself.
DWARF_HEADERS = -isystem /usr/include/libdwarf
BASE = -std=gnu11 -O2 -g -ffp-contract=off -D_GNU_SOURCE -I. $(DWARF_HEADERS) $(WARNINGS) \
	$(ANYWHERE) -MMD -MP
# In a stranger's process: nothing that the compiler adds may call libc, look
# at thread state before it is set up, or be exported.  So there are no canaries
# and no checked calls.
INSIDE = $(BASE) -fPIC -fvisibility=hidden -fno-builtin -fno-stack-protector \
	-U_FORTIFY_SOURCE -ftls-model=initial-exec -D__NO_INLINE__=1 \
	-fdata-sections -ffunction-sections -fstack-clash-protection \
	-include shim/host/inside.h $(PORTABLE_FLAGS) $(TRAP_FLAGS) \
	$(TSAN_FLAGS)
# PORTABLE=1: without the assembly of the hot path, as on other processors.
PORTABLE_FLAGS = $(if $(PORTABLE)$(TSAN),-DPORTABLE)
# TRAP=1: what is undefined ends the program that does it, without a runtime.
TRAP_FLAGS = $(if $(TRAP),-fsanitize=undefined -fsanitize-undefined-trap-on-error)
# TSAN=1: watched by ThreadSanitizer, in programs that are, too.
TSAN_FLAGS = $(if $(TSAN),-fsanitize=thread -Wno-tsan -Wno-attributes)
# Only the functions themselves have to know their caller's frame pointer.
$(O)/inside/wrappers/functions.o $(O)/inside/wrappers/start.o: \
	INSIDE += -fno-omit-frame-pointer
SAN_FLAGS = $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -O1)
OUTSIDE = $(BASE) -fPIE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 \
	-fstack-protector-strong -fstack-clash-protection \
	$(if $(findstring x86_64,$(machine)),-fcf-protection) $(SAN_FLAGS)
machine := $(shell $(CC) -dumpmachine)
OUTSIDE_LINK = -pie -Wl,-z,relro,-z,now,-z,noexecstack,-z,separate-code,--as-needed \
	$(SAN_FLAGS)
# Every process pays for a mapping and for the mprotect() of relro; the pointers
# to libc that matter are variables.  Without a mark of shadow stacks: glibc
# leaves them off for a program with us.
INSIDE_LINK = -shared -nostdlib -Wl,-Bsymbolic -Wl,-z,now,-z,norelro,-z,defs \
	-Wl,-z,noexecstack,-z,noseparate-code -Wl,-T,shim/host/inside.ld \
	-Wl,-soname,libbinlog.so -Wl,-e,about_entry -Wl,--hash-style=gnu $(if $(TSAN),-ltsan) -lc -lgcc
# The same library has another name since its version 6 (Debian 13).
MSGPACK := $(if $(findstring /,$(shell $(CC) -print-file-name=libmsgpack-c.so)),-lmsgpack-c,-lmsgpackc)
reader_libs := -ldwarf -lz -liberty $(MSGPACK) -lzstd
# BUNDLED=1: they are in the tools, which then run where libc is all there is.
# Before glibc 2.34 threads and dlopen() are in libraries of their own.
READ_LIBS = $(if $(BUNDLED),$(reader_libs:-l%=-l:lib%.a),$(reader_libs)) -lm -ldl -lpthread

FLEET_LIBS = -lcurl

# ---- sources, by wildcard ----
# By room: a folder, or one within it.
sources_of = $(foreach room,$(1),$(wildcard $(room)/*.c $(room)/*/*.c))
inside_src := $(filter-out %/offsets.c,$(call sources_of,record rules shim wrappers)) wrappers/fast_x86_64.S
reader_src := $(call sources_of,base record rules sandbox decoder symbolizer tools/frames tools/live tools/output tools/program)
inside_obj := $(patsubst %,$(O)/inside/%.o,$(basename $(inside_src)))
reader_obj := $(reader_src:%.c=$(O)/outside/%.o) $(O)/outside/html_template.o
# Of an archive each takes what it needs; where branches are counted all is in one library.
readers := $(if $(COVERAGE),$(O)/libreaders.so,$(O)/outside/readers.a)
# Those that ask a server need a library that is not bundled, so they are not in archives.
fleet_tools := $(if $(BUNDLED),,ship query)
tool_names := show run ctl pack symbolize top $(fleet_tools)
rooms_of = tools/$(1) $(if $(filter $(1),$(fleet_tools)),tools/fleet)
objects_of = $(if $(COVERAGE),$(O)/coverage/main_of_$(1).o,$(patsubst %.c,$(O)/outside/%.o,$(call sources_of,$(call rooms_of,$(1)))))
programs := $(O)/libbinlog.so $(tool_names:%=$(O)/binlog-%)
# Programs of tests.
unit_src := $(wildcard tests/unit/*/unit_*.c)
units := $(patsubst %.c,$(O)/tests/%,$(notdir $(unit_src)))
inside_units := $(patsubst %.c,$(O)/tests/%,$(notdir $(filter tests/unit/shim/% tests/unit/wrappers/%,$(unit_src))))
vpath unit_%.c $(sort $(dir $(unit_src)))
fuzz_targets := $(patsubst tests/fuzz/target/fuzz_%.c,%,$(wildcard tests/fuzz/target/fuzz_*.c))
# What targets reach beyond the reader.
fuzz_tools_src := shim/unwind/cfi.c shim/unwind/cfi_program.c tests/fuzz/no_objects.c
fuzz_tools_obj := $(fuzz_tools_src:%.c=$(O)/outside/%.o)
fuzz_src := $(reader_src) $(fuzz_tools_src)

ifdef COVERAGE
include tests/coverage/build.mk
endif

.DELETE_ON_ERROR:
.SECONDARY:

.PHONY: all clean help
all: $(programs)

$(O)/inside/%.o: %.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(INSIDE) -c -o $@ $<

# What the assembler has to know, as the compiler lays it out.
$(O)/inside/offsets.h: wrappers/offsets.c
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(INSIDE) -MF $@.d -MT $@ -S -o $@.s $<
	$(Q)sed -n 's/.*"@define \(.*\)".*/#define \1/p' $@.s >$@

$(O)/inside/%.o: %.S $(O)/inside/offsets.h
	$(call say,AS,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(PORTABLE_FLAGS) $(ANYWHERE) -I. -I$(O)/inside -MMD -MP -g -c -o $@ $<

# Headers of libraries are read here alone; `make` by itself installs nothing.
$(O)/outside/%.o: %.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(OUTSIDE) -c -o $@ $< || { \
		echo 'binlog: not built: if a header is not there: `make deps-build` installs what the build needs' >&2; exit 1; }

# The page of a report, as C.
$(O)/outside/html_template.c: decoder/html/assemble $(filter-out %.c %.h,$(wildcard decoder/html/*))
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)decoder/html/assemble >$@

$(O)/outside/html_template.o: $(O)/outside/html_template.c
	$(call say,CC,$<)
	$(Q)$(CC) $(OUTSIDE) -c -o $@ $<

# Compiled anew when its header has come, or gone: it can do without.
unwind_header := $(O)/libunwind.$(if $(wildcard /usr/include/libunwind.h /usr/include/*/libunwind.h),here,missing)
.PHONY: anew
$(O)/inside/shim/unwind/unwind_libunwind.o: shim/unwind/unwind_libunwind.c $(if $(wildcard $(unwind_header)),,anew)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(INSIDE) -c -o $@ $<
	@rm -f $(O)/libunwind.* && touch $(unwind_header)

# What it says when it is run as a program.
$(O)/inside/shim/start/about.o: debian/changelog
$(O)/inside/shim/start/about.o: INSIDE += -DABOUT_RELEASE='"$(version)"'
$(O)/outside/tools/output/standard_output.o: debian/changelog
$(O)/outside/tools/output/standard_output.o: OUTSIDE += -DRELEASE='"$(version)"'

$(O)/libbinlog.so: $(inside_obj) shim/host/inside.ld
	$(call say,LD,$@)
	$(Q)$(CC) -o $@ $(inside_obj) $(INSIDE_LINK)

$(O)/outside/readers.a: $(reader_obj)

define tool
$(O)/binlog-$(1): $(call objects_of,$(1)) $(readers)
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(OUTSIDE_LINK) -o $$@ $$^ $$(READ_LIBS) $(if $(filter $(1),$(fleet_tools)),$$(FLEET_LIBS))
endef
$(foreach name,$(tool_names),$(eval $(call tool,$(name))))

%.a:
	$(call say,AR,$@)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && ar rcs $@ $^

include man/rules.mk tools/install/rules.mk tests/packages.mk tests/rules.mk tests/fuzz/rules.mk tests/bench/rules.mk \
	tests/analysis/rules.mk

clean:
	rm -rf $(O)

help:
	@sed -n 's/^## //p' $(filter Makefile %.mk,$(MAKEFILE_LIST))

-include $(shell find $(O) -name debs -prune -o -name '*.d' -print 2>/dev/null)
