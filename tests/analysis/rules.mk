# `make analyze`: what reads the code without running it.  A file is looked at
# again when it was compiled again; what is found is printed, and stops.  All of
# it takes half an hour of one processor.
analysed = $(O)/analysis
analysed_files = $(patsubst %.c,inside/%,$(filter %.c,$(inside_src))) \
	$(patsubst %.c,outside/%,$(reader_src) $(wildcard tools/*.c tools/*/*.c))

.PHONY: analyze
analyze: deps-analyze
	$(Q)$(MAKE) --no-print-directory all
	$(Q)$(MAKE) --no-print-directory $(analysed)/cppcheck \
		$(foreach way,clang tidy gcc,$(analysed_files:%=$(analysed)/$(way)/%))

# ---- clang: its warnings, and clang-tidy's ----
# What it is not told is what it does not know: gcc's library and its warnings.
for_clang = $(filter-out -Werror -Walloca -MMD -MP,$(1)) -Wno-overlength-strings

$(analysed)/clang/inside/%: $(O)/inside/%.o
	$(call say,CLANG,$*.c)
	@mkdir -p $(@D)
	$(Q)clang $(call for_clang,$(INSIDE)) -Werror -fsyntax-only $*.c
	@touch $@

$(analysed)/clang/outside/%: $(O)/outside/%.o
	$(call say,CLANG,$*.c)
	@mkdir -p $(@D)
	$(Q)clang $(call for_clang,$(OUTSIDE)) -Werror -fsyntax-only $*.c
	@touch $@

# What it says besides is how many warnings of the system's headers it hides.
$(analysed)/tidy/inside/%: $(O)/inside/%.o .clang-tidy
	$(call say,TIDY,$*.c)
	@mkdir -p $(@D)
	$(Q)clang-tidy -quiet $*.c -- $(call for_clang,$(INSIDE)) 2>/dev/null
	@touch $@

$(analysed)/tidy/outside/%: $(O)/outside/%.o .clang-tidy
	$(call say,TIDY,$*.c)
	@mkdir -p $(@D)
	$(Q)clang-tidy -quiet $*.c -- $(call for_clang,$(OUTSIDE)) 2>/dev/null
	@touch $@

# ---- gcc ----
# gcc 12 loses what a struct or a list holds, takes it for a leak, and for freed
# twice: LeakSanitizer and clang's analyzer look for these.
ANALYZER = -fanalyzer -Wno-analyzer-malloc-leak -Wno-analyzer-double-free \
	-Wno-analyzer-too-complex
# A place is asked for where there is one.
$(analysed)/gcc/outside/decoder/category: ANALYZER += -Wno-analyzer-null-dereference
# A template with slots has text.
$(analysed)/gcc/outside/decoder/column_strings: ANALYZER += -Wno-analyzer-null-dereference
# A loop that is always gone through fills it.
$(analysed)/gcc/outside/decoder/column_write: ANALYZER += -Wno-analyzer-use-of-uninitialized-value
# The loops before end at once without memory.
$(analysed)/gcc/outside/decoder/style_largest: ANALYZER += -Wno-analyzer-possible-null-dereference

$(analysed)/gcc/inside/%: $(O)/inside/%.o
	$(call say,ANALYZE,$*.c)
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -MMD -MP,$(INSIDE)) $(ANALYZER) -S -o $@ $*.c

$(analysed)/gcc/outside/%: $(O)/outside/%.o
	$(call say,ANALYZE,$*.c)
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -MMD -MP,$(OUTSIDE)) $(ANALYZER) -S -o $@ $*.c

# ---- cppcheck: all files as one program, on one processor ----
$(analysed)/cppcheck: $(programs) tests/analysis/cppcheck.txt
	$(call say,CPPCHECK,$(sort $(dir $(inside_src) $(reader_src)) tools/))
	@mkdir -p $@.d
	$(Q)sed '/^#/d; /^$$/d' tests/analysis/cppcheck.txt >$@.d/false
	$(Q)cppcheck -q --error-exitcode=1 --cppcheck-build-dir=$@.d \
		--enable=warning,performance,portability,style --std=c11 \
		--platform=unix64 --library=gnu,posix -I. -D_GNU_SOURCE \
		-D__x86_64__ -D__SSE2__ -D'PRIx64="lx"' -D'PRIu64="lu"' \
		--suppressions-list=$@.d/false record shim wrappers confine \
		decoder symbolizer tools
	@touch $@

# ---- what is built with checks, and run ----
# Half an hour of one processor.  T=NAME for some.
.PHONY: check-san
check-san: deps-check
	$(Q)$(MAKE) --no-print-directory O=$(O)/san SAN=address,undefined all \
		$(patsubst $(O)/%,$(O)/san/%,$(filter-out %unwind%,$(units)))
	$(Q)$(MAKE) --no-print-directory O=$(O)/trap TRAP=1 $(O)/trap/libbinlog.so
	$(Q)tests/analysis/check-san $(O) $(T)
