# Installing, archives that run from where they are unpacked, and machines that
# nobody prepared.

tool_programs := $(filter-out %.so,$(programs))
pages := $(wildcard man/*.[1-8]) $(patsubst %.in,$(O)/%,$(wildcard man/*.in))
sections := $(sort $(patsubst .%,%,$(suffix $(pages))))
bash_completions := $(filter $(O)/completions/bash/%,$(completions))
zsh_completions := $(filter $(O)/completions/zsh/%,$(completions))
binlog_dir = $(PREFIX)/lib/binlog
installed_dirs = $(BINDIR) $(LIBDIR) $(binlog_dir) $(sections:%=$(MANDIR)/man%) \
	$(BASHDIR) $(ZSHDIR)
page_place = $(MANDIR)/man$(patsubst .%,%,$(suffix $(1)))/$(notdir $(1))
installed_files = $(addprefix $(BINDIR)/,$(notdir $(tool_programs))) \
	$(LIBDIR)/libbinlog.so $(binlog_dir)/libbinlog.so \
	$(foreach page,$(pages),$(call page_place,$(page))) \
	$(addprefix $(BASHDIR)/,$(notdir $(bash_completions))) \
	$(addprefix $(ZSHDIR)/,$(notdir $(zsh_completions)))
directories = $(Q)tools/install/directories $(1) '$(DESTDIR)' $(binlog_dir)/directories $(installed_dirs)

.PHONY: install uninstall dist archive archives check-fresh

## make install         to PREFIX (default /usr/local) below DESTDIR, the library to LIBDIR; tells the loader, and tries it
# Into a tree that can be moved as a whole: binlog-run finds the library by
# where it is itself.  For multiarch: LIBDIR=$(PREFIX)/lib/x86_64-linux-gnu.
install: all
	$(call directories,make)
	install -m 755 $(tool_programs) $(DESTDIR)$(BINDIR)
	install -m 644 $(O)/libbinlog.so $(DESTDIR)$(LIBDIR)
	ln -srf $(DESTDIR)$(LIBDIR)/libbinlog.so $(DESTDIR)$(binlog_dir)
	for n in $(sections); do \
		install -m 644 $$(printf '%s\n' $(pages) | grep "\.$$n$$") $(DESTDIR)$(MANDIR)/man$$n || exit; \
	done
	install -m 644 $(bash_completions) $(DESTDIR)$(BASHDIR)
	install -m 644 $(zsh_completions) $(DESTDIR)$(ZSHDIR)
	$(if $(DESTDIR),,$(Q)tools/install/loader tell $(LIBDIR)/libbinlog.so)

## make uninstall       removes what install has put there
uninstall:
	rm -f $(addprefix $(DESTDIR),$(installed_files))
	$(call directories,remove)
	$(if $(DESTDIR),,$(Q)tools/install/loader forget $(LIBDIR)/libbinlog.so)

# ---- archives ----
# What runs from where it is unpacked, with libc alone: built with the oldest
# one that is supported, on a machine that is made for it and goes again.
version = $(shell sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)
archive = binlog-$(version)-$(firstword $(subst -, ,$(machine)))
DIST_PACKAGES = $(filter-out libcurl4-openssl-dev,$(BUILD_PACKAGES)) xz-utils gcc-aarch64-linux-gnu \
	$(addsuffix :arm64,$(filter-out libunwind-dev libcurl4-openssl-dev,$(BUILD_PACKAGES)))

## make dist            build/dist/binlog-VERSION-{x86_64,aarch64}.tar.xz: run from where they are unpacked, on Debian 11 and later
dist:
	@mkdir -p $(O)/dist
	$(Q)tests/fresh --out=$(O)/dist bullseye \
		'dpkg --add-architecture arm64 && apt-get -qq update && make archives OUT=/out'
	@ls -l $(O)/dist

# Both, into OUT.
archives:
	@tests/install-packages $(DIST_PACKAGES)
	$(Q)for machine in x86_64 aarch64; do \
		$(MAKE) --no-print-directory $(all_jobs) archive BUNDLED=1 \
			O=$(O)/$$machine CC=$$machine-linux-gnu-gcc || exit; \
		cp $(O)/$$machine/binlog-*-$$machine.tar.xz $(OUT) || exit; \
	done

# The same bytes for the same commit: nothing in it is of this hour, or of who
# makes it.
archive: all
	$(call say,ARCHIVE,$(O)/$(archive).tar.xz)
	$(Q)rm -rf $(O)/$(archive)
	$(Q)$(MAKE) --no-print-directory DESTDIR=$(O)/$(archive) PREFIX= install >/dev/null
	$(Q)cp README.md CHANGELOG.md LICENSE $(O)/$(archive)
	$(Q)$$($(CC) -print-prog-name=strip) --strip-unneeded $(O)/$(archive)/bin/* $(O)/$(archive)/lib/libbinlog.so
	$(Q)tar --sort=name --mtime=@$$(git log -1 --format=%ct) --owner=0 --group=0 --numeric-owner \
		--mode=u=rwX,go=rX --format=gnu -C $(O) -cf $(O)/$(archive).tar $(archive)
	$(Q)xz -f -T1 $(O)/$(archive).tar

# ---- machines that nobody prepared ----
## make check-fresh     make demo on new machines with Debian 12, 13 and 11; CHECK=1: and make check
check-fresh:
	@failed=; for suite in bookworm trixie bullseye; do \
		tests/fresh $$suite 'make demo$(if $(CHECK), && make check)' || failed="$$failed $$suite"; \
	done; \
	[ -z "$$failed" ] || { echo "check-fresh: failed, or not tried:$$failed: see above" >&2; exit 1; }
