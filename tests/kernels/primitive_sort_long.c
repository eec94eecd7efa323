/* Runs the tests of primitive_case.h on all combinations. */
#include "kernels/primitive_case.h"

int main(int argc, char **argv)
{
	return primitive_main(argc, argv, true);
}
