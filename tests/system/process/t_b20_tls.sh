#!/bin/bash
# B20: what the library takes of each thread for its state is little, and found
# without a call that may allocate.
. tests/support/lib.sh

bytes=$(readelf -lW "$lib" | awk '$1 == "TLS" { print $6 }')
verdict $((${bytes:-99999} > 1024)) "B20: thread state takes at most 1024 bytes" "PT_TLS: ${bytes:-none}"
same "B20: it is found at a fixed place (initial-exec), never by __tls_get_addr" "" "$(
	readelf -rW "$lib" | grep -E 'DTPMOD|DTPOFF|TLSDESC|TLS_DTPREL|TLS_DTPMOD'
	nm -D --undefined-only "$lib" | grep __tls_get_addr
)"
verdict $((!$(readelf -dW "$lib" | grep -c STATIC_TLS))) "B20: and it says so (DF_STATIC_TLS)"
$CC -O1 -w -fPIC -shared -ftls-model=global-dynamic -o "$TMP/other.so" -x c - <<'C' || exit 1
extern __thread int elsewhere;
__thread char state[2048];
char *get(void) { return state + elsewhere; }
C
verdict $((!$(readelf -rW "$TMP/other.so" | grep -cE 'DTPMOD|TLSDESC'))) "the check finds the other model"

# ---- it fits where the loader has to find room for it later ----
$CC -O1 -w -o "$TMP/late" -x c - <<'C' || exit 1
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	void *late = dlopen(argv[1], RTLD_NOW);
	if (!late)
		return puts(dlerror()), 1;
	return puts("loaded") < 0;
}
C
same "B20: it can be loaded late" "loaded" "$(BINLOG_DIR=$TMP/capture "$TMP/late" "$lib" | cat)"
finish
