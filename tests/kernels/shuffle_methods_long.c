/* Runs the tests of shuffle_case.h on all layouts. */
#include "kernels/shuffle_case.h"

int main(int argc, char **argv)
{
	return shuffle_main(argc, argv, true);
}
