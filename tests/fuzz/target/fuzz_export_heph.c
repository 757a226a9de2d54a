/*
 * Whatever messages say: packets of Heph's trace format.
 */
#include "tests/fuzz/heph_check.h"
#include "tests/fuzz/hostile_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct render_buffer *text =
		hostile_log_show("heph", NULL, data, size);

	FUZZ_CHECK(heph_check((const uint8_t *)text->data, text->length) <=
		   HOSTILE_MESSAGES);
	return 0;
}
