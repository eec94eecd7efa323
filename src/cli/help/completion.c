/* completion: prints a bash script that completes commands, options, and the values of options that have choices. */

#include "cli/help/help.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

/* The names of the options of a command, for compgen -W. */
static void print_option_names(gemp_text *out, const gemp_command *command)
{
	const gemp_option *option;
	for (size_t i = 0; (option = gemp_option_next(command, &i));)
		gemp_text_print(out, " --%s", option->name);
}

/* A case branch for each option that has choices. */
static void print_choices(gemp_text *out)
{
	size_t size;
	const gemp_option *option;
	for (size_t i = 0; (option = gemp_option_next(NULL, &i));) {
		if (option->kind != GEMP_OPTION_CHOICE && option->kind != GEMP_OPTION_SIZE_OR_WORD)
			continue;
		const char *word;
		gemp_text_print(out, "\t--%s) words='", option->name);
		for (size_t w = 0; (word = gemp_word_at(option->value, w, &size)); w++)
			gemp_text_print(out, "%s%.*s", w ? " " : "", (int)size, word);
		gemp_text_print(out, "' ;;\n");
	}
}

/* The function that bash calls. The choices of the option before the cursor come first, then the options of the
 * command, and files where nothing else fits. */
static void print_bash_script(gemp_text *out, const gemp_command_table *table)
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
	print_choices(out);
	gemp_text_print(out, "\tgenerate) words='");
	for (size_t g = 0; g < generators; g++)
		gemp_text_print(out, "%s%s", g ? " " : "", generator[g].name);
	gemp_text_print(out, "' ;;\n\tesac\n\tif [ -z \"$words\" ]; then case $command in\n");
	for (size_t i = 1; i < table->count; i++) {
		gemp_text_print(out, "\t%s) words='", table->commands[i]->name);
		print_option_names(out, table->commands[i]);
		gemp_text_print(out, "' ;;\n");
	}
	gemp_text_print(out, "\t*) words='");
	for (size_t i = 0; i < table->count; i++)
		gemp_text_print(out, "%s ", table->commands[i]->name);
	print_option_names(out, table->commands[0]);
	gemp_text_print(out, "' ;;\n\tesac; [[ $current == -* || -z $command ]] || words=; fi\n"
	                     "\tif [ -n \"$words\" ]; then COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
	                     "\telse COMPREPLY=($(compgen -f -- \"$current\")); fi\n"
	                     "}\n"
	                     "complete -o filenames -F _gemp_mpi gemp-mpi\n");
}

/* Other shells would need a script of their own. */
static gemp_code completion(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	(void)report;
	if (strcmp(options->arguments[0], "bash") != 0)
		return gemp_fail(GEMP_EUSAGE, "there is no completion for '%s'; there is one for bash", options->arguments[0]);
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	print_bash_script(&text, options->table);
	return gemp_help_print(context, &text);
}

const gemp_command gemp_command_completion = {
	.name = "completion",
	.bit = GEMP_ON_COMPLETION,
	.arguments = "bash",
	.summary = "Prints a script that lets the shell complete commands and options",
	.text = "",
	.examples = ". <(gemp-mpi completion bash)\n",
	.argument_count = { 1, 1 },
	.run = completion,
	.plain = true,
};
