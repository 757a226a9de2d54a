#include "decoder/heph/heph_own.h"

const struct fact_wanted heph_own_facts[HEPH_OWN_newline] = {
#define OWN(name, fact) {FACT_##fact, HEPH_OWN #name},
#include "decoder/heph/heph_own.def"
#undef OWN
};

/* Of a name, and of what type. */
static const char *name_of(size_t own, unsigned *type)
{
	bool text = own < HEPH_OWN_newline &&
		    facts_all[heph_own_facts[own].name].kind == FACT_TEXT;

	*type = text ? HEPH_STRING : HEPH_UNSIGNED;
	if (own == HEPH_OWN_newline)
		return HEPH_OWN_NEWLINE;
	return own == HEPH_OWN_span ? HEPH_OWN_SPAN : heph_own_facts[own].key;
}

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
	unsigned type;
	size_t i;

	if (attribute->array && attribute->type == HEPH_STRING &&
		is_named(attribute, HEPH_OWN_REST)) {
		own->rest = values;
		own->rest_count = attribute->count;
	}
	for (i = 0; i < HEPH_OWN_NAMES && !attribute->array; i++) {
		const char *name = name_of(i, &type);

		if (attribute->type != type || !is_named(attribute, name))
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
