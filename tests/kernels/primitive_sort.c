#include "kernels/primitive_case.h"

int main(int argc, char **argv)
{
	return primitive_main(argc, argv, false);
}
