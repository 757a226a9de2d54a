/*
 * The page of a report, without its data: lines of text that html/assemble
 * makes of the files beside it when binlog-show is built.  Put by html_page.c.
 */
#ifndef DECODER_HTML_TEMPLATE_H
#define DECODER_HTML_TEMPLATE_H

/* What is before the data, and what is behind it; each ends in null. */
extern const char *const html_template_head[];
extern const char *const html_template_tail[];

#endif
