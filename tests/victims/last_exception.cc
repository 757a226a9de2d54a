/* last_exception WAY: C++ programs that end by what nobody catches. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <thread>

static void throws(const char *way)
{
	if (std::strcmp(way, "error") == 0)
		throw std::runtime_error("not what was expected");
	if (std::strcmp(way, "number") == 0)
		throw 7;
	if (std::strcmp(way, "unknown") == 0)
		throw std::string("no type with a what()");
	if (std::strcmp(way, "terminate") == 0)
		std::terminate();
}

static void promises(const char *way) noexcept
{
	throws(way);
}

static void handler()
{
	std::cerr << "a handler of its own\n";
	std::abort();
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "";

	std::cerr << "the end: " << argv[1] << std::endl;
	if (std::strcmp(how, "noexcept") == 0)
		promises(argv[1]);
	if (std::strcmp(how, "handler") == 0)
		std::set_terminate(handler);
	if (std::strcmp(how, "thread") == 0)
		std::thread(throws, argv[1]).join();
	try {
		throws("number");
	} catch (int n) {
		std::printf("caught %d\n", n);
	}
	throws(argv[1]);
}
