# Fuzzers: each target for libFuzzer, for AFL++, and as a plain program that is given files.
.PHONY: fuzz fuzz-afl fuzz-blind fuzz-programs

# For fuzzers: with checks of memory and of undefined behaviour.  TRACE_CMP=1:
# numbers that are compared guide mutations, which takes most of the time.
FUZZ_CC ?= clang
BLIND_FLAGS = $(filter-out -Werror -Walloca,$(BASE)) -fno-omit-frame-pointer \
	-fsanitize=address,undefined -fno-sanitize-recover=all
FUZZ_FLAGS = $(BLIND_FLAGS) -fsanitize=fuzzer-no-link \
	$(if $(TRACE_CMP),,-fno-sanitize-coverage=trace-cmp)
AFL_CC ?= afl-clang-fast
AFL_FLAGS = $(filter-out -Werror -Walloca,$(BASE))

## make fuzz            every target in tests/fuzz for SECONDS_EACH (60), T=NAME for one, RECORD=1 counts; ten million random
##                      formats against glibc
fuzz: deps-fuzz
	$(Q)$(MAKE) --no-print-directory fuzz-programs
	$(Q)tests/fuzz/run $(O) $(or $(SECONDS_EACH),60) $(T)
	$(Q)$(O)/tests/replay_render --random=$$(date +%s)000000,10000000

## make fuzz-afl        the same targets under AFL++
fuzz-afl: deps-fuzz
	$(Q)$(MAKE) --no-print-directory $(fuzz_targets:%=$(O)/afl/%)
	$(Q)tests/fuzz/afl $(O) $(or $(SECONDS_EACH),60) $(T)

## make fuzz-blind      the same, mutated without a look at what is reached: many more inputs a second
fuzz-blind: deps-fuzz
	$(Q)$(MAKE) --no-print-directory $(fuzz_targets:%=$(O)/blind/%)
	$(Q)BLIND=1 tests/fuzz/run $(O) $(or $(SECONDS_EACH),60) $(T)

fuzz-programs: $(fuzz_targets:%=$(O)/fuzz/%) $(replays)

# Targets in a directory of their own, and their objects in another, compiled by $(3), from $(4) as well.
define fuzz_kind
$(O)/$(1)-objects/%.o: %.c
	$$(call say,$(2),$$<)
	@mkdir -p $$(@D)
	$$(Q)$(3) -c -o $$@ $$<

$(O)/$(1)-objects/library.a: $(fuzz_src:%.c=$(O)/$(1)-objects/%.o) $(O)/$(1)-objects/html_template.o
	$$(Q)ar rcs $$@ $$?

$(O)/$(1)/%: tests/fuzz/target/fuzz_%.c $(filter %.c,$(4)) $(O)/$(1)-objects/library.a
	$$(call say,$(2),$$@)
	@mkdir -p $$(@D)
	$$(Q)$(3) $(filter -%,$(4)) -o $$@ $$(filter %.c %.a,$$^) $(READ_LIBS)
endef
$(eval $(call fuzz_kind,fuzz,FUZZ,$(FUZZ_CC) $(FUZZ_FLAGS),-fsanitize=fuzzer))
$(eval $(call fuzz_kind,blind,BLIND,$(FUZZ_CC) $(BLIND_FLAGS),tests/fuzz/blind.c))
$(eval $(call fuzz_kind,afl,AFL,AFL_QUIET=1 $(AFL_CC) $(AFL_FLAGS),-fsanitize=fuzzer))

$(patsubst %,$(O)/%-objects/html_template.o,fuzz blind afl): tests/fuzz/small_page.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE) -c -o $@ $<

$(O)/tests/replay_%: tests/fuzz/target/fuzz_%.c tests/fuzz/replay.c $(O)/tests/fuzz_tools.a $(readers)
	$(call say,REPLAY,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(OUTSIDE) $(OUTSIDE_LINK) -o $@ $(filter %.c %.a %.so,$^) $(READ_LIBS)
