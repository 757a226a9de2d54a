#include "tools/run/streams_check.h"

#include "rules/policy.h"

bool streams_check(const char *list, struct refusal *refusal)
{
	struct policy_item item;

	while (list && policy_next(&list, &item))
		if (item.wrong)
			return refusal_set(refusal, REFUSAL_POINTLESS,
				"%.*s: %s: correct --streams or "
				"BINLOG_STREAMS",
				(int)item.bytes, item.text, item.wrong);
	return true;
}
