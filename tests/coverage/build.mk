# COVERAGE=1: builds what counts its branches.  All of the tools is in one
# shared object, the counters of which are in one file; see counters.c.
COVERAGE_FLAGS = -O0 -w --coverage -fprofile-update=atomic \
	-fprofile-info-section=gcov_infos -fdata-sections -fPIC -U_FORTIFY_SOURCE \
	$(addprefix -fno-builtin-,fork execl execlp execle execv execvp execve)
counts := $(abspath $(O))/counts
count_in = -DCOVERAGE_COUNTS='"$(counts)/$(1)"'

# What is inlined counts once, and not for each place.
$(O)/inside/%.o: INSIDE += $(COVERAGE_FLAGS) -Dalways_inline=unused
$(O)/outside/%.o: OUTSIDE += $(COVERAGE_FLAGS)

$(foreach tool,$(tool_names),$(eval $(O)/outside/tools/$(tool)/main.o: OUTSIDE += -Dmain=main_of_$(tool)))

tools_obj := $(sort $(reader_obj) $(patsubst %.c,$(O)/outside/%.o,$(wildcard tools/*/*.c)))
# What is of the library does not count where a corpus is replayed.
fuzz_tools_obj := $(fuzz_tools_src:%.c=$(O)/coverage/%.o)
OUTSIDE_LINK += -Wl,-rpath,$(abspath $(O))

$(tool_names:%=$(O)/coverage/main_of_%.o): $(O)/coverage/main_of_%.o: tests/coverage/main.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE) -DENTRY=main_of_$* -fPIE -c -o $@ $<

$(fuzz_tools_obj): $(O)/coverage/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(OUTSIDE) -c -o $@ $<

counted := libreaders.so libbinlog.so $(notdir $(inside_units))
$(counted:%=$(O)/coverage/counters_of_%.o): $(O)/coverage/counters_of_%.o: tests/coverage/counters.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(INSIDE) $(call count_in,$*) -c -o $@ $<

$(O)/libreaders.so: $(tools_obj) $(O)/coverage/counters_of_libreaders.so.o tests/coverage/counters.ld
	$(call say,LD,$@)
	$(Q)$(CC) -shared -Wl,-Bsymbolic-functions -Wl,-soname,libreaders.so -Wl,-z,now \
		-Wl,-T,tests/coverage/counters.ld -o $@ $(filter %.o,$^) $(READ_LIBS) $(FLEET_LIBS)

inside_obj += $(O)/coverage/counters_of_libbinlog.so.o
INSIDE_LINK += -Wl,-T,tests/coverage/counters.ld

# These units have objects of the library in themselves.
$(O)/coverage/dump_itself.o: tests/coverage/dump.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE) -DCOVERAGE_OF_ITSELF -c -o $@ $<

$(foreach unit,$(inside_units),$(eval $(unit): \
	$(O)/coverage/counters_of_$(notdir $(unit)).o $(O)/coverage/dump_itself.o))
# They count themselves, too, for what headers have inline; not those that look
# at their own code.
$(inside_units): UNIT_FLAGS = $(if $(filter unit_unwind% unit_result_use,$(notdir $@)),, \
	$(COVERAGE_FLAGS) -Dalways_inline=unused -dumpdir $(O)/coverage/) \
	$(O)/coverage/counters_of_$(notdir $@).o \
	$(O)/coverage/dump_itself.o -Wl,-T,tests/coverage/counters.ld -lgcov

$(O)/coverage/dump: tests/coverage/dump.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE) -o $@ $< -lgcov

measured: all $(units) $(fuzz_targets:%=$(O)/tests/replay_%) $(O)/coverage/dump
