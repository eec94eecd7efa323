#include "core/loop_failure.h"

#include <string.h>

void gemp_loop_record(gemp_loop_failure *failure, gemp_code code)
{
	int none = GEMP_OK;
	if (code != GEMP_OK && atomic_compare_exchange_strong(&failure->first, &none, code))
		memcpy(failure->message, gemp_message(), strlen(gemp_message()) + 1);
}

gemp_code gemp_loop_status(const gemp_loop_failure *failure)
{
	const gemp_code code = (gemp_code)atomic_load(&failure->first);
	return code == GEMP_OK ? code : gemp_fail(code, "%s", failure->message);
}
