/*
 * Like call_sites.c: the ways of C++.
 */
#include <cstdarg>
#include <cstdio>
#include <iostream>
#include <string>

#define HERE __LINE__
#define NOINLINE __attribute__((noinline))

template <typename... Arguments>
NOINLINE static void pack(const char *format, Arguments... arguments)
{
	std::printf(format, arguments...);
}

template <typename... Arguments>
NOINLINE static void forwarded(const char *format, Arguments &&...arguments)
{
	pack(format, arguments...);
}

class Logger
{
      public:
	explicit Logger(FILE *file) : file(file)
	{
	}
	NOINLINE void log(const char *format, ...)
	{
		va_list ap;

		va_start(ap, format);
		std::vfprintf(file, format, ap);
		va_end(ap);
	}
	virtual void speak(const char *format, ...);
	virtual ~Logger() = default;

      private:
	FILE *file;
};

NOINLINE void Logger::speak(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	std::vfprintf(file, format, ap);
	va_end(ap);
}

int main()
{
	Logger logger(stdout);
	Logger *some = &logger;
	auto lambda = [](auto... arguments) { std::printf(arguments...); };

	pack("%d: a pack of parameters\n", HERE);
	forwarded("%d: %s a pack\n", HERE, "forwarded to");
	logger.log("%d: a member\n", HERE);
	some->speak("%d: a virtual member\n", HERE);
	lambda("%d: a lambda\n", HERE);
	std::cout << HERE << ": a stream" << std::endl;
	std::cout << std::to_string(HERE) + ": a string\n" << std::flush;
	std::cerr << HERE << ": another stream\n";
	return 0;
}
