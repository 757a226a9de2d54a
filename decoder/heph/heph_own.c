#include "decoder/heph/heph_own.h"

enum own_type { OWN_TEXT = HEPH_STRING, OWN_NUMBER = HEPH_UNSIGNED };

const char *const heph_own_names[HEPH_OWN_NAMES] = {
#define OWN(name, type, what) HEPH_OWN #name,
#include "decoder/heph/heph_own.def"
#undef OWN
};

static const uint8_t types[HEPH_OWN_NAMES] = {
#define OWN(name, type, what) OWN_##type,
#include "decoder/heph/heph_own.def"
#undef OWN
};

static bool is_named(const struct heph_attribute *attribute, const char *name)
{
	return attribute->name.size == strlen(name) &&
	       memcmp(attribute->name.bytes, name, attribute->name.size) == 0;
}

static bool is_own(const struct heph_attribute *attribute)
{
	return attribute->name.size >= sizeof(HEPH_OWN) - 1 &&
	       memcmp(attribute->name.bytes, HEPH_OWN, sizeof(HEPH_OWN) - 1) ==
		       0;
}

static void take(struct heph_own *own, const struct heph_attribute *attribute,
	struct cursor values)
{
	size_t i;

	if (attribute->array && attribute->type == HEPH_STRING &&
		is_named(attribute, HEPH_OWN_REST)) {
		own->rest = values;
		own->rest_count = attribute->count;
	}
	for (i = 0; i < HEPH_OWN_NAMES && !attribute->array; i++) {
		if (attribute->type != types[i] ||
			!is_named(attribute, heph_own_names[i]))
			continue;
		own->values[i].known = true;
		if (attribute->type == HEPH_STRING)
			own->values[i].text = heph_read_string(&values);
		else
			own->values[i].number = heph_read_number(&values);
	}
}

bool heph_own_read(struct heph_own *own, struct cursor attributes)
{
	struct heph_attribute attribute;
	bool any = false;

	*own = (struct heph_own){.rest_count = 0};
	while (heph_read_attribute(&attributes, &attribute)) {
		struct cursor values = attributes;

		heph_read_over(&attributes, &attribute);
		if (attributes.failed)
			return false;
		any = any || is_own(&attribute);
		if (is_own(&attribute))
			take(own, &attribute, values);
		own->arguments += !any;
	}
	return cursor_left(&attributes) == 0 &&
	       own->values[HEPH_OWN_newline].known &&
	       own->values[HEPH_OWN_pid].known;
}
