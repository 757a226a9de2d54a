/*
 * Any symbol as a mangled name (C++, Rust, D, Ada, Java): it becomes a name
 * that ends, or stays what it was, and the second answer is the first one.
 */
#include <string.h>

#include "symbolizer/dwarf/functionname.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct functionname_table table = {0};
	char *symbol = malloc(size + 1);
	const char *name;

	FUZZ_CHECK(symbol);
	memcpy(symbol, data, size);
	symbol[size] = '\0';
	name = functionname_demangled(&table, symbol);
	FUZZ_CHECK(name);
	FUZZ_CHECK(strlen(symbol) == 0 || strlen(name) > 0);
	FUZZ_CHECK(functionname_demangled(&table, symbol) == name);
	functionname_free(&table);
	free(symbol);
	return 0;
}
