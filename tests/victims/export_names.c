/* export_names THREADS: formats whose words are words of other languages, or none at all; and so many threads. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LONG_NAME \
	"a_name_that_is_far_too_long_for_anybody_to_search_for_or_to_be_kept_by_" \
	"programs_that_have_a_limit_such_as_sixty_four_or_a_hundred_characters"

static void *say(void *closure)
{
	printf("thread number=%d\n", (int)(intptr_t)closure);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	printf("struct=%d event %d string: %d integer %d _%d __x=%d 1x=%d\n", 1,
		2, 3, 4, 5, 6, 7);
	printf("text=%d message=%d id %d timestamp=%d stream_id=%d\n", 8, 9, 10,
		11, 12);
	printf("\"quoted\": %d }; { \\ \\n \001 \"name = %d\n", 13, 14);
	printf("\xff\xfe=%d \xc3\xa9=%d\n", 15, 16);
	printf("same=%d same=%d Same=%d\n", 17, 18, 19);
	printf(LONG_NAME "=%d\n", 20);
	printf("%d%% ??/ %s\n", 21, "\"\\\n\r\t\"");
	printf("%s", "");
	puts("");
	fputs("begun, ", stdout);
	printf("and ended=%d\n", 22);
	for (int i = 0; i < atoi(argv[1]); i++) {
		pthread_create(&thread, NULL, say, (void *)(intptr_t)i);
		pthread_join(thread, NULL);
	}
	return 0;
}
