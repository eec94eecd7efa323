#include "pattern/query.h"

#include "core/memory.h"
#include "core/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 4096 };

struct query_block {
	struct query_block *next;
	_Alignas(16) char bytes[];
};

void *query_alloc(query *q, size_t size)
{
	size = (size + 15) / 16 * 16;
	if (size > q->left) {
		size_t room = size > BLOCK ? size : BLOCK;
		struct query_block *block = gemp_calloc(1, sizeof *block + room);
		if (!block) {
			if (q->code == GEMP_OK)
				q->code = GEMP_ENOMEM;
			return NULL;
		}
		block->next = q->blocks;
		q->blocks = block;
		q->at = block->bytes;
		q->left = room;
	}
	void *memory = q->at;
	q->at += size;
	q->left -= size;
	return memory;
}

void query_free(query *q)
{
	while (q->blocks) {
		struct query_block *next = q->blocks->next;
		gemp_free(q->blocks);
		q->blocks = next;
	}
}

query_word query_copy(query *q, const char *bytes, size_t size, query_place place)
{
	query_word word = { .bytes = query_alloc(q, size + 1), .size = size, .place = place };
	if (word.bytes)
		memcpy(word.bytes, bytes, size);
	return word;
}

void query_fail(query *q, size_t at, const char *format, ...)
{
	if (q->code != GEMP_OK)
		return;
	char message[1024];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	q->code = gemp_source_fail(&q->source, at, "%s", message);
}

void query_refuse(query *q, size_t at, const char *what)
{
	const char *hint = strchr(what, ';'); /* "what; hint" */
	size_t length = hint ? (size_t)(hint - what) : strlen(what);
	query_fail(q, at, "%.*s is not supported%s", (int)length, what, hint ? hint : "");
}
