#include "tools/fleet/server.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <curl/curl.h>

#include "record/hash.h"

#define PORT "8123"
#define PORT_SECURE "8443"
/* Seconds: to be connected, and to be silent. */
#define CONNECT_SECONDS 10L
#define SILENT_SECONDS 120L
#define ANSWER_MAX ((size_t)16 << 20)

bool server_is_word(const char *text)
{
	if (!isalpha((unsigned char)*text) && *text != '_')
		return false;
	while (isalnum((unsigned char)*text) || *text == '_')
		text++;
	return *text == '\0';
}

/* HOST[:PORT], with the usual port if it has none.  Null: out of memory. */
static char *address_of(const char *host, bool secure)
{
	const char *bracket = strchr(host, ']');
	char *address;

	if (strchr(bracket ? bracket : host, ':'))
		return strdup(host);
	return asprintf(&address, "%s:%s", host, secure ? PORT_SECURE : PORT) <
			       0
		       ? NULL
		       : address;
}

static const char *take_hosts(struct servers *servers, char *hosts)
{
	char *host;

	while ((host = strsep(&hosts, ","))) {
		if (servers->count == SERVERS_MAX)
			return "more than 64 servers: give fewer";
		servers->address[servers->count] =
			address_of(host, servers->secure);
		if (!servers->address[servers->count++])
			return "out of memory: give fewer servers";
	}
	return servers->count > 0 ? NULL
				  : "no server in it: give "
				    "clickhouse://HOST:PORT/DATABASE";
}

const char *servers_begin(struct servers *servers, const char *url)
{
	static const char insecure[] = "clickhouse://";
	static const char secure[] = "clickhouses://";
	char *at, *slash, *user;

	*servers = (struct servers){.again = "it is tried again"};
	servers->secure = strncmp(url, secure, strlen(secure)) == 0;
	if (!servers->secure && strncmp(url, insecure, strlen(insecure)) != 0)
		return "not known: give clickhouse://HOST:PORT/DATABASE";
	servers->text = strdup(
		url + (servers->secure ? strlen(secure) : strlen(insecure)));
	if (!servers->text || curl_global_init(CURL_GLOBAL_DEFAULT) != 0)
		return "out of memory: try again";
	at = servers->text;
	user = strchr(at, '@');
	if (user) {
		*user = '\0';
		if (strchr(at, ':'))
			return "a password in it is seen by everybody who "
			       "lists "
			       "processes: put it into a file and give "
			       "--password-file=FILE";
		servers->user = at;
		at = user + 1;
	}
	slash = strchr(at, '/');
	if (!slash || !server_is_word(slash + 1))
		return "no database in it, which is one word of letters, "
		       "digits and _: give clickhouse://HOST:PORT/DATABASE";
	*slash = '\0';
	servers->database = slash + 1;
	servers->curl = curl_easy_init();
	if (!servers->curl)
		return "out of memory: try again";
	return take_hosts(servers, at);
}

/* What is no answer but a problem is kept. */
static size_t take_answer(char *bytes, size_t size, size_t count, void *closure)
{
	struct servers *servers = closure;
	long status = 0;

	if (servers->take) {
		curl_easy_getinfo(
			servers->curl, CURLINFO_RESPONSE_CODE, &status);
		if (status == 200)
			return servers->take(
				       servers->closure, bytes, size * count)
				       ? size * count
				       : 0;
	}
	if (servers->answer.length < ANSWER_MAX)
		render_buffer_put(&servers->answer, bytes, size * count);
	return size * count;
}

static int look(
	void *closure, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	const struct servers *servers = closure;

	(void)a;
	(void)b;
	(void)c;
	(void)d;
	return servers->stopped && *servers->stopped;
}

static char *url_of(struct servers *servers, size_t number,
	const char *statement, const char *id)
{
	char *escaped = statement
				? curl_easy_escape(servers->curl, statement, 0)
				: NULL;
	const char *parameters = servers->parameters ? servers->parameters : "";
	char *url = NULL;

	if (!id && !escaped && *parameters == '&')
		parameters++;
	if ((!statement || escaped) &&
		asprintf(&url, "http%s://%s/?%s%s%s%s%s%s",
			servers->secure ? "s" : "", servers->address[number],
			id ? "query_id=" : "", id ? id : "",
			id && escaped ? "&" : "", escaped ? "query=" : "",
			escaped ? escaped : "", parameters) < 0)
		url = NULL;
	curl_free(escaped);
	return url;
}

