/* Tests options from the command line and from a configuration file, on one rank. */
#include "core/memory.h"
#include "harness/harness.h"

#include "cli/options/config.h"
#include "comm/comm.h"
#include "core/status.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static gemp_context *context;
static size_t own_blocks; /* blocks of memory that the context keeps */

static const gemp_command match = {
	.name = "match", .bit = GEMP_ON_MATCH, .arguments = "G QUERY", .argument_count = { 1, 2 }
};
static const gemp_command import = { .name = "import", .bit = GEMP_ON_IMPORT, .arguments = "-o G" };
static const gemp_command generate = {
	.name = "generate", .bit = GEMP_ON_GENERATE, .arguments = "KIND", .argument_count = { 1, 1 }
};
static const gemp_command *const commands[] = { &match, &import, &generate };
static const gemp_command_table table = { 3, commands };

enum { MOST_WORDS = 64 };

/* Parses a command line whose words are separated by blanks. */
static gemp_code parse(gemp_options **out, const gemp_command *command, const char *line)
{
	char copy[1024], *words[MOST_WORDS + 1] = { "gemp-mpi" }, *rest = copy, *word;
	int count = 1;
	snprintf(copy, sizeof copy, "%s", line);
	while ((word = strsep(&rest, " ")))
		if (*word)
			words[count++] = word;
	*out = NULL;
	gemp_code code = gemp_options_parse(out, &table, command, count, words);
	if (code == GEMP_OK)
		code = gemp_config_apply(*out, context);
	if (code != GEMP_OK) {
		gemp_options_free(*out);
		*out = NULL;
	}
	return code;
}

static void refused(const gemp_command *command, const char *line, const char *message)
{
	gemp_options *options;
	assert_code(parse(&options, command, line), GEMP_EUSAGE);
	assert_message(message);
	assert_null(options);
	assert_int_equal(gemp_memory_blocks(), own_blocks);
}

static void defaults(void **state)
{
	(void)state;
	gemp_options *options;
	assert_ok(parse(&options, &match, "g.h5"));
	assert_int_equal(options->semantics, 0);
	assert_int_equal(options->replicate, -1);
	assert_true(options->limit == UINT64_MAX);
	assert_string_equal(options->query_labels, "L%d");
	assert_string_equal(options->devices, "auto");
	assert_false(options->count);
	assert_false(gemp_options_has(options, "semantics"));
	gemp_options_free(options);
	assert_ok(parse(&options, &import, ""));
	assert_int_equal(options->relabel_seed, 1);
	assert_string_equal(options->default_type, "E");
	gemp_options_free(options);
	assert_int_equal(gemp_memory_blocks(), own_blocks);
}

static void values(void **state)
{
	(void)state;
	gemp_options *options;
	assert_ok(parse(&options, &match,
	                "g.h5 -c --semantics hom --replicate 64K q --row-cache=2G --limit 0 "
	                "--launch-factor 0.5 --distinct=none --result-buffer 5 -v --semantics edge-iso"));
	assert_true(options->count && options->verbose && !options->quiet);
	assert_int_equal(options->semantics, 1);
	assert_int_equal(options->distinct, 3);
	assert_int_equal(options->replicate, 65536);
	assert_true(options->row_cache == UINT64_C(2) << 30);
	assert_true(options->limit == 0);
	assert_true(options->launch_factor == 0.5);
	assert_int_equal(options->result_buffer, 5);
	assert_int_equal(options->argument_count, 2);
	assert_string_equal(options->arguments[1], "q");
	assert_true(gemp_options_has(options, "limit"));
	gemp_options_free(options);
	assert_ok(parse(&options, &match, "g --replicate none"));
	assert_int_equal(options->replicate, 0);
	gemp_options_free(options);
	assert_ok(parse(&options, &match, "g --replicate all"));
	assert_int_equal(options->replicate, -2);
	gemp_options_free(options);
	assert_ok(parse(&options, &import, "--edges a --edges b --undirected --vertices c"));
	assert_int_equal(options->edge_files.count, 2);
	assert_string_equal(options->edge_files.items[1], "b");
	assert_int_equal(options->vertex_files.count, 1);
	gemp_options_free(options);
	assert_int_equal(gemp_memory_blocks(), own_blocks);
}

