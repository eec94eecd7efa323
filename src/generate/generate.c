/* A generator is an entry of a table, and its options are named parameters. All threads of all ranks make parts of the
 * graph, each from numbers and a seed alone; the first failure is reported. A random stream depends on its purpose and
 * not on the rank that draws from it. */

#include "generate/generate.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/text.h"
#include "core/threads.h"
#include "partition/build/builder.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t gemp_generator_stream_state(uint64_t seed, gemp_generator_stream purpose)
{
	return gemp_mix(gemp_mix(seed) + (uint64_t)purpose);
}

uint64_t gemp_generator_state(uint64_t seed, gemp_generator_stream purpose, uint64_t number)
{
	return gemp_mix(gemp_generator_stream_state(seed, purpose) + number);
}

/* Draws an octave and then a number within it, so that probabilities are about proportional to 1 / k, without a
 * table. */
uint64_t gemp_generator_zipf(uint64_t *state, uint64_t n)
{
	uint64_t octaves = 64 - (uint64_t)__builtin_clzll(n), k;
	do {
		uint64_t first = UINT64_C(1) << gemp_random_below(state, octaves);
		k = first + gemp_random_below(state, first);
	} while (k > n);
	return k;
}

/* Each rank has a block of all numbers, and each part has a block of its rank's block. */
gemp_block_range gemp_generator_range(const gemp_generator_run *making, uint64_t count)
{
	gemp_block_range all = gemp_comm_block(making->comm, count);
	uint64_t each = (all.end - all.begin) / making->parts, more = (all.end - all.begin) % making->parts;
	uint64_t part = making->part, begin = all.begin + part * each + gemp_min(part, more);
	return (gemp_block_range){ begin, begin + each + (part < more) };
}

static gemp_value integer_value(int64_t integer)
{
	return (gemp_value){ .type = GEMP_INTEGER, .integer = integer };
}

gemp_code gemp_generator_vertex(const gemp_generator_run *making, uint64_t id, const char *label)
{
	const gemp_value key = integer_value((int64_t)id);
	return gemp_builder_vertex(making->builder, &key, label, strlen(label), (gemp_place){ making->file, id + 1 });
}

gemp_code gemp_generator_set_text(const gemp_generator_run *making, size_t column, const char *text)
{
	const gemp_value value = { .type = GEMP_STRING, .string = { text, strlen(text) } };
	return gemp_builder_vertex_value(making->builder, column, &value);
}

gemp_code gemp_generator_set_integer(const gemp_generator_run *making, size_t column, int64_t value)
{
	const gemp_value integer = integer_value(value);
	return gemp_builder_vertex_value(making->builder, column, &integer);
}

/* A label depends on a hash of the id, and thus not on the number of ranks. */
gemp_code gemp_generator_vertices(const gemp_generator_run *making, uint64_t count, uint64_t labels)
{
	const gemp_block_range span = gemp_generator_range(making, count);
	for (uint64_t id = span.begin; id < span.end; id++) {
		char label[24] = "";
		if (labels)
			snprintf(label, sizeof label, "L%" PRIu64, gemp_mix(id + UINT64_C(0x9e3779b97f4a7c15)) % labels);
		GEMP_TRY(gemp_generator_vertex(making, id, label));
	}
	return GEMP_OK;
}

gemp_code gemp_generator_edge(const gemp_generator_run *making, uint64_t source, uint64_t target, const char *type,
                              uint64_t number)
{
	const gemp_value from = integer_value((int64_t)source), to = integer_value((int64_t)target);
	return gemp_builder_edge(making->builder, &from, &to, type, strlen(type), (gemp_place){ making->file, number + 1 });
}

/* The ends identify the stream, so parallel edges have the same weight. */
gemp_code gemp_generator_weight(const gemp_generator_run *making, uint64_t source, uint64_t target, double max)
{
	if (max == 0)
		return GEMP_OK;
	uint64_t state = gemp_generator_state(making->seed, GEMP_FOR_WEIGHT, source << 32 | target);
	const gemp_value weight = integer_value(1 + (int64_t)gemp_random_below(&state, (uint64_t)max));
	return gemp_builder_edge_value(making->builder, 0, &weight);
}

/* Edges without weights are added together. A weight belongs to the last added edge. */
gemp_code gemp_generator_edges(const gemp_generator_run *making, const int64_t *ends, size_t count, uint64_t number,
                               double weights)
{
	if (weights == 0)
		return gemp_builder_integer_edges(making->builder, ends, count, "E", 1,
		                                  (gemp_place){ making->file, number + 1 }, false);
	for (size_t i = 0; i < count; i++) {
		GEMP_TRY(gemp_generator_edge(making, (uint64_t)ends[2 * i], (uint64_t)ends[2 * i + 1], "E", number));
		GEMP_TRY(gemp_generator_weight(making, (uint64_t)ends[2 * i], (uint64_t)ends[2 * i + 1], weights));
	}
	return GEMP_OK;
}

