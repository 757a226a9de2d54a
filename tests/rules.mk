# Units and tests.
.PHONY: demo check built-for-check check-corpus check-long lint coverage

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
# A goal of its own, or make says of each of two hundred that it is up to date.
built-for-check: all $(units) $(if $(T),,$(replays))
	@:

## make check           install what is needed, build, unpack daemons below build/debs, run every test, replay the corpora; T=NAME runs one
check: deps-check
	$(Q)$(MAKE) --no-print-directory WERROR=1 $(all_jobs) built-for-check
	$(Q)tests/run-tests $(O) $(T)

## make check-long      all of it in full: fuzzing, times, Java, Go, Rust, aarch64, npm, which it installs; hours
check-long: deps-long
	$(Q)$(MAKE) --no-print-directory WERROR=1 $(all_jobs) all $(units) $(if $(T),,fuzz-programs)
	$(Q)LONG=1 tests/run-tests $(O) $(T)

## make check-corpus CORPUS=DIR  hundreds of real programs, against their native runs
check-corpus: deps-build
	@test -n "$(CORPUS)" || { echo 'check-corpus: no corpus: say where it is: make check-corpus CORPUS=DIR' >&2; exit 2; }
	$(Q)$(MAKE) --no-print-directory all
	$(Q)tests/check-corpus $(O) $(CORPUS)

## make lint            the law of includes, imports, layout, man pages
lint: deps-check
	$(Q)$(MAKE) --no-print-directory all
	$(Q)tests/lint $(O)

## make demo            install what is needed, build, record a program and a daemon, show what can be asked
demo: deps-demo
	$(Q)$(MAKE) --no-print-directory all
	$(Q)tests/demo $(O) $(DEMO_UNPACKED)

# Branches, of the tools and of the preloaded library.  T=NAME for some tests,
# ADD=1 to add to what has been counted.
## make coverage        which branches the tests take, against tests/coverage/gates; T=NAME for some tests, ADD=1 adds
coverage: deps-check
	$(Q)$(MAKE) --no-print-directory O=$(O)/coverage COVERAGE=1 measured
	$(Q)tests/coverage/run $(O)/coverage $(T)
