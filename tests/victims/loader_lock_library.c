/* Tells the program that it is being loaded, and unloaded. */
void loader_is_busy(const char *where);

static __attribute__((constructor)) void begin(void)
{
	loader_is_busy("loading");
}

static __attribute__((destructor)) void end(void)
{
	loader_is_busy("unloading");
}
