#include "shim/streams/locale_state.h"

#include <langinfo.h>
#include <locale.h>

#include "shim/host/bytes.h"
#include "shim/host/environment.h"
#include "shim/host/host.h"
#include "shim/streams/streams.h"

/* As programs start, in the C locale. */
bool locale_varies;
bool locale_point = true;
bool locale_utf8;
bool locale_english = true;

bool locale_ask_point(void)
{
	const char *point = host_nl_langinfo(RADIXCHAR);

	return point[0] == '.' && point[1] == '\0';
}

bool locale_ask_utf8(void)
{
	const char *codeset = host_nl_langinfo(CODESET);

	return bytes_starts(codeset, "UTF-8") && codeset[5] == '\0';
}

/* The name is the first part of what is asked for: "C", "POSIX", "C.UTF-8". */
bool locale_ask_english(void)
{
	const char *name = host_nl_langinfo(_NL_LOCALE_NAME(LC_MESSAGES));

	const char *language;

	if (!name || name[0] == 'P' || (name[0] == 'C' && name[1] == '\0'))
		return true;
	/* Any other name, "C.UTF-8" too, is overruled by LANGUAGE. */
	language = environment_get("LANGUAGE");
	return name[0] == 'C' && name[1] == '.' && (!language || !*language);
}

void locale_changed(void)
{
	locale_english = locale_ask_english();
	locale_point = locale_ask_point();
	locale_utf8 = locale_ask_utf8();
	streams_changed();
}

void locale_differs_by_thread(void)
{
	locale_varies = true;
	streams_changed();
}