static struct curl_slist *header(
	struct curl_slist *list, const char *name, const char *value)
{
	char line[1024];

	snprintf(line, sizeof(line), "%s: %s", name, value);
	return curl_slist_append(list, line);
}

/* What servers answer that no waiting mends, and what does. */
static const struct {
	int code;
	const char *advice;
} refusals[] = {
	{192, "give another user in the URL"},
	{193, "give the right password"},
	{194, "give the password: see --password-file"},
	{497, "let the user do this on the server"},
	{516, "give the right user and password"},
	{164, "let the user write on the server"},
	{291, "let the user use the database on the server"},
	{16, "another table is there by that name: give another database"},
	{36, "another table is there by that name: give another database"},
	{44, "another table is there by that name: give another database"},
	{47, "another table is there by that name: give another database"},
	{53, "another table is there by that name: give another database"},
	{62, "another version of the server is needed"},
	{170, "name a cluster that the server's configuration has"},
};

/* As the server calls it, if it sees it in time; else the kernel does. */
#define NO_ROOM 243
#define FULL "errno: 28, "

/* "Code: 516, e.displayText() = DB::Exception: words, ..." */
static enum server_end judge(
	struct servers *servers, size_t number, long status)
{
	const char *answer = servers->answer.data;
	const char *words = strstr(answer, "DB::Exception: ");
	enum server_end end = SERVER_UNSURE;
	const char *advice = servers->again;
	const char *end_of_words;
	size_t length, i;

	servers->code = 0;
	if (sscanf(answer, "Code: %d", &servers->code) != 1) {
		/* a proxy, or another program: it may know better later */
		snprintf(servers->problem, sizeof(servers->problem),
			"%s: not an answer of ClickHouse, but status %ld of "
			"HTTP: %s",
			servers->address[number], status, servers->again);
		return SERVER_UNSURE;
	}
	words = words ? words + strlen("DB::Exception: ") : answer;
	for (i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		if (servers->code == refusals[i].code) {
			advice = refusals[i].advice;
			end = SERVER_REFUSED;
		}
	end_of_words = strstr(words, ", e.what()");
	length = strcspn(words, "\n");
	if (strstr(answer, FULL))
		servers->code = NO_ROOM;
	if (servers->code == NO_ROOM) {
		words = "the server has no room";
		length = strlen(words);
	} else if (end_of_words && (size_t)(end_of_words - words) < length)
		length = (size_t)(end_of_words - words);
	snprintf(servers->problem, sizeof(servers->problem), "%s: %.*s: %s",
		servers->address[number], (int)length, words, advice);
	return end;
}

/* What was not sent when this process ends is thrown away, and not sent by the
 * kernel while another one asks what is there. */
static int set_socket(void *closure, curl_socket_t fd, curlsocktype purpose)
{
	struct linger none = {.l_onoff = 1, .l_linger = 0};

	(void)closure;
	(void)purpose;
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
	return CURL_SOCKOPT_OK;
}

/* Servers write down who goes without a word. */
static int close_socket(void *closure, curl_socket_t fd)
{
	const struct servers *servers = closure;
	struct linger usual = {0};

	if (servers->ends)
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &usual, sizeof(usual));
	return close(fd);
}

static void set_all(struct servers *servers, const char *url,
	struct curl_slist *headers, const void *body, size_t bytes,
	char error[CURL_ERROR_SIZE])
{
	CURL *curl = servers->curl;

	curl_easy_reset(curl);
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_POST, 1L);
	curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
	curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)bytes);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_answer);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, servers);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_SOCKOPTFUNCTION, set_socket);
	curl_easy_setopt(curl, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
	curl_easy_setopt(curl, CURLOPT_CLOSESOCKETDATA, servers);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, CONNECT_SECONDS);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, SILENT_SECONDS);
	curl_easy_setopt(curl, CURLOPT_UPLOAD_BUFFERSIZE, 1L << 20);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, look);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, servers);
	if (servers->ca)
		curl_easy_setopt(curl, CURLOPT_CAINFO, servers->ca);
}

