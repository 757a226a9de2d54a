/* A program whose main(), as everything else of it, is in a shared object. */
int ENTRY(int argc, char **argv);

int main(int argc, char **argv)
{
	return ENTRY(argc, argv);
}
