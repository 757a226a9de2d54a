// streams: C++ streams with and without stdio behind them, and exceptions that
// pass functions which print.
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <stdexcept>
#include <string>

struct guard {
	explicit guard(int n) : number(n)
	{
		std::printf("enter %d\n", n);
	}
	~guard()
	{
		std::printf("leave %d\n", number);
	}
	int number;
};

static int deep(int n)
{
	guard g(n);
	if (n == 0)
		throw std::runtime_error("thrown");
	return deep(n - 1) + 1;
}

static void print(bool synced)
{
	for (int i = 0; i < 100; i++) {
		std::cout << "cout " << i << ' ' << std::setw(8) << i / 3.0
			  << std::endl;
		if (synced) {
			std::printf("printf %d\n", i);
			std::cout << "no newline " << std::string(100, 'x');
			std::putchar('\n');
		}
	}
	std::cerr << "cerr " << 1 << '\n';
	std::clog << "clog " << std::hex << 255 << std::endl;
}

int main()
{
	print(true);
	for (int i = 0; i < 3; i++)
		try {
			deep(5 + i);
		} catch (const std::exception &e) {
			std::printf("caught %s\n", e.what());
		}
	std::fflush(stdout);
	std::cout.flush();
	std::ios::sync_with_stdio(false);
	print(false);
	std::cout << std::string(100000, 'y') << '\n';
}