static enum server_end perform(struct servers *servers, size_t number,
	const char *url, struct curl_slist *headers, const void *body,
	size_t bytes)
{
	char error[CURL_ERROR_SIZE] = "";
	long status = 0;
	CURLcode code;

	set_all(servers, url, headers, body, bytes, error);
	code = curl_easy_perform(servers->curl);
	render_buffer_put_byte(&servers->answer, '\0');
	if (code != CURLE_OK) {
		bool believed = code != CURLE_PEER_FAILED_VERIFICATION &&
				code != CURLE_SSL_CACERT_BADFILE;

		snprintf(servers->problem, sizeof(servers->problem),
			"%s: not reached: %s: %s", servers->address[number],
			*error ? error : curl_easy_strerror(code),
			believed ? servers->again
				 : "give its certificates with --ca-file=FILE");
		return believed ? SERVER_UNSURE : SERVER_REFUSED;
	}
	curl_easy_getinfo(servers->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status == 200 && !servers->answer.failed)
		return SERVER_DONE;
	return servers->answer.failed ? SERVER_UNSURE
				      : judge(servers, number, status);
}

enum server_end server_ask(struct servers *servers, size_t number,
	const char *statement, const void *body, size_t bytes, const char *id)
{
	char *url = url_of(servers, number, body ? statement : NULL, id);
	struct curl_slist *headers = NULL;
	enum server_end end = SERVER_UNSURE;

	servers->answer.length = 0;
	servers->code = 0;
	headers = header(headers, "Expect", "");
	if (servers->user)
		headers = header(headers, "X-ClickHouse-User", servers->user);
	if (servers->password)
		headers =
			header(headers, "X-ClickHouse-Key", servers->password);
	if (url && headers)
		end = perform(servers, number, url, headers,
			body ? body : statement,
			body ? bytes : strlen(statement));
	curl_slist_free_all(headers);
	free(url);
	return end;
}

const char *servers_password(struct servers *servers, const char *path)
{
	static char problem[1024];
	char *variable = getenv("BINLOG_SHIP_PASSWORD");
	char *secret = servers->secret;
	FILE *file;
	bool read;

	if (path) {
		file = fopen(path, "re");
		read = file && fgets(secret, sizeof(servers->secret), file);
		if (!read)
			snprintf(problem, sizeof(problem),
				"%s: no password: %s: put it on the first line",
				path, file ? "it is empty" : strerror(errno));
		if (file)
			fclose(file);
		if (!read)
			return problem;
	} else if (variable) {
		snprintf(secret, sizeof(servers->secret), "%s", variable);
	}
	/* Where every process of this user could see it. */
	if (variable)
		explicit_bzero(variable, strlen(variable));
	secret[strcspn(secret, "\r\n")] = '\0';
	servers->password = *secret ? secret : NULL;
	return NULL;
}

enum server_end server_ask_number(struct servers *servers, size_t number,
	const char *statement, uint64_t *answer)
{
	enum server_end end =
		server_ask(servers, number, statement, NULL, 0, NULL);
	char *rest;

	if (end != SERVER_DONE)
		return end;
	*answer = strtoull(servers->answer.data, &rest, 10);
	if (isdigit((unsigned char)*servers->answer.data) && *rest == '\n')
		return SERVER_DONE;
	snprintf(servers->problem, sizeof(servers->problem),
		"%s: not an answer of ClickHouse: %s", servers->address[number],
		servers->again);
	return SERVER_UNSURE;
}

void server_name(
	const struct servers *servers, size_t number, char *buffer, size_t size)
{
	snprintf(buffer, size, "http%s://%s/%s", servers->secure ? "s" : "",
		servers->address[number], servers->database);
}

size_t server_named(const struct servers *servers, const char *name)
{
	char own[512];
	size_t i;

	for (i = 0; i < servers->count; i++) {
		server_name(servers, i, own, sizeof(own));
		if (strcmp(own, name) == 0)
			break;
	}
	return i;
}

void servers_end(struct servers *servers)
{
	size_t i;

	servers->ends = true;
	if (servers->curl)
		curl_easy_cleanup(servers->curl);
	for (i = 0; i < servers->count; i++)
		free((char *)(uintptr_t)servers->address[i]);
	render_buffer_free(&servers->answer);
	free(servers->text);
}
