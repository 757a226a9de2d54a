/*
 * A server of ClickHouse, asked over HTTP by libcurl.  Used by the tools that
 * send rows and ask for them.  Promises that a password is in no sentence and
 * on no command line, and to say of each request whether the server has surely
 * refused it, or may have done it.  One thread.
 */
#ifndef TOOLS_FLEET_SERVER_H
#define TOOLS_FLEET_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/render_buffer.h"

#define SERVERS_MAX 64u

struct servers {
	char *text; /* of the URL, taken apart */
	bool secure;
	const char *user;     /* null: the server's default */
	const char *password; /* null: none */
	char secret[512];     /* where that is, and nowhere else of ours */
	const char *ca;	      /* null: the system's */
	const char *database;
	const char *address[SERVERS_MAX]; /* HOST:PORT */
	size_t count;
	void *curl;
	bool ends; /* no request is open any more */
	const volatile int
		*stopped;  /* while it is not 0 requests are given up */
	const char *again; /* what sentences end with, of what may succeed later
			    */
	/* Further parameters of each request, as `&name=value`; null: none. */
	const char *parameters;
	/* Who takes an answer as it comes; false: it is not to go on. Null: it
	 * is kept. */
	bool (*take)(void *closure, const char *bytes, size_t count);
	void *closure;
	struct render_buffer answer;
	int code; /* of the last one that was refused, as the server has them */
	char problem[1024]; /* of the last request: what: why: what you can do
			     */
};

/* Null, or what is wrong with the URL, and what you can do. */
const char *servers_begin(struct servers *servers, const char *url);

enum server_end {
	SERVER_DONE,
	SERVER_REFUSED, /* and will again: something has to be changed */
	SERVER_UNSURE,	/* it was not reached, or may have done it */
};

/*
 * The statement, with a body if there is one; `id` names the request, null: the
 * server finds a name.  The answer is in `answer`, which ends in NUL.
 */
enum server_end server_ask(struct servers *servers, size_t number,
	const char *statement, const void *body, size_t bytes, const char *id);

/*
 * The password: the first line of the file at `path`, or if that is null what
 * the environment has.  Null, or a sentence why there is none.
 */
const char *servers_password(struct servers *servers, const char *path);

/* A question whose answer is a whole number; any other answer is none. */
enum server_end server_ask_number(struct servers *servers, size_t number,
	const char *statement, uint64_t *answer);

/* `http://HOST:PORT/DATABASE`, as people know it. */
void server_name(const struct servers *servers, size_t number, char *buffer,
	size_t size);

/* The one that is called so; `count`: none of them. */
size_t server_named(const struct servers *servers, const char *name);

/* Whether it is one word: as names of databases and clusters have to be. */
bool server_is_word(const char *text);

void servers_end(struct servers *servers);

#endif
