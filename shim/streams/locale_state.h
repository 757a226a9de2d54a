/*
 * What of the host's locale the reader has to take for granted: that the
 * decimal point is a point, that multibyte text is UTF-8, and that the names of
 * errors are not translated.  One load on
 * the hot path unless threads have locales of their own.
 */
#ifndef SHIM_LOCALE_STATE_H
#define SHIM_LOCALE_STATE_H

/* Ask libc each time. */
extern HIDDEN bool locale_varies;
extern HIDDEN bool locale_point;
extern HIDDEN bool locale_utf8;
extern HIDDEN bool locale_english;

bool locale_ask_point(void);
bool locale_ask_utf8(void);
bool locale_ask_english(void);

/* Numbers are printed with "." now, in this thread. */
static inline bool locale_has_point(void)
{
	return likely(!locale_varies) ? locale_point : locale_ask_point();
}

/* Wide characters are printed as UTF-8 now, in this thread. */
static inline bool locale_is_utf8(void)
{
	return likely(!locale_varies) ? locale_utf8 : locale_ask_utf8();
}

/* strerror() gives the texts of the C locale now, in this thread. */
static inline bool locale_is_english(void)
{
	return likely(!locale_varies) ? locale_english : locale_ask_english();
}

/* After setlocale.  Both end what the short way has found out. */
void locale_changed(void);

/* Before uselocale. */
void locale_differs_by_thread(void);

#endif
