/*
 * A page of a report without its program: so that targets need not copy and
 * search that for each input.  What is replayed has the whole page.
 */
#include "decoder/html/html_template.h"

#include <stddef.h>

const char *const html_template_head[] = {
	"<!DOCTYPE html>\n", "<body>\n", NULL};
const char *const html_template_tail[] = {"</body>\n", NULL};
