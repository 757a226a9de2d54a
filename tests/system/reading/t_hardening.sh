#!/bin/bash
# What is built resists what goes wrong in it, as far as the compiler, the linker and the loader can help: the flags of
# the Makefile are in the files.  The library has reasons for going without some; they are there.
. tests/support/lib.sh
tools=(show run ctl symbolize pack top)

programs() { for tool in "${tools[@]}"; do echo "$BUILD/binlog-$tool"; done; }
# The names of the files for which a command prints nothing, or something.
without() { while read -r file; do "$@" "$file" 2>/dev/null | grep -q . || echo "$file"; done; }
with() { while read -r file; do ! "$@" "$file" 2>/dev/null | grep . | sed "s#^#$file: #"; done; }
none() { verdict ${#2} "hardening: $1" "$2"; } # SENTENCE FILES

segments() { readelf -lW "$1" | sed -nE 's/^ *((LOAD|GNU_STACK|GNU_RELRO) )/\1/p'; }
is_pie() { readelf -dW "$1" | grep 'FLAGS_1.*PIE'; }
binds_at_once() { readelf -dW "$1" | grep 'FLAGS_1.*NOW'; }
has_relro() { segments "$1" | grep ^GNU_RELRO; }
has_plain_stack() { segments "$1" | grep -E '^GNU_STACK.* RW +0x'; }
writes_code() { segments "$1" | grep -E ' RWE |^GNU_STACK.*E +0x'; }
relocates_text() { readelf -dW "$1" | grep -E 'TEXTREL'; }
names_directories() { readelf -dW "$1" | grep -E '\((RPATH|RUNPATH)\)'; }
code_among_data() { # what is run begins with the file's head
	segments "$1" | grep -E '^LOAD +0x0+ .* R E '
}
imports() { nm -D --undefined-only "$2" | grep -E " $1(@|$)"; }
checks_calls() { nm -D --undefined-only "$1" | grep -E ' __[a-z]+_chk(@|$)'; }

none "every tool can be anywhere in memory" "$(programs | without is_pie)"
none "every tool has its tables read-only before main()" "$(programs | without has_relro)$(programs | without binds_at_once)"
none "every tool has its code apart from its data" "$(programs | with code_among_data)"
none "every tool has canaries" "$(programs | without imports __stack_chk_fail)"
none "every tool checks the sizes that the compiler knows" "$(programs | without checks_calls)"
none "the library binds at once" "$(echo "$lib" | without binds_at_once)"
for what in "no code can be written:writes_code" "no text is relocated:relocates_text" \
	"no directory is searched for libraries:names_directories"; do
	none "${what%:*}" "$( (programs; echo "$lib") | with "${what#*:}")"
done
none "no stack can be run" "$( (programs; echo "$lib") | without has_plain_stack)"

# How each file was compiled stands in it.
producers() { readelf --debug-dump=info --dwarf-depth=1 -W "$1" 2>/dev/null | grep -o 'GNU C11.*' | sort | uniq -c; }
lacks() { # FLAG: compiled without it
	programs | while read -r file; do
		producers "$file" | grep -vF -- " $1" | sed "s#^#$file: #"
	done
}
flags=(-fstack-protector-strong -fstack-clash-protection)
[[ $(uname -m) == x86_64 ]] && flags+=(-fcf-protection)
for flag in "${flags[@]}"; do
	none "every file of the tools is compiled with $flag" "$(lacks "$flag")"
done
none "every file of the library is compiled with -fstack-clash-protection" \
	"$(producers "$lib" | grep -vF -- ' -fstack-clash-protection')"

# And the checks find what there is to find.
echo 'int main(void) { return 0; }' >"$TMP/bare.c"
$CC -g -no-pie -fcf-protection=none -fno-stack-protector -Wl,-z,execstack,-z,norelro,-z,lazy,-z,noseparate-code,-rpath,/tmp \
	-o "$TMP/bare" "$TMP/bare.c" 2>/dev/null
for check in is_pie binds_at_once has_relro has_plain_stack checks_calls; do
	same "hardening: a program without is noticed: $check" "$TMP/bare" "$(echo "$TMP/bare" | without $check)"
done
for check in writes_code names_directories code_among_data; do
	verdict $(($(echo "$TMP/bare" | with $check | wc -l) == 0)) "hardening: a program with is noticed: $check"
done
finish
