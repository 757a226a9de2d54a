/*
 * Our constructor, and what is done when the program calls exit().  Everything
 * works before the one and after the other; they only make sure that the
 * capture exists before the program gives up privileges or its root directory,
 * that the last bytes of macros are found, and that the end is on record.
 */
#include "shim/control/process.h"
#include "shim/host/environment.h"
#include "shim/host/host.h"
#include "shim/record/site.h"
#include "shim/record/unseen.h"
#include "shim/start/fatal.h"
#include "shim/start/startup.h"
#include "shim/stdio/stdio_buffer.h"
#include "shim/writer/life.h"
#include "shim/writer/ownership.h"
#include "shim/writer/position.h"
#include "wrappers/handlers.h"

/*
 * Registered before all others, so it comes after all handlers and
 * destructors, and just before libc writes what FILEs hold back.
 */
static void end(int status, void *unused)
{
	const struct call call = CAPTURE_CALL("exit", NULL);
	bool held_back;

	(void)unused;
	if (process_is_borrowed())
		return;
	ownership_wait();
	state_follow(&call);
	stdio_buffer_drain_all(&call);
	state_drop_strays(&call);
	held_back = streams_flush_all();
	position_flushed_all();
	map_settle(&call);
	unseen_tell(&call);
	site_tell_suppressed(&call);
	life_note(BINLOG_TEXT_EXIT, status);
	if (held_back || writer_has_spoken())
		capture_event(&call, 0, BINLOG_TEXT_EXIT, status);
	life_let_tell();
}

__attribute__((constructor)) static void start(
	int argc, char **argv, char **environment)
{
	environment_arguments(argc, argv, environment);
	startup_arm();
	fatal_watch();
	if (host_on_exit)
		host_on_exit(end, NULL);
}