static void errors(void **state)
{
	(void)state;
	refused(&match, "g --semantic hom", "did you mean --semantics?");
	refused(&match, "g --semantic=hom", "did you mean --semantics?");
	refused(&match, "g --zzzzzzz", "match has no option --zzzzzzz (");
	refused(&match, "g -z", "no option -z");
	refused(&match, "g --undirected", "it belongs to import");
	refused(&import, "--config", "--config: missing argument");
	refused(&import, "--undirected=1", "--undirected");
	refused(&match, "g --count=yes", "--count");
	refused(&match, "g --semantics homo", "--semantics: 'homo' is not one of these words: iso|edge-iso|hom|induced");
	refused(&match, "g --replicate 12Q", "--replicate: '12Q'");
	refused(&match, "g --replicate SIZE", "--replicate: 'SIZE'");
	refused(&match, "g --row-cache 12Q", "64K, 512MiB");
	refused(&match, "g --limit -1", "--limit: '-1' is not a whole number");
	refused(&match, "g --result-buffer 0",
	        "--result-buffer: '0' is not a whole number up to 18446744073709551615, more than 0");
	refused(&match, "g --launch-factor x", "--launch-factor: 'x' is not a number");
	refused(&match, "", "match needs G QUERY");
	refused(&match, "a b c", "match accepts no argument 'c'");
	refused(&import, "match", "a command comes first: gemp-mpi match");
}

/* Parses the command line after a configuration file with this text. */
static gemp_code configured(gemp_options **out, const gemp_command *command, const char *text, const char *line)
{
	char all[1024];
	snprintf(all, sizeof all, "--config %s %s", test_file("run.conf", text), line);
	return parse(out, command, all);
}

static void refused_in_file(const char *text, const char *message)
{
	gemp_options *options;
	assert_code(configured(&options, &match, text, "g"), GEMP_EUSAGE);
	assert_message(message);
	assert_int_equal(gemp_memory_blocks(), own_blocks);
}

static void configuration(void **state)
{
	(void)state;
	gemp_options *options;
	assert_ok(configured(&options, &match,
	                     "# a run\n\n  semantics =  hom # not iso\nreplicate=2M\r\ncount = true\n"
	                     "verbose = false\n--outbox = 3\nquery-labels = L#%d",
	                     "--semantics induced g"));
	assert_int_equal(options->semantics, 3);
	assert_int_equal(options->replicate, 2 << 20);
	assert_true(options->count);
	assert_false(options->verbose);
	assert_int_equal(options->outbox, 3);
	assert_string_equal(options->query_labels, "L#%d");
	gemp_options_free(options);
	assert_ok(configured(&options, &import, "edges = a\nedges = b\nvertices = /v\n", "--edges c"));
	assert_int_equal(options->edge_files.count, 1);
	assert_string_equal(options->edge_files.items[0], "c");
	assert_string_equal(options->vertex_files.items[0], "/v");
	gemp_options_free(options);
	assert_ok(configured(&options, &match, "", "g"));
	gemp_options_free(options);
	assert_int_equal(gemp_memory_blocks(), own_blocks);
}

/* Returns whether `text` is the folder of test_file followed by `name`. */
static bool is_beside(const char *text, const char *name)
{
	char config[1024];
	snprintf(config, sizeof config, "%s", test_file("run.conf", ""));
	size_t folder = (size_t)(strrchr(config, '/') + 1 - config);
	return strncmp(text, config, folder) == 0 && strcmp(text + folder, name) == 0;
}

/* Files that are read lie beside the configuration. Other paths and texts stay as they are. */
static void paths_in_configuration(void **state)
{
	(void)state;
	gemp_options *options;
	assert_ok(configured(&options, &match,
	                     "query-file = q.cypher\noutput = rows.tsv\njson = ../r.json\nparam = file=x\n", "g"));
	assert_true(is_beside(options->query_file, "q.cypher"));
	assert_string_equal(options->output, "rows.tsv");
	assert_string_equal(options->json, "../r.json");
	assert_string_equal(options->parameters.items[0], "file=x");
	gemp_options_free(options);
	assert_ok(configured(&options, &match, "query-graph = ../q.graph\n", "g"));
	assert_true(is_beside(options->query_graph, "../q.graph"));
	gemp_options_free(options);
	assert_ok(configured(&options, &import, "edges = /a/b\nedges = c/d\nvertices = -\nmetamodel = m.ecore\n", ""));
	assert_string_equal(options->edge_files.items[0], "/a/b");
	assert_true(is_beside(options->edge_files.items[1], "c/d"));
	assert_string_equal(options->vertex_files.items[0], "-");
	assert_true(is_beside(options->metamodel, "m.ecore"));
	gemp_options_free(options);
	assert_ok(configured(&options, &match, "query-file = q.cypher\n", "g --query-file mine"));
	assert_string_equal(options->query_file, "mine");
	gemp_options_free(options);
	assert_int_equal(gemp_memory_blocks(), own_blocks);
}

