#include "record/argument_name.h"

#include "record/word.h"

static bool is_any_of(char c, const char *any)
{
	while (*any != '\0' && *any != c)
		any++;
	return *any != '\0';
}

static size_t cut(const char *text, size_t bytes, const char *any)
{
	while (bytes > 0 && is_any_of(text[bytes - 1], any))
		bytes--;
	return bytes;
}

size_t argument_name_end(const char *text, size_t bytes)
{
	if (bytes >= 2 && text[bytes - 2] == '0' &&
		word_lower(text[bytes - 1]) == 'x' &&
		(bytes == 2 || !word_has(text[bytes - 3])))
		bytes -= 2;
	bytes = cut(text, bytes, " \t\"'`([{<#$");
	if (bytes > 0 && (text[bytes - 1] == '=' || text[bytes - 1] == ':'))
		bytes--;
	return cut(text, bytes, " \t\"'`");
}

bool argument_name_is(const char *text, size_t bytes, const char *name,
	size_t name_bytes, bool any_case)
{
	const char *at;

	if (bytes < name_bytes)
		return false;
	at = text + bytes - name_bytes;
	if (at > text && word_has(at[-1]))
		return false;
	for (size_t i = 0; i < name_bytes; i++)
		if (at[i] != name[i] &&
			(!any_case || word_lower(at[i]) != word_lower(name[i])))
			return false;
	return true;
}
