// Streams of C++ and of C on the same outputs, mixed.
#include <cstdio>
#include <fstream>
#include <iomanip>
#include <iostream>

int main()
{
	std::ios::sync_with_stdio(SYNC);
	for (int i = 0; i < 300; i++) {
		std::cout << "cout " << i << ' ' << std::setw(8) << i * 1.5
			  << '\n';
		printf("printf %d\n", i);
		if (i % 50 == 0)
			std::cout << "flushed" << std::endl;
		if (i % 70 == 0)
			fflush(stdout);
		std::cerr << "cerr " << i << '\n';
		std::clog << "clog " << i << '\n';
		fprintf(stderr, "stderr %d\n", i);
	}
	std::ofstream results("results");
	results << std::cout.tellp() << ' ' << ftell(stdout) << ' '
		<< std::cout.good() << '\n';
	std::cout << std::flush;
	results << std::cout.tellp() << ' ' << ftell(stdout) << '\n';
	std::cout.put('c').write("block\n", 6);
	return 0;
}
