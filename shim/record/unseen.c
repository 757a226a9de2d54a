#include "shim/record/unseen.h"

#include "shim/streams/stream_modes.h"
#include "shim/writer/position.h"
#include "shim/writer/writer.h"

/* Text is written to the file by somebody's wish. */
static bool is_written(enum switch_stream which)
{
	enum policy_mode mode = stream_modes_of(which);

	return mode == POLICY_TEE || mode == POLICY_PASS;
}

static bool is_own_file(unsigned stream)
{
	return streams[stream].flags &
		       (BINLOG_STREAM_STDOUT | BINLOG_STREAM_STDERR) &&
	       position_matters(stream);
}

static bool is_anything_wanted(void)
{
	return streams_are_wanted || is_written(SWITCH_STDOUT) ||
	       is_written(SWITCH_STDERR);
}

/* False: that cannot be found out. */
static bool tell(const struct call *call, unsigned stream)
{
	int64_t bytes;

	if (is_anything_wanted()) {
		position_ignore(stream);
		return false;
	}
	bytes = position_unseen(stream);
	if (bytes > 0 &&
		!capture_event(call, stream, BINLOG_TEXT_UNSEEN, bytes))
		position_unsee(stream, bytes);
	return bytes >= 0;
}

/* False: no stream of theirs is known. */
static bool tell_all(const struct call *call)
{
	const struct stream *last = NULL;
	bool found = false;

	for (unsigned i = STREAM_FULL + 1; i < streams_count(); i++) {
		if (!is_own_file(i))
			continue;
		found = true;
		if (!(last && last->inode == streams[i].inode &&
			    last->device == streams[i].device) &&
			tell(call, i))
			last = &streams[i];
	}
	return found;
}

static bool has_grown(void)
{
	const struct stream_output *first = streams_output(STDOUT_FILENO);
	const struct stream_output *second = streams_output(STDERR_FILENO);
	bool same = first->known && first->device == second->device &&
		    first->inode == second->inode;

	return position_has_grown(STDOUT_FILENO, first) ||
	       (!same && position_has_grown(STDERR_FILENO, second));
}

/*
 * Who has said nothing, or nothing to these, may be all past us, or above
 * somebody who is.  A silent child leaves it to its parent.
 */
void unseen_tell(const struct call *call)
{
	if (!streams_have_offsets || (writer_has_spoken() && tell_all(call)) ||
		!process_is_founder() || !has_grown())
		return;
	streams_of(STDOUT_FILENO);
	streams_of(STDERR_FILENO);
	tell_all(call);
}

void unseen_tell_descriptor(const struct call *call, int fd)
{
	unsigned stream;

	if (!writer_has_spoken())
		return;
	stream = streams_known(fd);
	if (stream != STREAM_PASS && is_own_file(stream))
		tell(call, stream);
}
