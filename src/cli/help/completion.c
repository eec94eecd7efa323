/* `completion bash`: a completion script made of the tables of commands and options. */

#include "cli/help/help.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

/* A list for compgen -W: names of commands, or of a command's options. */
static void option_names(gemp_text *out, const gemp_command *command)
{
	size_t count;
	const gemp_option *table = gemp_option_table(&count);
	for (size_t i = 0; i < count; i++)
		if (table[i].commands & command->bit)
			gemp_text_print(out, " --%s", table[i].name);
}

/* A case branch for each option whose values are words. */
static void option_words(gemp_text *out)
{
	size_t count, size;
	const gemp_option *table = gemp_option_table(&count);
	for (size_t i = 0; i < count; i++) {
		if (table[i].kind != GEMP_OPTION_CHOICE && table[i].kind != GEMP_OPTION_SIZE_OR_WORD)
			continue;
		const char *word;
		gemp_text_print(out, "\t--%s) words='", table[i].name);
		for (size_t w = 0; (word = gemp_option_word(table[i].value, w, &size)); w++)
			gemp_text_print(out, "%s%.*s", w ? " " : "", (int)size, word);
		gemp_text_print(out, "' ;;\n");
	}
}

void gemp_help_bash(gemp_text *out, const gemp_command_table *table)
{
	size_t generators;
	const gemp_generator *generator = gemp_generators(&generators);
	gemp_text_print(out, "# bash completion of gemp-mpi: . <(gemp-mpi completion bash)\n"
	                     "_gemp_mpi() {\n"
	                     "\tlocal i command= words=\n"
	                     "\tlocal current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
	                     "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	                     "\t\t[[ -n $command || ${COMP_WORDS[i]} == -* ]] || command=${COMP_WORDS[i]}\n"
	                     "\tdone\n"
	                     "\tcase $previous in\n");
	option_words(out);
	gemp_text_print(out, "\tgenerate) words='");
	for (size_t g = 0; g < generators; g++)
		gemp_text_print(out, "%s%s", g ? " " : "", generator[g].name);
	gemp_text_print(out, "' ;;\n\tesac\n\tif [ -z \"$words\" ]; then case $command in\n");
	for (size_t i = 1; i < table->count; i++) {
		gemp_text_print(out, "\t%s) words='", table->commands[i]->name);
		option_names(out, table->commands[i]);
		gemp_text_print(out, "' ;;\n");
	}
	gemp_text_print(out, "\t*) words='");
	for (size_t i = 0; i < table->count; i++)
		gemp_text_print(out, "%s ", table->commands[i]->name);
	option_names(out, table->commands[0]);
	gemp_text_print(out, "' ;;\n\tesac; [[ $current == -* || -z $command ]] || words=; fi\n"
	                     "\tif [ -n \"$words\" ]; then COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
	                     "\telse COMPREPLY=($(compgen -f -- \"$current\")); fi\n"
	                     "}\n"
	                     "complete -o filenames -F _gemp_mpi gemp-mpi\n");
}

static gemp_code completion(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	(void)report;
	if (strcmp(options->arguments[0], "bash") != 0)
		return gemp_fail(GEMP_EUSAGE, "completion for '%s' is not available; use bash", options->arguments[0]);
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	gemp_help_bash(&text, options->table);
	return gemp_help_print(context, &text);
}

const gemp_command gemp_command_completion = {
	.name = "completion",
	.bit = GEMP_ON_COMPLETION,
	.arguments = "bash",
	.summary = "Prints a script that lets the shell complete commands and options",
	.text = "",
	.examples = ". <(gemp-mpi completion bash)\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = completion,
	.plain = true,
};
