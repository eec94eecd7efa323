#include "pattern/query.h"

#include "core/memory.h"
#include "core/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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
	query_fail(q, at, "%.*s is not supported yet%s", (int)length, what, hint ? hint : "");
}

query_expr *query_leaf(query *q, gemp_expr_kind kind, query_place place)
{
	query_expr *expr = query_alloc(q, sizeof *expr);
	if (expr)
		*expr = (query_expr){ .kind = kind, .place = place };
	return expr;
}

void query_adopt(query_expr *parent, query_expr *child)
{
	if (parent->last)
		parent->last->next = child;
	else
		parent->first = child;
	parent->last = child;
	child->next = NULL;
}

query_expr *query_binary(query *q, gemp_expr_kind kind, query_expr *left, query_expr *right, query_place place)
{
	query_expr *expr = query_leaf(q, kind, place);
	if (expr) {
		query_adopt(expr, left);
		if (right)
			query_adopt(expr, right);
	}
	return expr;
}

query_expr *query_join(query *q, gemp_expr_kind kind, query_expr *left, query_expr *right, query_place place)
{
	if (left->kind != kind)
		return query_binary(q, kind, left, right, place);
	query_adopt(left, right);
	left->place = place;
	return left;
}

query_expr *query_integer(query *q, uint64_t magnitude, bool negative, query_place place)
{
	query_expr *expr = query_leaf(q, GEMP_LITERAL, place);
	if (!expr)
		return NULL;
	if (magnitude > (uint64_t)INT64_MAX + negative) {
		query_fail(q, place.begin, "this integer is beyond the range of 64 bits");
		return NULL;
	}
	int64_t integer = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
	expr->value = (gemp_value){ .type = GEMP_INTEGER, .integer = integer };
	return expr;
}

query_expr *query_real(query *q, double real, query_place place)
{
	query_expr *expr = query_leaf(q, GEMP_LITERAL, place);
	if (expr)
		expr->value = (gemp_value){ .type = GEMP_FLOAT, .real = real };
	return expr;
}

query_expr *query_string(query *q, query_word word)
{
	query_expr *expr = query_leaf(q, GEMP_LITERAL, word.place);
	if (expr)
		expr->value = (gemp_value){ .type = GEMP_STRING, .string = { word.bytes, word.size } };
	return expr;
}

static bool is_word(query_word word, const char *text)
{
	return strcasecmp(word.bytes, text) == 0;
}

void query_check_callee(query *q, query_word name)
{
	static const char *const aggregates[] = { "sum", "avg", "min", "max", "collect", "stdev", "stdevp", "percentileCont",
		"percentileDisc" };
	if (is_word(name, "id") || is_word(name, "count"))
		return;
	for (size_t i = 0; i < sizeof aggregates / sizeof *aggregates; i++) {
		if (is_word(name, aggregates[i])) {
			query_fail(q, name.place.begin, "the aggregate %s() is not supported yet; only count(*) is", aggregates[i]);
			return;
		}
	}
	query_fail(q, name.place.begin, "the function %s() is not supported yet; only id() and count(*) are", name.bytes);
}

query_expr *query_call(query *q, query_word name, query_expr *argument, query_place place)
{
	if (is_word(name, "count")) {
		if (argument)
			query_refuse(q, place.begin, "count() of an expression; write count(*)");
		return argument ? NULL : query_leaf(q, GEMP_COUNT_STAR, place);
	}
	if (!argument || argument->kind != GEMP_VERTEX) {
		query_fail(q, place.begin, "id() takes a variable, as in id(a)");
		return NULL;
	}
	query_expr *expr = query_leaf(q, GEMP_KEY, place);
	if (expr)
		expr->variable = argument->variable;
	return expr;
}

static void add_utf8(query_word *word, unsigned long c)
{
	char *out = word->bytes + word->size;
	if (c < 0x80) {
		*out++ = (char)c;
	} else if (c < 0x800) {
		*out++ = (char)(0xC0 | c >> 6);
		*out++ = (char)(0x80 | (c & 0x3F));
	} else if (c < 0x10000) {
		*out++ = (char)(0xE0 | c >> 12);
		*out++ = (char)(0x80 | (c >> 6 & 0x3F));
		*out++ = (char)(0x80 | (c & 0x3F));
	} else {
		*out++ = (char)(0xF0 | c >> 18);
		*out++ = (char)(0x80 | (c >> 12 & 0x3F));
		*out++ = (char)(0x80 | (c >> 6 & 0x3F));
		*out++ = (char)(0x80 | (c & 0x3F));
	}
	word->size = (size_t)(out - word->bytes);
}

/* The number in `digits` hexadecimal digits; false if some are missing. */
static bool hexadecimal(const char *bytes, size_t left, size_t digits, unsigned long *out)
{
	char text[9] = "";
	if (left < digits)
		return false;
	memcpy(text, bytes, digits);
	*out = strtoul(text, NULL, 16);
	return strspn(text, "0123456789abcdefABCDEF") == digits;
}

/* A character after \u or \U at bytes; *at moves behind it. */
static bool unicode(const char *bytes, size_t size, size_t *at, unsigned long *out)
{
	size_t digits = bytes[*at] == 'u' ? 4 : 8;
	unsigned long low;
	if (!hexadecimal(bytes + *at + 1, size - *at - 1, digits, out))
		return false;
	*at += 1 + digits;
	bool pair = *out >= 0xD800 && *out < 0xDC00 && size - *at >= 6 && bytes[*at] == '\\' && bytes[*at + 1] == 'u'
	         && hexadecimal(bytes + *at + 2, 4, 4, &low) && low >= 0xDC00 && low < 0xE000;
	if (pair) {
		*out = 0x10000 + ((*out - 0xD800) << 10) + (low - 0xDC00);
		*at += 6;
	}
	return *out > 0 && *out <= 0x10FFFF && (*out < 0xD800 || *out >= 0xE000);
}

query_word query_unquote(query *q, const char *bytes, size_t size, query_place place)
{
	static const char from[] = "\\'\"ntrbf/", to[] = "\\'\"\n\t\r\b\f/";
	query_word word = { .bytes = query_alloc(q, size + 1), .place = place };
	for (size_t i = 0; word.bytes && i < size;) {
		size_t escape = i;
		unsigned long c;
		if (bytes[i] != '\\') {
			word.bytes[word.size++] = bytes[i++];
			continue;
		}
		i++;
		const char *known = strchr(from, bytes[i]);
		if (known) {
			word.bytes[word.size++] = to[known - from];
			i++;
		} else if ((bytes[i] == 'u' || bytes[i] == 'U') && unicode(bytes, size, &i, &c)) {
			add_utf8(&word, c);
		} else {
			query_fail(q, place.begin + 1 + escape, "this escape is not known; there are \\\\ \\' \\\" \\n \\t \\r \\b \\f \\/ "
			           "\\uXXXX and \\UXXXXXXXX");
			return (query_word){ 0 };
		}
	}
	return word;
}
