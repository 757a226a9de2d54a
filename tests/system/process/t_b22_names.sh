#!/bin/bash
# B22: a program that exports functions with libc's names, of which none may be
# called by us: neither those that the library imports nor any other.  B10: the
# versions of the names that we replace.
. tests/support/lib.sh
libc=$($CC -print-file-name=libc.so.6)
loader=$($CC -print-file-name=ld-linux-x86-64.so.2)
rows=$(awk -v only=names -f man/functions.awk wrappers/*functions.def | sort)
imports() { nm -D --undefined-only "$1" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u; }

count=$(imports "$lib" | wc -l)
verdict $((count > 20)) "B22: libbinlog.so imports at most 20 names: $count"
starting='_ITM_(de)?registerTMCloneTable|__gmon_start__|__cxa_finalize' # not every compiler has them
same "B22: they are those that tests/imports.allow lists" \
	"$(awk '!/^#/ { print $1 }' tests/imports.allow | grep -vxE "$starting" | sort)" \
	"$(imports "$lib" | grep -vxE "$starting")"
same "B22: what it exports is the table" "$rows" "$(nm -D --defined-only "$lib" | awk '{ print $NF }' | sort)"

# ---- a program that has every function of libc ----
# But those that are replaced, that libc and its loader take from a program, or that any program needs.
needed='access|__libc_start_main|__cxa_finalize|__gmon_start__|__tls_get_addr'
names=$(nm -D --defined-only "$libc" | awk '$2 ~ /^[TWi]$/ { sub(/@.*/, "", $3); print $3 }' | sort -u |
	comm -23 - <(echo "$rows") |
	comm -23 - <(readelf -rW "$libc" "$loader" | awk '{ sub(/@.*/, "", $5); print $5 }' | sort -u) |
	grep -vxE "$needed" | grep -xE '[A-Za-z_][A-Za-z0-9_]*')
{
	printf 'MINE(%s)\n' $names
	echo 'MINE(environ)'
} >"$TMP/hostile_names.h"
count=$(wc -l <"$TMP/hostile_names.h")
verdict $((count < 1500)) "B22: a program exports $count functions of libc's"
why=$(imports "$lib" | grep -xFf <(nm -D --defined-only "$libc" | awk '$2 ~ /^[TWi]$/ { sub(/@.*/, "", $3); print $3 }') |
	grep -vxE "$needed" | grep -vxFf <(sed 's/MINE(\(.*\))/\1/' "$TMP/hostile_names.h"))
verdict ${#why} "B22: among them is every function that we import" "$why"
build hostile -fno-builtin -rdynamic -I"$TMP"
compare "B22: it is recorded as it runs natively" "$TMP/hostile"
compare "B22: and when it links to the library like any other" \
	env LD_BIND_NOW=1 "$TMP/hostile"

# ---- versions ----
# Where libc has several versions of a function, an old program wants the old one, and gets ours.
versions=$(nm -D --defined-only --with-symbol-versions "$libc" | awk '$2 ~ /^[TWi]$/ {
		name = $3; sub(/@.*/, "", name); all[name] = all[name] " " $3; n[name]++ }
	END { for (name in n) if (n[name] > 1) print name }' | sort)
same "B10: of the functions that we replace, these have more than one version" \
	"aio_write aio_write64 dlclose forkpty lio_listio lio_listio64 login_tty posix_spawn posix_spawnp pthread_cancel pthread_create quick_exit sem_open thrd_create thrd_exit" "$(comm -12 <(echo "$rows") <(echo "$versions") | xargs)"
# Two versions at one address are one function.  Where they are not, a program that was linked long ago gets the one of
# today: posix_spawn ran scripts without #! by a shell (before 2.15), quick_exit destructors of threads (before
# 2.24), lio_listio told of the list alone (before 2.4).
same "B10: and each but these is one function" $'lio_listio\nlio_listio64\nposix_spawn\nposix_spawnp\nquick_exit' "$(nm -D --defined-only --with-symbol-versions "$libc" | awk '
	{ name = $3; sub(/@.*/, "", name) }
	name ~ /^(aio_write(64)?|lio_listio(64)?|dlclose|forkpty|login_tty|posix_spawnp?|pthread_cancel|pthread_create|quick_exit|sem_open|thrd_create|thrd_exit)$/ {
		if (name in at && at[name] != $1) print name
		at[name] = $1
	}' | sort -u)"
# We look for the next definitions by ourselves; dlsym() knows better which version is the one of today.
inside=$BUILD/inside/shim/host
if [ -e "$inside/lookup.o" ]; then
	$CC -std=gnu11 -D_GNU_SOURCE -w -I. -o "$TMP/lookup_names" "$here/victims/lookup_names.c" \
		"$inside"/{lookup,objects,environment,bytes,sys}.o -ldl || exit 1
	# shellcheck disable=SC2046,SC2086 # names
	same "B10: the functions behind ours are those that dlsym() finds" "" \
		"$("$TMP/lookup_names" $rows absent_name $(nm -D --defined-only "$libc" |
			awk '$2 ~ /^[TW]$/ { sub(/@.*/, "", $3); print $3 }' | sort -u) 2>"$TMP/found")"
	verdict $(($(cat "$TMP/found") < 1500)) "B10: that is $(cat "$TMP/found") functions"
else
	skip "B10: the functions behind ours: $inside/lookup.o is not there"
fi
same "B10: what we export has no version, so it serves every one" "" \
	"$(nm -D --defined-only --with-symbol-versions "$lib" | grep @)"
finish
