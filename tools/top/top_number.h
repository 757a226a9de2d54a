/*
 * Numbers as people read them: three or four digits and a unit.  Called by
 * top_page.c; for scripts there are plain ones.
 */
#ifndef TOOLS_TOP_TOP_NUMBER_H
#define TOOLS_TOP_TOP_NUMBER_H

#include <stdbool.h>

#define TOP_NUMBER_BYTES 32

/* "12", "0.3", "4.56M"; of a negative one "-".  `plain`: all digits. */
void top_number(char text[TOP_NUMBER_BYTES], double number, bool plain);

#endif
