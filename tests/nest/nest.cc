/* Inlining in C++: templates, members, lambdas, operators, exceptions. */
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace wood
{

class Tree
{
public:
	explicit Tree(std::string name) : name_(std::move(name)) {}
	virtual ~Tree() { std::printf("felled %s\n", name_.c_str()); }
	virtual int height() const { return static_cast<int>(name_.size()); }
	Tree &operator+=(int by)
	{
		name_.append(static_cast<std::size_t>(by), 'x');
		return *this;
	}

	template <typename Visitor> void visit(Visitor visitor) const
	{
		for (char c : name_)
			visitor(c);
	}

private:
	std::string name_;
};

class Oak final : public Tree
{
public:
	Oak() : Tree("oak") {}
	int height() const override { return Tree::height() * 10; }
};

template <typename T, int N> struct Grid {
	T cells[N] = {};

	T sum() const
	{
		T total{};

		for (const T &cell : cells)
			total += cell;
		return total;
	}
	struct Cursor {
		int at;
		Cursor next() const { return Cursor{at + 1}; }
	};
};

namespace
{

int hidden(int x)
{
	std::printf("hidden %d\n", x);
	return x * 3;
}

template <typename T> T twice(T value, T (*change)(T))
{
	return change(change(value));
}

} // namespace

int grow(Tree &tree, int by)
{
	int count = 0;

	tree += by;
	tree.visit([&count](char c) {
		if (c == 'x')
			count++;
		else
			std::printf("%c\n", c);
	});
	if (count > 100)
		throw std::out_of_range("too high");
	return count + twice(by, hidden);
}

} // namespace wood

extern "C" int from_c(int x)
{
	wood::Grid<long, 4> grid;

	grid.cells[x & 3] = x;
	return static_cast<int>(grid.sum()) +
		wood::Grid<long, 4>::Cursor{x}.next().at;
}

int words(const std::vector<std::string> &all)
{
	std::map<std::string, int> counts;
	int most = 0;

	for (const auto &word : all)
		counts[word]++;
	std::for_each(counts.begin(), counts.end(), [&most](const auto &pair) {
		most = std::max(most, pair.second);
		std::printf("%s %d\n", pair.first.c_str(), pair.second);
	});
	return most;
}

int all_of_it(int count)
{
	auto tree = std::unique_ptr<wood::Tree>(new wood::Oak);

	try {
		return grow(*tree, count) + tree->height() + from_c(count);
	} catch (const std::exception &error) {
		std::printf("%s\n", error.what());
		return -1;
	}
}

#ifndef SHARED
int main(int argc, char **argv)
{
	std::vector<std::string> all(argv, argv + argc);

	return words(all) + all_of_it(argc);
}
#endif
