/* String functions of the language. Case is mapped by utf8proc, character by character; =~ is a compiled PCRE2
 * expression with limits on steps and memory. No other file uses these two libraries.
 */

#define PCRE2_CODE_UNIT_WIDTH 8

#include "pattern/model/string_function.h"

#include <pcre2.h>
#include <stdatomic.h>
#include <utf8proc.h>

/* The result may be longer than the text, but no character is longer than four bytes. */
gemp_code gemp_string_case(const gemp_value *text, bool upper, gemp_arena *scratch, gemp_value *out)
{
	*out = *text;
	if (text->string.size == 0)
		return GEMP_OK;
	const utf8proc_uint8_t *from = (const utf8proc_uint8_t *)text->string.bytes;
	utf8proc_ssize_t left = (utf8proc_ssize_t)text->string.size;
	char *to = gemp_arena_alloc(scratch, 4 * text->string.size);
	size_t size = 0;
	if (!to)
		return GEMP_ENOMEM;
	while (left > 0) {
		utf8proc_int32_t character;
		utf8proc_ssize_t read = utf8proc_iterate(from, left, &character);
		if (read <= 0) { /* not UTF-8: the byte is copied */
			to[size++] = (char)*from;
			read = 1;
		} else {
			character = upper ? utf8proc_toupper(character) : utf8proc_tolower(character);
			size += (size_t)utf8proc_encode_char(character, (utf8proc_uint8_t *)to + size);
		}
		from += read;
		left -= read;
	}
	out->string.bytes = to;
	out->string.size = size;
	return GEMP_OK;
}

/* Counts the bytes that begin a character of UTF-8. */
static int64_t characters(const gemp_value *text)
{
	int64_t count = 0;
	for (size_t i = 0; i < text->string.size; i++)
		count += (text->string.bytes[i] & 0xC0) != 0x80;
	return count;
}

/* Counts the elements of a JSON array without parsing it, by its commas at depth 1 outside of strings. */
static int64_t elements(const gemp_value *list)
{
	int64_t commas = 0;
	int depth = 0;
	bool quoted = false, any = false;
	for (size_t i = 0; i < list->string.size; i++) {
		char c = list->string.bytes[i];
		if (quoted && c == '\\')
			i++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == '[' || c == '{'))
			depth++;
		else if (!quoted && (c == ']' || c == '}'))
			depth--;
		else if (!quoted && c == ',' && depth == 1)
			commas++;
		any = any || (i > 0 && i + 1 < list->string.size);
	}
	return any ? commas + 1 : 0;
}

/* Lists are JSON arrays in text form. */
int64_t gemp_string_size(const gemp_value *text)
{
	return text->type == GEMP_LIST ? elements(text) : characters(text);
}

enum {
	MAX_STEPS = 10000000, /* max number of steps of one match, which take some seconds at most */
	MAX_MEMORY = 65536,   /* max memory of one match, in KiB */
	SPARES = 16,
};

/* A compiled regular expression. Several threads may match at the same time, each with memory of its own. */
struct gemp_regex {
	size_t users;
	pcre2_general_context *memory;
	pcre2_code *code;
	pcre2_match_context *limits;
	_Atomic(pcre2_match_data *) spare[SPARES]; /* memory that matches have left for the next ones; owned, may be NULL */
};

/* PCRE2 allocates through core/memory, so that tests can make it fail. */
static void *regex_alloc(size_t size, void *context)
{
	(void)context;
	return gemp_calloc(1, size);
}

/* The counterpart of regex_alloc. */
static void regex_release(void *block, void *context)
{
	(void)context;
	gemp_free(block);
}

/* Returns GEMP_EUSAGE, without a message, if the text is not a regular expression, and sets *number to PCRE2's reason.
 * The whole string must match. \C is refused because it could split a character. */
static gemp_code compile(gemp_regex *regex, const gemp_value *pattern, int *number, size_t *at)
{
	static const uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_ANCHORED | PCRE2_ENDANCHORED |
	                                PCRE2_NEVER_BACKSLASH_C;
	pcre2_compile_context *context = pcre2_compile_context_create(regex->memory);
	if (!context)
		return GEMP_ENOMEM;
	regex->code = pcre2_compile((PCRE2_SPTR)pattern->string.bytes, pattern->string.size, options, number, at, context);
	pcre2_compile_context_free(context);
	if (regex->code)
		return GEMP_OK;
	return *number == PCRE2_ERROR_HEAP_FAILED ? GEMP_ENOMEM : GEMP_EUSAGE;
}

