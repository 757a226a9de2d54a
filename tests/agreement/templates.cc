// Much code of few lines: templates of the standard library, for several types.
#include <algorithm>
#include <deque>
#include <functional>
#include <future>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

namespace
{

template <int Kind> struct Tag
{
	int number = Kind;
	std::string text;

	bool operator<(const Tag &other) const
	{
		return std::tie(number, text) <
		       std::tie(other.number, other.text);
	}
	bool operator==(const Tag &other) const
	{
		return number == other.number;
	}
};

template <int Kind> struct Hash
{
	std::size_t operator()(const Tag<Kind> &tag) const
	{
		return std::hash<std::string>()(tag.text) ^
		       static_cast<std::size_t>(tag.number);
	}
};

template <int Kind> struct Store
{
	std::map<Tag<Kind>, std::vector<Tag<Kind>>> by_tag;
	std::unordered_map<Tag<Kind>, std::list<Tag<Kind>>, Hash<Kind>> by_hash;
	std::set<Tag<Kind>> all;
	std::deque<Tag<Kind>> queue;
	std::variant<int, Tag<Kind>, std::string> last;

	void add(int i)
	{
		Tag<Kind> tag{i, std::to_string(i * Kind)};

		by_tag[tag].push_back(tag);
		by_hash[tag].push_front(tag);
		all.insert(tag);
		queue.push_back(tag);
		last = tag;
	}
};

template <int Kind> int use(int count)
{
	Store<Kind> store;
	std::vector<std::function<int(const Tag<Kind> &)>> functions;
	std::regex expression("a(b|c)*[0-9]+");
	std::stringstream out;
	int sum = 0;

	for (int i = 0; i < count; i++)
		store.add(i);
	std::sort(store.queue.begin(), store.queue.end());
	functions.push_back([count](const Tag<Kind> &tag) {
		return tag.number + count;
	});
	functions.push_back([&store](const Tag<Kind> &tag) {
		return static_cast<int>(store.by_tag.count(tag));
	});
	for (const auto &tag : store.queue) {
		for (const auto &function : functions)
			sum += function(tag);
		sum += std::regex_match(tag.text, expression);
	}
	for (const auto &[tag, tags] : store.by_tag)
		out << tag.number << tag.text << tags.size();
	auto shared = std::make_shared<Tag<Kind>>();
	auto later = std::async(std::launch::deferred,
		[shared] { return shared->number; });
	std::visit([&sum](const auto &x) { sum += sizeof(x); }, store.last);
	return sum + later.get() + static_cast<int>(out.str().size());
}

} // namespace

int main(int count, char **)
{
	std::cout << use<1>(count) + use<2>(count) + use<3>(count) << '\n';
}
