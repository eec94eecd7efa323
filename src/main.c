#include "core/status.h"

int main(void)
{
	return GEMP_OK;
}
