/* option: finds options and the words of their choices by name. */

#include "cli/options/option.h"

#include <string.h>

/* The table has about 150 entries, so a linear search is fast enough. */
const gemp_option *gemp_option_next(const gemp_command *command, size_t *index)
{
	size_t count;
	const gemp_option *table = gemp_option_table(&count);
	while (*index < count) {
		const gemp_option *option = &table[(*index)++];
		if (!command || option->commands & command->bit)
			return option;
	}
	return NULL;
}

/* A list of words is one string in the table, and help shows this string as the choices of an option. */
const char *gemp_word_at(const char *words, size_t index, size_t *size)
{
	for (; index && words; index--) {
		words = strchr(words, '|');
		words = words ? words + 1 : NULL;
	}
	if (words)
		*size = strcspn(words, "|");
	return words;
}

int gemp_word_index(const char *words, const char *word)
{
	size_t size;
	const char *at;
	for (size_t i = 0; (at = gemp_word_at(words, i, &size)); i++)
		if (strlen(word) == size && strncmp(at, word, size) == 0)
			return (int)i;
	return -1;
}

/* Options of different commands may have the same name, so the search needs the command. */
const gemp_option *gemp_option_find(const char *name, const gemp_command *command)
{
	const gemp_option *option;
	for (size_t i = 0; (option = gemp_option_next(command, &i));)
		if (strcmp(option->name, name) == 0)
			return option;
	return NULL;
}