/* THE TABLE */

static const gemp_generator_entry *const entries[] = {
	&gemp_generator_rmat,         &gemp_generator_uniform,  &gemp_generator_movies,   &gemp_generator_railway,
	&gemp_generator_translations, &gemp_generator_eulerian, &gemp_generator_debruijn,
};
enum { ENTRIES = sizeof entries / sizeof *entries };

/* Copies the descriptions of the table to one list. */
const gemp_generator *gemp_generators(size_t *count)
{
	static gemp_generator list[ENTRIES];
	for (size_t i = 0; i < ENTRIES; i++)
		list[i] = entries[i]->generator;
	*count = ENTRIES;
	return list;
}

/* Sets all parameters to their defaults. */
gemp_code gemp_generate_init(gemp_generate_options *options, const char *generator)
{
	const char *names[ENTRIES];
	for (size_t i = 0; i < ENTRIES; i++) {
		const gemp_generator *known = &entries[i]->generator;
		names[i] = known->name;
		if (strcmp(known->name, generator) != 0)
			continue;
		*options = (gemp_generate_options){ .generator = i, .seed = 1 };
		for (size_t p = 0; p < known->parameter_count; p++)
			options->values[p] = known->parameters[p].value;
		return GEMP_OK;
	}
	const char *near = gemp_text_nearest(generator, names, ENTRIES);
	return gemp_fail(
		GEMP_EUSAGE,
		"there is no generator '%s'%s%s; there are rmat, uniform, movies, railway, translations, eulerian and "
		"debruijn",
		generator, near ? "; did you mean " : "", near ? near : "");
}

/* The form in the help: N is a whole number, X is any number. */
void gemp_parameter_form(char *out, size_t size, const gemp_parameter *parameter)
{
	size_t at = 0;
	if (!parameter->words)
		snprintf(out, size, parameter->whole ? "N" : "X");
	for (size_t i = 0; parameter->words && parameter->words[i] && at < size; i++)
		at += (size_t)snprintf(out + at, size - at, "%s%s", i ? "|" : "", parameter->words[i]);
}

/* If a parameter has words, its default is printed as a word. */
void gemp_parameter_default(char *out, size_t size, const gemp_parameter *parameter)
{
	if (parameter->words)
		snprintf(out, size, "%s", parameter->words[(size_t)parameter->value]);
	else
		snprintf(out, size, "%.10g", parameter->value);
}

/* *out becomes the number of the word. */
static gemp_code read_word(double *out, const gemp_generator *generator, const gemp_parameter *parameter,
                           const char *text)
{
	char words[64];
	for (size_t i = 0; parameter->words[i]; i++)
		if (strcmp(parameter->words[i], text) == 0) {
			*out = (double)i;
			return GEMP_OK;
		}
	gemp_parameter_form(words, sizeof words, parameter);
	return gemp_fail(GEMP_EUSAGE, "generate %s: --%s '%s' is not one of these words: %s", generator->name,
	                 parameter->name, text, words);
}

/* *out becomes the value. The value must be within the limits of the parameter. */
static gemp_code read_value(double *out, const gemp_generator *generator, const gemp_parameter *parameter,
                            const char *text)
{
	char *end;
	if (parameter->words)
		return read_word(out, generator, parameter, text);
	double value = strtod(text, &end);
	if (end == text || *end || isnan(value))
		return gemp_fail(GEMP_EUSAGE, "generate %s: --%s '%s' is not a number", generator->name, parameter->name, text);
	if (parameter->whole && value != floor(value))
		return gemp_fail(GEMP_EUSAGE, "generate %s: --%s %s is not a whole number", generator->name, parameter->name,
		                 text);
	if (value < parameter->min || value > parameter->max)
		return gemp_fail(GEMP_EUSAGE, "generate %s: --%s %s is not between %.17g and %.17g", generator->name,
		                 parameter->name, text, parameter->min, parameter->max);
	*out = value;
	return GEMP_OK;
}

