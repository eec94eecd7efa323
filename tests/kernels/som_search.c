/* Runs the tests of som_search_case.h on few combinations. */
#include "kernels/som_search_case.h"

int main(int argc, char **argv)
{
	return som_search_main(argc, argv, false);
}
