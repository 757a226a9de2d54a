#include "shim/host/above.h"

#include "shim/control/control.h"
#include "shim/start/startup.h"
#include "shim/stdio/cancel.h"
#include "shim/stdio/stdio_buffer.h"
#include "shim/streams/streams.h"
#include "shim/writer/position.h"
#include "shim/writer/ring_trigger.h"
#include "shim/writer/writer.h"

static void end_file(void)
{
	control_forget();
}

const struct above above = {
	.header_ends = control_end,
	.file_ends = end_file,
	.first_cut = writer_first_cut,
	.streams_switched = streams_switch,
	.triggers_may_come = ring_trigger_wait,
	.trigger = ring_trigger_by_control,
	.streams_end = position_settle,
	.file_left = stdio_buffer_settle,
	.next_capture = startup_next_capture,
	.thread_unwinds = cancel_unwinds,
};
