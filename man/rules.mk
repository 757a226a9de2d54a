# Pages and completions that are made of the tables of the sources.
all: $(addprefix $(O)/man/,binlog.5 binlog-packed.5 binlog.conf.5 binlog.7 binlog-limits.7 binlog-rules.7 binlog-ship.1)

$(O)/man/binlog.7: man/binlog.7.in man/functions.awk $(wildcard wrappers/*functions.def)
	$(call say,MAN,$@)
	@mkdir -p $(@D)
	$(Q)awk -f man/functions.awk wrappers/*functions.def man/binlog.7.in >$@

$(O)/man/binlog.5: man/binlog.5.in man/kinds.awk record/text.def record/argument.def record/environment.def
	$(call say,MAN,$@)
	@mkdir -p $(@D)
	$(Q)awk -f man/kinds.awk record/text.def record/argument.def record/environment.def man/binlog.5.in >$@

$(O)/man/binlog-ship.1: man/binlog-ship.1.in man/tables.awk decoder/fleet/tables.def
	$(call say,MAN,$@)
	@mkdir -p $(@D)
	$(Q)awk -f man/tables.awk decoder/fleet/tables.def man/binlog-ship.1.in >$@

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
options_of_ship := tools/ship/ship_options.def
options_of_query := tools/query/query_options.def
completed := $(tool_names)
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
