# binlog: `make help` says what there is.  Everything is built below $(O).
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

# ---- what a fresh Debian needs ----
BUILD_PACKAGES = libiberty-dev libmsgpack-dev libunwind-dev libzstd-dev zlib1g-dev
# a|b: the first of them that the archive has, since releases name libraries differently (Debian 12, 13, 11; the
# last may be one that is asked for anyway, where there is no such thing).
CHECK_PACKAGES = $(BUILD_PACKAGES) make dpkg-dev systemd libcmocka-dev mandoc binutils g++ gawk \
	bash coreutils findutils perl sqlite3 tcpdump bc diffutils \
	file grep sed util-linux procps psmisc busybox strace man-db xxd \
	bsdextrautils bsdutils netcat-openbsd libunwind8 python3 locales e2fsprogs \
	musl-tools libcap2-bin libjemalloc2 libtcmalloc-minimal4|libtcmalloc-minimal4t64 \
	libeatmydata1 libfaketime fakeroot valgrind clang libclang-rt-14-dev|libclang-rt-19-dev|libclang-common-11-dev \
	libmimalloc2.0|libmimalloc3|libjemalloc2 xz-utils libdebuginfod1|libdebuginfod1t64 llvm dwz libc6-dbg zstd gzip \
	python3-msgpack python3-zstandard|python3-zstd jq nodejs protobuf-compiler python3-protobuf chromium \
	ruby-msgpack lcov zsh babeltrace2 python3-bt2
# Tests run these from $(DEBS), where they are not installed: nobody gets a service for them.
CHECK_UNPACKED = memcached nginx redis-server lighttpd dnsmasq-base bind9-dnsutils curl mosquitto \
	mosquitto-clients openssh-server openssh-client dropbear-bin cron rsyslog systemd-journal-remote ncal
# What only `make check-long` asks for: other languages, other processors, what npm has.
LONG_PACKAGES = $(CHECK_PACKAGES) default-jdk-headless golang-go rustc npm python3-dbg \
	gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
LONG_UNPACKED = $(CHECK_UNPACKED) postgresql
DEMO_PACKAGES = $(BUILD_PACKAGES) binutils
FUZZ_PACKAGES = $(CHECK_PACKAGES) afl++
ANALYZE_PACKAGES = $(CHECK_PACKAGES) clang-tidy cppcheck
# What `make bench` compares with; those that cannot be had are named there.
BENCH_PACKAGES = $(BUILD_PACKAGES) python3 binutils
BENCH_PEERS = gdb tcpdump memcached g++ libspdlog-dev liblttng-ust-dev \
	lttng-tools ltrace uftrace zstd

# ---- flags ----
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla -Walloca -Wwrite-strings -Wformat=2 \
	-Wundef -Wcast-qual $(if $(WERROR),-Werror)
# Where it is built is not in what is built.
ANYWHERE = -fdebug-prefix-map=$(CURDIR)=. -fdebug-prefix-map=$(O)=./build
BASE = -std=gnu11 -O2 -g -ffp-contract=off -D_GNU_SOURCE -I. $(WARNINGS) \
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
	-Wl,-soname,libbinlog.so -Wl,--hash-style=gnu $(if $(TSAN),-ltsan) -lc -lgcc
# For fuzzers: with checks of memory and of undefined behaviour.  TRACE_CMP=1:
# numbers that are compared guide mutations, which takes most of the time.
FUZZ_CC ?= clang
BLIND_FLAGS = $(filter-out -Werror -Walloca,$(BASE)) -fno-omit-frame-pointer \
	-fsanitize=address,undefined -fno-sanitize-recover=all
FUZZ_FLAGS = $(BLIND_FLAGS) -fsanitize=fuzzer-no-link \
	$(if $(TRACE_CMP),,-fno-sanitize-coverage=trace-cmp)
