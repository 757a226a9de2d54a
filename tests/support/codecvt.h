/* The conversions of a wide FILE, as libio/libioP.h of glibc has them. */
#ifndef TESTS_CODECVT_H
#define TESTS_CODECVT_H

#include <gconv.h>

struct _IO_codecvt {
	struct {
		struct __gconv_step *step;
		struct __gconv_step_data data;
	} in, out;
};

#endif
