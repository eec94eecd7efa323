#include "core/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each thread has a message, so that bodies of parallel loops can fail without locks. */
static _Thread_local char message[GEMP_MESSAGE_SIZE];

/* The text is formatted into a copy first, because an argument may be the message that the text replaces. */
gemp_code gemp_fail(gemp_code code, const char *format, ...)
{
	char text[GEMP_MESSAGE_SIZE];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	memcpy(message, text, strlen(text) + 1);
	return code;
}

/* Puts the text in front of the last message: callers add where the failure happened. */
gemp_code gemp_fail_in(gemp_code code, const char *format, ...)
{
	char text[GEMP_MESSAGE_SIZE];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	size_t used = strlen(text);
	snprintf(text + used, sizeof text - used, "%s", message);
	memcpy(message, text, strlen(text) + 1);
	return code;
}

const char *gemp_message(void)
{
	return message;
}

/* abort, unlike exit, lets a debugger or a core file show where the error happened. */
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