static void bad_configuration(void **state)
{
	(void)state;
	gemp_options *options;
	refused_in_file("semantics = hom\n\nsemantic = iso\n",
	                "run.conf:3: match has no option semantic; did you mean semantics?");
	refused_in_file("undirected = true\n", "run.conf:1: match has no option undirected; it belongs to import");
	refused_in_file("semantics\n", "run.conf:1: expected `long-option = value`, found 'semantics'");
	refused_in_file("semantics =\n", "found no value");
	refused_in_file("= iso\n", "found no name");
	refused_in_file("\nrow-cache = 12Q\n", "run.conf:2: row-cache: '12Q'");
	refused_in_file("count = yes\n", "run.conf:1: count: 'yes' is not true or false");
	refused_in_file("config = other\n", "cannot name another one");
	assert_code(parse(&options, &match, "g --config /nowhere/run.conf"), GEMP_ENOINPUT);
	assert_message("--config /nowhere/run.conf: No such file");
	assert_int_equal(gemp_memory_blocks(), own_blocks);
}

static void generator_parameters(void **state)
{
	(void)state;
	gemp_options *options;
	assert_ok(configured(&options, &generate, "films = 10\n", "movies --people 20 --seed 3 -o g.h5"));
	assert_int_equal(options->seed, 3);
	assert_true(gemp_options_has(options, "films") && gemp_options_has(options, "people"));
	gemp_options_free(options);
	refused(&generate, "movies --filmz 3", "did you mean --films?");
}

/* The options of a command have distinct names and letters, and their defaults parse. */
static void table_is_sound(void **state)
{
	(void)state;
	size_t count;
	const gemp_option *option = gemp_option_table(&count);
	for (size_t i = 0; i < count; i++) {
		assert_true(option[i].commands && option[i].help && option[i].group);
		assert_true(!option[i].input || strcmp(option[i].value, "FILE") == 0);
		if (option[i].value && strcmp(option[i].value, "FILE") == 0 && strcmp(option[i].group, "Output") != 0)
			assert_true(option[i].input || strcmp(option[i].name, "config") == 0);
		assert_true(option[i].kind == GEMP_OPTION_FLAG ? !option[i].value : option[i].value != NULL);
		for (size_t j = 0; j < i; j++)
			if (option[i].commands & option[j].commands) {
				assert_string_not_equal(option[i].name, option[j].name);
				assert_false(option[i].letter && option[i].letter == option[j].letter);
			}
	}
}

static gemp_code parse_and_free(void *argument)
{
	gemp_options *options;
	gemp_code code = parse(&options, &match, argument);
	gemp_options_free(options);
	return code;
}

static void no_memory(void **state)
{
	(void)state;
	char line[1024];
	snprintf(line, sizeof line, "--config %s g --count --semantics hom",
	         test_file("run.conf", "replicate = 3M\nlimit = 4\nquery-file = q\n"));
	assert_survives_no_memory(parse_and_free, line);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(values),
		cmocka_unit_test(errors),
		cmocka_unit_test(configuration),
		cmocka_unit_test(paths_in_configuration),
		cmocka_unit_test(bad_configuration),
		cmocka_unit_test(generator_parameters),
		cmocka_unit_test(table_is_sound),
		cmocka_unit_test(no_memory),
	};
	MPI_Init(&argc, &argv);
	if (gemp_context_open(&context, MPI_COMM_WORLD, NULL) != GEMP_OK)
		return 1;
	own_blocks = gemp_memory_blocks();
	int failed = test_main(tests);
	gemp_context_close(context);
	MPI_Finalize();
	return failed;
}
