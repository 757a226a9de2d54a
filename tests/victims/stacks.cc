// The program of the test of stacks: C++, inlining, templates, lambdas.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <vector>

#include "stacks.h"

namespace outer {
namespace {

template <typename T> struct Teller {
	T value;

	explicit Teller(T v) : value(v) { say(); }
	~Teller() { say(); }
	inline int tell(int n)
	{
		say();
		return n > 0 ? tell_more(n) : 0;
	}
	__attribute__((noinline)) int tell_more(int n);
	virtual int operator()(int n) { say(); return in_library(n); }
};

template <typename T> int Teller<T>::tell_more(int n)
{
	return tell(n - 1) + 1;
}

} // namespace

__attribute__((noinline)) int lambdas(int n)
{
	std::vector<int> v{3, 1, 2};
	std::function<int(int)> f = [n](int x) {
		say();
		return x + n;
	};

	std::sort(v.begin(), v.end(), [](int a, int b) {
		say();
		return a < b;
	});
	return f(v[0]);
}

} // namespace outer

int main(int argc, char **argv)
{
	int result;

	if (argc != 2 || !(oracle = fopen(argv[1], "w")))
		return 2;
	{
		outer::Teller<double> teller(1.5);

		result = teller.tell(3) + teller(2) + outer::lambdas(argc);
	}
	say();
	fclose(oracle);
	return result == 0;
}
