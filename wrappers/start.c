/*
 * Our constructor and destructor.  Everything works before the one and after
 * the other; they only make sure that the capture exists before the program
 * gives up privileges or its root directory, and that the last bytes of
 * macros are found.
 */
#include "shim/environment.h"
#include "shim/process.h"
#include "shim/stdio_buffer.h"

__attribute__((constructor)) static void start(int argc, char **argv)
{
	environment_arguments(argc, argv);
	process_arm();
}

__attribute__((destructor)) static void end(void)
{
	const struct call call = CAPTURE_CALL("exit", NULL);

	process_start();
	stdio_buffer_drain_all(&call);
}
