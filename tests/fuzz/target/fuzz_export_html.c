/*
 * Whatever messages say: nothing of it closes the element of a page that it is
 * in.  Of the page there are as many elements as there were without messages,
 * and one for each chunk of rows; what is data is base64, or JSON without "<".
 */
#include "decoder/source/capture_list.h"
#include "decoder/source/source.h"
#include "tests/fuzz/hostile_log.h"
#include "tests/fuzz/json_check.h"

static const char chunk[] =
	"<script type=\"application/octet-stream\" class=\"";
static const char index_start[] =
	"<script type=\"application/json\" id=\"index\">";
static const char script_end[] = "</script>\n";

static const char *find(const char *at, const char *end, const char *text)
{
	return memmem(at, (size_t)(end - at), text, strlen(text));
}

static const char *check_chunk(const char *at, const char *end)
{
	at = memchr(at, '>', (size_t)(end - at));
	FUZZ_CHECK(at);
	for (at++; at < end && *at != '<'; at++)
		FUZZ_CHECK((*at >= 'A' && *at <= 'Z') ||
			   (*at >= 'a' && *at <= 'z') ||
			   (*at >= '0' && *at <= '9') || *at == '+' ||
			   *at == '/' || *at == '=' || *at == ',');
	FUZZ_CHECK((size_t)(end - at) > strlen(script_end) &&
		   memcmp(at, script_end, strlen(script_end)) == 0);
	return at + strlen(script_end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct source *source;
	static struct error_list errors;
	static struct capture_list none;
	const struct render_buffer *text;
	const char *at, *end, *stop;

	if (!source)
		source = source_new(&none, NULL, &errors);
	FUZZ_CHECK(source);
	hostile.options.lines = LAST_LINES_ALL;
	text = hostile_log_show("html", source, data, size);
	end = text->data + text->length;
	for (at = text->data; (stop = find(at, end, chunk));)
		at = check_chunk(stop + strlen(chunk), end);
	at = find(at, end, index_start);
	FUZZ_CHECK(at);
	at += strlen(index_start);
	stop = memchr(at, '<', (size_t)(end - at));
	FUZZ_CHECK(stop && find(stop, end, script_end) == stop);
	FUZZ_CHECK(json_check(at, (size_t)(stop - at)));
	return 0;
}
