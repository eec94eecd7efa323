#include "core/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char message[GEMP_MESSAGE_SIZE];

gemp_code gemp_fail(gemp_code code, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	return code;
}

gemp_code gemp_fail_in(gemp_code code, const char *format, ...)
{
	char before[GEMP_MESSAGE_SIZE], rest[GEMP_MESSAGE_SIZE];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(before, sizeof before, format, arguments);
	va_end(arguments);
	memcpy(rest, message, sizeof rest);
	size_t used = strlen(before);
	memcpy(message, before, used);
	snprintf(message + used, sizeof message - used, "%s", rest);
	return code;
}

const char *gemp_message(void)
{
	return message;
}

_Noreturn void gemp_bug(const char *file, int line, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fprintf(stderr, "gemp-mpi: internal error at %s:%d: ", file, line);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	abort();
}