AFL_CC ?= afl-clang-fast
AFL_FLAGS = $(filter-out -Werror -Walloca,$(BASE))
# The same library has another name since its version 6 (Debian 13).
MSGPACK := $(if $(findstring /,$(shell $(CC) -print-file-name=libmsgpack-c.so)),-lmsgpack-c,-lmsgpackc)
reader_libs := -lz -liberty $(MSGPACK) -lzstd
# BUNDLED=1: they are in the tools, which then run where libc is all there is.
# Before glibc 2.34 threads and dlopen() are in libraries of their own.
READ_LIBS = $(if $(BUNDLED),$(reader_libs:-l%=-l:lib%.a),$(reader_libs)) -lm -ldl -lpthread

# ---- sources, by wildcard ----
# By room: a folder, or one within it.
sources_of = $(foreach room,$(1),$(wildcard $(room)/*.c $(room)/*/*.c))
inside_src := $(filter-out %/offsets.c,$(call sources_of,record rules shim wrappers)) wrappers/fast_x86_64.S
reader_src := $(call sources_of,base record rules confine decoder symbolizer tools/live tools/program)
inside_obj := $(patsubst %,$(O)/inside/%.o,$(basename $(inside_src)))
reader_obj := $(reader_src:%.c=$(O)/outside/%.o) $(O)/outside/html_template.o
# Of an archive each takes what it needs; where branches are counted all is in one library.
readers := $(if $(COVERAGE),$(O)/libreaders.so,$(O)/outside/readers.a)
tools := show run ctl pack symbolize top
objects_of = $(if $(COVERAGE),$(O)/coverage/main_of_$(1).o,$(patsubst %.c,$(O)/outside/%.o,$(wildcard tools/$(1)/*.c)))
programs := $(O)/libbinlog.so $(tools:%=$(O)/binlog-%)
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

.PHONY: all demo check check-corpus check-long bench bench-tools lint fuzz fuzz-afl fuzz-blind \
	fuzz-programs coverage help install uninstall dist archive archives check-fresh clean \
	deps-build deps-check deps-long deps-demo deps-bench deps-fuzz deps-analyze
.DELETE_ON_ERROR:
.SECONDARY:

all: $(programs) $(addprefix $(O)/man/,binlog.5 binlog-packed.5 binlog.conf.5 \
	binlog.7 binlog-limits.7 binlog-rules.7)

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

$(O)/outside/%.o: %.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(OUTSIDE) -c -o $@ $<

# The page of a report, as C.
$(O)/outside/html_template.c: decoder/html/assemble $(filter-out %.c %.h,$(wildcard decoder/html/*))
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)decoder/html/assemble >$@

$(O)/outside/html_template.o: $(O)/outside/html_template.c
	$(call say,CC,$<)
	$(Q)$(CC) $(OUTSIDE) -c -o $@ $<

$(O)/libbinlog.so: $(inside_obj) shim/host/inside.ld
	$(call say,LD,$@)
	$(Q)$(CC) -o $@ $(inside_obj) $(INSIDE_LINK)

$(O)/outside/readers.a: $(reader_obj)

define tool
$(O)/binlog-$(1): $(call objects_of,$(1)) $(readers)
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(OUTSIDE_LINK) -o $$@ $$^ $$(READ_LIBS)
endef
$(foreach name,$(tools),$(eval $(call tool,$(name))))

%.a:
	$(call say,AR,$@)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && ar rcs $@ $^

$(O)/man/binlog.7: man/binlog.7.in man/functions.awk $(wildcard wrappers/*functions.def)
	$(call say,MAN,$@)
	@mkdir -p $(@D)
	$(Q)awk -f man/functions.awk wrappers/*functions.def man/binlog.7.in >$@

$(O)/man/binlog.5: man/binlog.5.in man/kinds.awk record/text.def record/argument.def
	$(call say,MAN,$@)
	@mkdir -p $(@D)
	$(Q)awk -f man/kinds.awk record/text.def record/argument.def man/binlog.5.in >$@

limit_lists := base/limits.def record/packed.h record/layout.h record/format.h rules/rules.h \
	decoder/capture/definition.h base/error.h symbolizer/symbolizer.h base/readlimits.h
$(O)/man/binlog-packed.5: man/binlog-packed.5.in man/packed.awk man/limits.awk \
		record/packed_tags.def record/packed_fields.def $(limit_lists)
	$(call say,MAN,$@)
	@mkdir -p $(@D)
	$(Q)awk -f man/packed.awk record/packed_tags.def \
		record/packed_fields.def man/binlog-packed.5.in | awk -f man/limits.awk $(limit_lists) - >$@

$(O)/man/binlog-limits.7: man/binlog-limits.7.in man/limits.awk $(limit_lists)
	$(call say,MAN,$@)
	@mkdir -p $(@D)
	$(Q)awk -f man/limits.awk $(limit_lists) man/binlog-limits.7.in >$@

rule_lists := $(addprefix rules/,rule_words.def levels.def secret_words.def config_keys.def)
$(O)/man/binlog-rules.7 $(O)/man/binlog.conf.5: $(O)/man/%: man/%.in man/rules.awk $(rule_lists)
	$(call say,MAN,$@)
	@mkdir -p $(@D)
	$(Q)awk -f man/rules.awk $(rule_lists) $< >$@

# What shells complete, out of the same tables as the options.
completion_words := decoder/output/styles.def decoder/output/columns.def rules/levels.def tools/live/words.def tools/ctl/ctl_words.def
options_of_show := decoder/output/options.def
options_of_run := tools/run/run_options.def
options_of_ctl := tools/ctl/ctl_options.def
options_of_pack := tools/pack/pack_options.def
options_of_symbolize := tools/symbolize/symbolize_options.def
options_of_top := tools/top/top_options.def
completed := show run ctl pack symbolize top
completion_tables := $(completion_words) $(foreach tool,$(completed),$(options_of_$(tool)))
completions := $(completed:%=$(O)/completions/bash/binlog-%) $(completed:%=$(O)/completions/zsh/_binlog-%)
all: $(completions)

$(O)/completions/bash/binlog-%: tools/completions/options.awk tools/completions/bash.awk $(completion_tables)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)awk -v tool=binlog-$* -f tools/completions/options.awk -f tools/completions/bash.awk \
		$(completion_words) $(options_of_$*) >$@

$(O)/completions/zsh/_binlog-%: tools/completions/options.awk tools/completions/zsh.awk $(completion_tables)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)awk -v tool=binlog-$* -f tools/completions/options.awk -f tools/completions/zsh.awk \
		$(completion_words) $(options_of_$*) >$@

# ---- tests ----
# Units of what runs inside are built as ordinary programs around it.  They take what they need out of an archive in
# which all is weak: what a unit defines itself, to see what is done with it, stands in for what is there.
weakened := $(filter-out %/functions.o %/start.o %/above.o %/fast_x86_64.o,$(inside_obj))
$(O)/tests/inside.a: $(weakened)
	$(call say,AR,$@)
	@rm -rf $@ $(@D)/weak && mkdir -p $(@D)/weak
	$(Q)for object in $^; do \
		nm -g --defined-only $$object | sed 's/.* //' >$(@D)/weak/symbols && \
		objcopy --weaken-symbols=$(@D)/weak/symbols $$object $(@D)/weak/$${object##*/} || exit; done && \
		ar rcs $@ $(addprefix $(@D)/weak/,$(^F))

$(inside_units): $(O)/tests/%: %.c tests/unit/world/unwind_host.c $(O)/tests/inside.a
	$(call say,UNIT,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE) $(UNIT_FLAGS) -o $@ $< $(around) $(O)/tests/inside.a -lcmocka -lunwind -ldl -lpthread
$(O)/tests/unit_unwind%: around = tests/unit/world/unwind_host.c

$(O)/tests/fuzz_tools.a: $(fuzz_tools_obj)

$(O)/tests/unit_%: unit_%.c $(readers)
	$(call say,UNIT,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(OUTSIDE) $(OUTSIDE_LINK) -o $@ $< $(readers) -lcmocka $(READ_LIBS)

# As many jobs as processors, unless the caller says how many.
all_jobs = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

replays := $(fuzz_targets:%=$(O)/tests/replay_%)
check: deps-check
	$(Q)$(MAKE) --no-print-directory WERROR=1 $(all_jobs) all $(units) $(if $(T),,$(replays))
	$(Q)tests/run-tests $(O) $(T)

check-long: deps-long
	$(Q)$(MAKE) --no-print-directory WERROR=1 $(all_jobs) all $(units) $(if $(T),,fuzz-programs)
	$(Q)LONG=1 tests/run-tests $(O) $(T)

check-corpus: deps-build
	@test -n "$(CORPUS)" || { echo 'check-corpus: no corpus: say where it is: make check-corpus CORPUS=DIR' >&2; exit 2; }
	$(Q)$(MAKE) --no-print-directory all
	$(Q)tests/check-corpus $(O) $(CORPUS)

lint: deps-check
	$(Q)$(MAKE) --no-print-directory all
	$(Q)tests/lint $(O)

demo: deps-demo
	$(Q)$(MAKE) --no-print-directory all
	$(Q)tests/demo $(O)

bench: deps-bench
	$(Q)$(MAKE) --no-print-directory all
	-@for peer in $(BENCH_PEERS); do tests/install-packages $$peer || :; done
	$(Q)tests/bench/run $(O)

bench-tools: deps-check
	$(Q)$(MAKE) --no-print-directory all
	$(Q)tests/bench/tools $(O) $(T)

# Each target three times: for libFuzzer, for AFL++, and as a plain program
# that is given files.  SECONDS_EACH, T=NAME for one, RECORD=1 to count.
fuzz: deps-fuzz
	$(Q)$(MAKE) --no-print-directory fuzz-programs
	$(Q)tests/fuzz/run $(O) $(or $(SECONDS_EACH),60) $(T)
	$(Q)$(O)/tests/replay_render --random=$$(date +%s)000000,10000000

fuzz-afl: deps-fuzz
	$(Q)$(MAKE) --no-print-directory $(fuzz_targets:%=$(O)/afl/%)
	$(Q)tests/fuzz/afl $(O) $(or $(SECONDS_EACH),60) $(T)

fuzz-blind: deps-fuzz
	$(Q)$(MAKE) --no-print-directory $(fuzz_targets:%=$(O)/blind/%)
	$(Q)BLIND=1 tests/fuzz/run $(O) $(or $(SECONDS_EACH),60) $(T)

fuzz-programs: $(fuzz_targets:%=$(O)/fuzz/%) $(replays)

# Targets in a directory of their own, compiled by $(3), from $(4) as well.
define fuzz_kind
$(O)/$(1)/%.o: %.c
	$$(call say,$(2),$$<)
	@mkdir -p $$(@D)
	$$(Q)$(3) -c -o $$@ $$<

$(O)/$(1)/library.a: $(fuzz_src:%.c=$(O)/$(1)/%.o) $(O)/$(1)/html_template.o
	$$(Q)ar rcs $$@ $$?

$(O)/$(1)/%: tests/fuzz/target/fuzz_%.c $(filter %.c,$(4)) $(O)/$(1)/library.a
	$$(call say,$(2),$$@)
	$$(Q)$(3) $(filter -%,$(4)) -o $$@ $$(filter %.c %.a,$$^) $(READ_LIBS)
endef
$(eval $(call fuzz_kind,fuzz,FUZZ,$(FUZZ_CC) $(FUZZ_FLAGS),-fsanitize=fuzzer))
$(eval $(call fuzz_kind,blind,BLIND,$(FUZZ_CC) $(BLIND_FLAGS),tests/fuzz/blind.c))
$(eval $(call fuzz_kind,afl,AFL,AFL_QUIET=1 $(AFL_CC) $(AFL_FLAGS),-fsanitize=fuzzer))

$(addsuffix /html_template.o,$(addprefix $(O)/,fuzz blind afl)): tests/fuzz/small_page.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE) -c -o $@ $<

$(O)/tests/replay_%: tests/fuzz/target/fuzz_%.c tests/fuzz/replay.c $(O)/tests/fuzz_tools.a $(readers)
	$(call say,REPLAY,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(OUTSIDE) $(OUTSIDE_LINK) -o $@ $(filter %.c %.a %.so,$^) $(READ_LIBS)

# Branches, of the tools and of the preloaded library.  T=NAME for some tests,
# ADD=1 to add to what has been counted.
coverage: deps-check
	$(Q)$(MAKE) --no-print-directory O=$(O)/coverage COVERAGE=1 measured
	$(Q)tests/coverage/run $(O)/coverage $(T)

deps-build: packages = $(BUILD_PACKAGES)
deps-check: packages = $(CHECK_PACKAGES)
deps-check: unpacked = $(CHECK_UNPACKED)
deps-long: packages = $(LONG_PACKAGES)
deps-long: unpacked = $(LONG_UNPACKED)
deps-demo: packages = $(DEMO_PACKAGES)
deps-bench: packages = $(BENCH_PACKAGES)
deps-fuzz: packages = $(FUZZ_PACKAGES)
deps-analyze: packages = $(ANALYZE_PACKAGES)
deps-build deps-check deps-long deps-demo deps-bench deps-fuzz deps-analyze:
	@tests/install-packages $(packages:%='%')
	@$(if $(unpacked),tests/unpack-packages $(DEBS) $(unpacked:%='%') || :)

include tools/install/rules.mk

clean:
	rm -rf $(O)

help:
	@echo 'make            build everything below $(O) (O=DIR for another place)'
	@echo 'make demo       install what is needed, build, record a program, show its log'
	@echo 'make check      the same, unpack daemons below $(O)/debs, run every test, replay the corpora; T=NAME runs one'
	@echo 'make check-long all of it in full: fuzzing, times, Java, Go, Rust, aarch64, npm, which it installs; hours'
	@echo 'make check-corpus CORPUS=DIR   hundreds of real programs, against their native runs'
	@echo 'make bench      what recording costs, beside glibc and others: tests/bench/RESULTS.md; QUICK=1 is short'
	@echo 'make bench-tools  what whole programs cost, recorded and not; T=NAME for some'
	@echo 'make fuzz       every target in tests/fuzz for SECONDS_EACH (60), ten million random formats against glibc'
	@echo 'make fuzz-afl   the same targets under AFL++'
	@echo 'make fuzz-blind the same, mutated without a look at what is reached: many more inputs a second'
	@echo 'make coverage   which branches the tests take, against tests/coverage/gates; T=NAME for some tests, ADD=1 adds'
	@echo 'make lint       include rules, imports, layout, man pages'
	@echo 'make analyze    clang, clang-tidy, cppcheck, and the analyzer of gcc'
	@echo 'make check-san  the tests of the readers under ASan and UBSan, those of the library with traps'
	@echo 'make check-tsan the library in programs with threads, under ThreadSanitizer'
	@echo 'make install    to PREFIX (default /usr/local) below DESTDIR, the library to LIBDIR; tells the loader, and tries it'
	@echo 'make uninstall  removes what install has put there'
	@echo 'make dist       $(O)/dist/binlog-VERSION-{x86_64,aarch64}.tar.xz: run from where they are unpacked, on Debian 11 and later'
	@echo 'make check-fresh  make demo on new machines with Debian 12, 13 and 11; CHECK=1: and make check'
	@echo 'Options: V=1 shows commands, SAN=address,undefined sanitizes the tools, CC=...,'
	@echo '         PORTABLE=1 builds the library without its assembly'

include tests/analysis/rules.mk

-include $(shell find $(O) -name debs -prune -o -name '*.d' -print 2>/dev/null)