/* The message suggests a similar name, since most unknown parameters are misspelt. */
gemp_code gemp_generate_set(gemp_generate_options *options, const char *parameter, const char *value)
{
	const gemp_generator *generator = &entries[options->generator]->generator;
	const char *names[GEMP_MAX_PARAMETERS];
	for (size_t i = 0; i < generator->parameter_count; i++) {
		names[i] = generator->parameters[i].name;
		if (strcmp(names[i], parameter) == 0)
			return read_value(&options->values[i], generator, &generator->parameters[i], value);
	}
	const char *near = gemp_text_nearest(parameter, names, generator->parameter_count);
	return gemp_fail(GEMP_EUSAGE, "generate %s has no --%s%s%s; see generate --help", generator->name, parameter,
	                 near ? "; did you mean --" : "", near ? near : "");
}

/* RUNS */

enum { PARTS_OF_THREAD = 4 };

/* A part of the graph and its result. */
typedef struct maker {
	const gemp_generator_entry *entry;
	gemp_generator_run making;
	gemp_code code;
	char message[GEMP_MESSAGE_SIZE];
} maker;

/* Copies the message, which belongs to the thread, for the caller. */
static void run_maker(void *makers, unsigned thread, size_t number)
{
	(void)thread;
	maker *own = (maker *)makers + number;
	own->code = own->entry->make(&own->making);
	if (own->code != GEMP_OK)
		memcpy(own->message, gemp_message(), strlen(gemp_message()) + 1);
}

/* The first maker uses the builder itself, and the other makers use branches of it. */
static gemp_code run_makers(maker *makers, unsigned parts)
{
	gemp_code code = GEMP_OK;
	for (unsigned p = 0; p < parts; p++) {
		makers[p] = makers[0];
		makers[p].making.part = p;
		if (p)
			makers[p].making.builder = NULL;
	}
	for (unsigned p = 1; p < parts; p++)
		GEMP_TRY_DONE(gemp_builder_branch(&makers[p].making.builder, makers[0].making.builder));
	gemp_parallel_for(parts, run_maker, makers);
	for (unsigned p = 0; p < parts; p++)
		if (makers[p].code != GEMP_OK)
			GEMP_TRY_DONE(gemp_fail(makers[p].code, "%s", makers[p].message));
	for (unsigned p = 1; p < parts; p++) {
		gemp_builder *branch = makers[p].making.builder;
		makers[p].making.builder = NULL;
		GEMP_TRY_DONE(gemp_builder_join(branch));
	}
done:
	for (unsigned p = 1; p < parts; p++)
		gemp_builder_free(makers[p].making.builder);
	return code;
}

/* Local. Declares the columns before the builder is branched for the parts. */
static gemp_code make_parts(const gemp_generator_entry *entry, const gemp_generator_run *making)
{
	GEMP_OWNED maker *makers = NULL;
	/* a thread that is faster than the others takes more parts */
	unsigned parts = gemp_threads() > 1 ? PARTS_OF_THREAD * gemp_threads() : 1;
	GEMP_TRY(GEMP_NEW(makers, parts));
	makers[0] = (maker){ .entry = entry, .making = *making };
	makers[0].making.parts = parts;
	GEMP_TRY(gemp_builder_file(making->builder, entry->generator.name, &makers[0].making.file));
	size_t column;
	if (entry->declare)
		GEMP_TRY(entry->declare(making->builder));
	if (entry->weights && making->values[entry->weights - 1] > 0)
		GEMP_TRY(gemp_builder_edge_column(making->builder, "weight", GEMP_INTEGER, &column));
	return run_makers(makers, parts);
}

/* Checks that the values fit together before any rank makes a vertex. */
gemp_code gemp_generate(gemp_shard **out, const gemp_comm *comm, const gemp_generate_options *options)
{
	const gemp_generator_entry *entry = entries[options->generator];
	gemp_generator_run making = { .comm = comm, .values = options->values, .seed = options->seed };
	GEMP_OWNED_BY(gemp_builder_free_at) gemp_builder *builder = NULL;
	const gemp_builder_options built = {
		.seed = options->relabel_seed ? options->relabel_seed : 1,
		.ordered_keys = entry->random_keys && !options->relabel_seed ? entry->random_keys(options->values) : 0,
		.merge_parallel = entry->merge_parallel,
		.undirected = entry->undirected || (entry->directed && options->values[entry->directed - 1] == 0),
		.string_keys = entry->string_keys && entry->string_keys(options->values),
		.merged_rows = options->merged_rows,
		.steps = options->steps,
	};
	if (entry->check)
		GEMP_TRY(entry->check(options->values));
	GEMP_TRY(gemp_builder_new(&builder, comm, &built));
	making.builder = builder;
	gemp_step_times_next(options->steps, "make");
	GEMP_TRY(gemp_comm_agree(comm, make_parts(entry, &making)));
	return gemp_builder_finish(builder, out);
}