/* Limits on steps and memory turn catastrophic backtracking into an error. */
gemp_code gemp_regex_new(gemp_regex **out, const gemp_value *pattern, char *error, size_t error_size, size_t *at)
{
	GEMP_OWNED_BY(gemp_regex_free_at) gemp_regex *regex = NULL;
	int number = 0;
	GEMP_TRY(GEMP_NEW(regex, 1));
	regex->users = 1;
	regex->memory = pcre2_general_context_create(regex_alloc, regex_release, NULL);
	if (!regex->memory)
		return GEMP_ENOMEM;
	gemp_code code = compile(regex, pattern, &number, at);
	if (code == GEMP_EUSAGE)
		pcre2_get_error_message(number, (PCRE2_UCHAR *)error, error_size);
	if (code != GEMP_OK)
		return code;
	regex->limits = pcre2_match_context_create(regex->memory);
	if (!regex->limits)
		return GEMP_ENOMEM;
	pcre2_set_match_limit(regex->limits, MAX_STEPS);
	pcre2_set_heap_limit(regex->limits, MAX_MEMORY);
	pcre2_jit_compile(regex->code, PCRE2_JIT_COMPLETE); /* without the JIT compiler, matching is only slower */
	*out = regex;
	regex = NULL;
	return GEMP_OK;
}

/* Copies of an expression share the compiled form, which counts its users. */
gemp_regex *gemp_regex_share(gemp_regex *regex)
{
	if (regex)
		regex->users++;
	return regex;
}

/* The last user frees the compiled form. */
void gemp_regex_free(gemp_regex *regex)
{
	if (!regex || --regex->users > 0)
		return;
	pcre2_match_context_free(regex->limits);
	for (size_t i = 0; i < SPARES; i++)
		pcre2_match_data_free(atomic_load(&regex->spare[i]));
	pcre2_code_free(regex->code);
	pcre2_general_context_free(regex->memory);
	gemp_free(regex);
}

/* Room for one position is enough, since nobody asks where groups of the expression match. */
static pcre2_match_data *take_memory(gemp_regex *regex)
{
	pcre2_match_data *data = NULL;
	for (size_t i = 0; i < SPARES && !data; i++)
		data = atomic_exchange(&regex->spare[i], NULL);
	return data ? data : pcre2_match_data_create(1, regex->memory);
}

static void leave_memory(gemp_regex *regex, pcre2_match_data *data)
{
	for (size_t i = 0; i < SPARES && data; i++)
		data = atomic_exchange(&regex->spare[i], data);
	pcre2_match_data_free(data);
}

/* The JIT's stack is small and of a fixed size. If a match exceeds the stack, the interpreter repeats the match. */
static int match_whole(gemp_regex *regex, const gemp_value *text)
{
	static const char nothing[1];
	PCRE2_SPTR bytes = (PCRE2_SPTR)(text->string.size ? text->string.bytes : nothing);
	pcre2_match_data *data = take_memory(regex);
	if (!data)
		return PCRE2_ERROR_NOMEMORY;
	int result = pcre2_match(regex->code, bytes, text->string.size, 0, 0, data, regex->limits);
	if (result == PCRE2_ERROR_JIT_STACKLIMIT) /* the interpreter's stack is on the heap */
		result = pcre2_match(regex->code, bytes, text->string.size, 0, PCRE2_NO_JIT, data, regex->limits);
	leave_memory(regex, data);
	return result;
}

gemp_code gemp_regex_test(gemp_regex *regex, const gemp_value *text, int line, int column, bool *match)
{
	int result = match_whole(regex, text);
	*match = result >= 0;
	if (result >= 0 || result == PCRE2_ERROR_NOMATCH)
		return GEMP_OK;
	if (result == PCRE2_ERROR_NOMEMORY)
		return GEMP_ENOMEM;
	PCRE2_UCHAR why[128];
	pcre2_get_error_message(result, why, sizeof why);
	return gemp_fail(GEMP_EDATA,
	                 "query:%d:%d: =~ gave up on a string of %zu bytes: %s; write the expression with less to "
	                 "try",
	                 line, column, text->string.size, (const char *)why);
}
