# `make analyze`: what reads the code without running it.  A file is looked at
# again when what the compiler gets of it has changed; what is found is printed,
# and stops.  All of it takes a quarter of an hour of one processor, and no file
# more than six seconds.
analysed = $(O)/analysis
analysed_files = $(addprefix inside/,$(filter %.c,$(inside_src))) \
	$(addprefix outside/,$(reader_src) $(wildcard tools/*.c tools/*/*.c))

.PHONY: analyze
## make analyze         clang, clang-tidy, cppcheck, and the analyzer of gcc
analyze: deps-analyze
	$(Q)$(MAKE) --no-print-directory all
	$(Q)$(MAKE) --no-print-directory $(analysed)/cppcheck \
		$(foreach way,clang tidy gcc,$(analysed_files:%=$(analysed)/$(way)/%))

# NAME, flags, command, what it is configured by: once for each content.
define look_at
	$(call say,$(1),$*.c)
	@mkdir -p $(@D)
	$(Q)tests/analysis/unless-seen $@ '$(CC) $(2) -E -C $*.c' '$(3)' $(4)
endef

# ---- clang: its warnings, and clang-tidy's ----
# What it is not told is what it does not know: gcc's library and its warnings.
for_clang = $(filter-out -Werror -Walloca -MMD -MP,$(1)) -Wno-overlength-strings
clang = $(call look_at,CLANG,$(for_clang),clang $(for_clang) -Werror -fsyntax-only $*.c)
# Steps of clang's analyzer in one function.  Its own limit, 225000, takes four
# times as long.
NODES ?= 30000
# What it says besides is how many warnings of the system's headers it hides.
tidy = $(call look_at,TIDY,$(for_clang),clang-tidy -quiet $*.c -- $(for_clang) \
	-Xclang -analyzer-config -Xclang max-nodes=$(NODES) 2>/dev/null,.clang-tidy)

$(analysed)/clang/inside/%.c: $(O)/inside/%.o
	$(call clang,$(INSIDE))

$(analysed)/clang/outside/%.c: $(O)/outside/%.o
	$(call clang,$(OUTSIDE))

$(analysed)/tidy/inside/%.c: $(O)/inside/%.o .clang-tidy
	$(call tidy,$(INSIDE))

$(analysed)/tidy/outside/%.c: $(O)/outside/%.o .clang-tidy
	$(call tidy,$(OUTSIDE))

# ---- gcc ----
# gcc 12 loses what a struct or a list holds, takes it for a leak, and for freed
# twice: LeakSanitizer and clang's analyzer look for these.
ANALYZER = -fanalyzer -Wno-analyzer-malloc-leak -Wno-analyzer-double-free \
	-Wno-analyzer-too-complex
# A place is asked for where there is one.
$(analysed)/gcc/outside/decoder/message/category.c: ANALYZER += -Wno-analyzer-null-dereference
# A template with slots has text.
$(analysed)/gcc/outside/decoder/packed/column_strings.c: ANALYZER += -Wno-analyzer-null-dereference
# A loop that is always gone through fills it.
$(analysed)/gcc/outside/decoder/pack/column_write.c: ANALYZER += -Wno-analyzer-use-of-uninitialized-value
# The loops before end at once without memory.
$(analysed)/gcc/outside/decoder/stats/style_largest.c: ANALYZER += -Wno-analyzer-possible-null-dereference

without_deps = $(filter-out -MMD -MP,$(1))
analyzer = $(call look_at,ANALYZE,$(without_deps),$(CC) $(without_deps) $(ANALYZER) -S -o /dev/null $*.c)

$(analysed)/gcc/inside/%.c: $(O)/inside/%.o
	$(call analyzer,$(INSIDE))

$(analysed)/gcc/outside/%.c: $(O)/outside/%.o
	$(call analyzer,$(OUTSIDE))

# ---- cppcheck: all files as one program, on one processor ----
$(analysed)/cppcheck: $(programs) tests/analysis/cppcheck.txt
	$(call say,CPPCHECK,$(sort $(dir $(inside_src) $(reader_src)) tools/))
	@mkdir -p $@_files
	$(Q)sed '/^#/d; /^$$/d' tests/analysis/cppcheck.txt >$@_files/false
	$(Q)cppcheck -q --error-exitcode=1 --cppcheck-build-dir=$@_files \
		--enable=warning,performance,portability,style --std=c11 \
		--platform=unix64 --library=gnu,posix -I. -D_GNU_SOURCE \
		-D__x86_64__ -D__SSE2__ -D'PRIx64="lx"' -D'PRIu64="lu"' \
		--suppressions-list=$@_files/false base record rules shim wrappers sandbox \
		decoder symbolizer tools
	@touch $@

# ---- what is built with checks, and run ----
# Three quarters of an hour of one processor.  T=NAME for some.
.PHONY: check-san
## make check-san       the tests of the readers under ASan and UBSan, those of the library with traps
check-san: deps-check
	$(Q)$(MAKE) --no-print-directory all
	$(Q)$(MAKE) --no-print-directory O=$(O)/san SAN=address,undefined \
		$(patsubst $(O)/%,$(O)/san/%,$(filter-out %.so,$(programs)) $(filter-out $(inside_units),$(units)))
	$(Q)$(MAKE) --no-print-directory O=$(O)/trap TRAP=1 $(patsubst $(O)/%,$(O)/trap/%,$(O)/libbinlog.so $(inside_units))
	$(Q)tests/analysis/check-san $(O) $(T)

# The library beside it, in programs with threads.  Three minutes of one
# processor.  T=NAME for some.
.PHONY: check-tsan
## make check-tsan      the library in programs with threads, under ThreadSanitizer
check-tsan: deps-check
	$(Q)$(MAKE) --no-print-directory all
	$(Q)$(MAKE) --no-print-directory O=$(O)/tsan TSAN=1 $(O)/tsan/libbinlog.so
	$(Q)tests/analysis/check-tsan $(O) $(T)
