# Installing.

tools := $(filter-out %.so,$(programs))
pages := $(wildcard man/*.[1-8]) $(patsubst %.in,$(O)/%,$(wildcard man/*.in))
sections := $(sort $(patsubst .%,%,$(suffix $(pages))))
bash_completions := $(filter $(O)/completions/bash/%,$(completions))
zsh_completions := $(filter $(O)/completions/zsh/%,$(completions))
binlog_dir = $(PREFIX)/lib/binlog
installed_dirs = $(BINDIR) $(LIBDIR) $(binlog_dir) $(sections:%=$(MANDIR)/man%) \
	$(BASHDIR) $(ZSHDIR)
page_place = $(MANDIR)/man$(patsubst .%,%,$(suffix $(1)))/$(notdir $(1))
installed_files = $(addprefix $(BINDIR)/,$(notdir $(tools))) \
	$(LIBDIR)/libbinlog.so $(binlog_dir)/libbinlog.so \
	$(foreach page,$(pages),$(call page_place,$(page))) \
	$(addprefix $(BASHDIR)/,$(notdir $(bash_completions))) \
	$(addprefix $(ZSHDIR)/,$(notdir $(zsh_completions)))
directories = $(Q)tools/install/directories $(1) '$(DESTDIR)' $(binlog_dir)/directories $(installed_dirs)

# Into a tree that can be moved as a whole: binlog-run finds the library by
# where it is itself.  For multiarch: LIBDIR=$(PREFIX)/lib/x86_64-linux-gnu.
install: all
	$(call directories,make)
	install -m 755 $(tools) $(DESTDIR)$(BINDIR)
	install -m 644 $(O)/libbinlog.so $(DESTDIR)$(LIBDIR)
	ln -srf $(DESTDIR)$(LIBDIR)/libbinlog.so $(DESTDIR)$(binlog_dir)
	for n in $(sections); do \
		install -m 644 $$(printf '%s\n' $(pages) | grep "\.$$n$$") $(DESTDIR)$(MANDIR)/man$$n || exit; \
	done
	install -m 644 $(bash_completions) $(DESTDIR)$(BASHDIR)
	install -m 644 $(zsh_completions) $(DESTDIR)$(ZSHDIR)
	$(if $(DESTDIR),,$(Q)tools/install/loader tell $(LIBDIR)/libbinlog.so)

uninstall:
	rm -f $(addprefix $(DESTDIR),$(installed_files))
	$(call directories,remove)
	$(if $(DESTDIR),,$(Q)tools/install/loader forget $(LIBDIR)/libbinlog.so)
