#include "decoder/say.h"

#include <stdio.h>

#include "decoder/places.h"

void say_errors(const struct error_list *errors)
{
	char sentence[4608];
	size_t i;

	for (i = 0; i < errors->count && i < ERROR_KEPT_MAX; i++) {
		error_sentence(&errors->kept[i], sentence, sizeof(sentence));
		fprintf(stderr, "%s\n", sentence);
	}
	if (errors->count > ERROR_KEPT_MAX)
		fprintf(stderr, "and %zu more of this kind\n",
			errors->count - ERROR_KEPT_MAX);
}

void say_complaints(const struct places *places)
{
	const char *sentence;
	size_t i;

	for (i = 0; places && (sentence = places_complaint(places, i)); i++)
		fprintf(stderr, "%s\n", sentence);
}
