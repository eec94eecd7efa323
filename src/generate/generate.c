/* A generator is a table entry; options are its parameters by name. All threads of all ranks make their
 * parts of the graph, each from numbers and a seed alone, and the first failure is reported. */

#include "generate/generate.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/text.h"
#include "core/threads.h"
#include "partition/build/builder.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What generators share: streams of random numbers that depend on what they are drawn for and not on who
 * draws, permutations without tables, and the splitting of numbers among ranks and threads. The
 * permutation is a Feistel network with cycle walking (Black and Rogaway 2002). */

uint64_t gemp_generator_state(uint64_t seed, gemp_generator_stream purpose, uint64_t number)
{
	return gemp_mix(gemp_mix(gemp_mix(seed) + (uint64_t)purpose) + number);
}

enum { ROUNDS = 8 }; /* with 4 the walk below is visibly uneven for small n */

/* A Feistel network over the smallest even number of bits that holds n, walked until it falls below n. */
uint64_t gemp_generator_permute(uint64_t seed, uint64_t n, uint64_t x)
{
	unsigned half = 1;
	while (2 * half < 64 && (n - 1) >> (2 * half) != 0)
		half++;
	uint64_t mask = (UINT64_C(1) << half) - 1;
	do {
		uint64_t left = x >> half, right = x & mask;
		for (uint64_t round = 0; round < ROUNDS; round++) {
			uint64_t next = left ^ (gemp_mix(seed + round * UINT64_C(0x9e3779b97f4a7c15) + right) & mask);
			left = right;
			right = next;
		}
		x = left << half | right;
	} while (x >= n);
	return x;
}

/* An octave is drawn, then a number within it: chances fall about as 1 / k, as Zipf's law has it, without
 * a table. */
uint64_t gemp_generator_zipf(uint64_t *state, uint64_t n)
{
	uint64_t octaves = 64 - (uint64_t)__builtin_clzll(n), k;
	do {
		uint64_t first = UINT64_C(1) << gemp_random_below(state, octaves);
		k = first + gemp_random_below(state, first);
	} while (k > n);
	return k;
}

/* Ranks take blocks, and their threads blocks of these. */
gemp_block_range gemp_generator_range(const gemp_generator_run *making, uint64_t count)
{
	gemp_block_range all = gemp_comm_block(making->comm, count);
	uint64_t each = (all.end - all.begin) / making->threads, more = (all.end - all.begin) % making->threads;
	uint64_t thread = making->thread, begin = all.begin + thread * each + gemp_min(thread, more);
	return (gemp_block_range){ begin, begin + each + (thread < more) };
}

static gemp_value number_key(uint64_t id)
{
	return (gemp_value){ .type = GEMP_INTEGER, .integer = (int64_t)id };
}

/* Vertices without attributes have their number as key. */
gemp_code gemp_generator_vertices(const gemp_generator_run *making, uint64_t count)
{
	gemp_code code = GEMP_OK;
	gemp_block_range span = gemp_generator_range(making, count);
	for (uint64_t id = span.begin; id < span.end && code == GEMP_OK; id++) {
		gemp_value key = number_key(id);
		code = gemp_builder_vertex(making->builder, &key, "", 0, (gemp_place){ making->file, id + 1 });
	}
	return code;
}

/* Labels are spread by a hash of the id, so that they do not depend on ranks. */
gemp_code gemp_generator_labelled(const gemp_generator_run *making, uint64_t count, uint64_t labels)
{
	gemp_code code = GEMP_OK;
	gemp_block_range span = gemp_generator_range(making, count);
	for (uint64_t id = span.begin; id < span.end && code == GEMP_OK; id++) {
		char label[24];
		gemp_value key = number_key(id);
		uint64_t which = gemp_mix(id + UINT64_C(0x9e3779b97f4a7c15)) % labels;
		int size = snprintf(label, sizeof label, "L%llu", (unsigned long long)which);
		code = gemp_builder_vertex(making->builder, &key, label, (size_t)size, (gemp_place){ making->file, id + 1 });
	}
	return code;
}

/* Vertices are numbers here; the builder knows them by key. */
gemp_code gemp_generator_edge(const gemp_generator_run *making, uint64_t source, uint64_t target, const char *type,
                              uint64_t number)
{
	gemp_value from = number_key(source), to = number_key(target);
	return gemp_builder_edge(making->builder, &from, &to, type, strlen(type), (gemp_place){ making->file, number + 1 });
}

gemp_code gemp_generator_declare_weights(gemp_builder *builder, double max)
{
	size_t column;
	return max > 0 ? gemp_builder_edge_column(builder, "weight", GEMP_INTEGER, &column) : GEMP_OK;
}

/* The two ends give the stream, so that parallel edges weigh alike. */
gemp_code gemp_generator_weight(const gemp_generator_run *making, uint64_t source, uint64_t target, double max)
{
	if (max == 0)
		return GEMP_OK;
	uint64_t state = gemp_generator_state(making->seed, GEMP_FOR_WEIGHT, source << 32 | target);
	gemp_value weight = { .type = GEMP_INTEGER, .integer = 1 + (int64_t)gemp_random_below(&state, (uint64_t)max) };
	return gemp_builder_edge_value(making->builder, 0, &weight);
}

static const gemp_generator_entry *const entries[] = {
	&gemp_generator_rmat,    &gemp_generator_uniform,  &gemp_generator_movies,
	&gemp_generator_railway, &gemp_generator_eulerian, &gemp_generator_debruijn,
};
enum { ENTRIES = sizeof entries / sizeof *entries };

/* The table of entries has what help needs, copied to one list. */
const gemp_generator *gemp_generators(size_t *count)
{
	static gemp_generator list[ENTRIES];
	for (size_t i = 0; i < ENTRIES; i++)
		list[i] = entries[i]->generator;
	*count = ENTRIES;
	return list;
}

/* All parameters begin with their defaults. */
gemp_code gemp_generate_init(gemp_generate_options *options, const char *generator)
{
	const char *names[ENTRIES];
	for (size_t i = 0; i < ENTRIES; i++) {
		const gemp_generator *known = &entries[i]->generator;
		names[i] = known->name;
		if (strcmp(known->name, generator) != 0)
			continue;
		*options = (gemp_generate_options){ .generator = i, .seed = 1, .relabel_seed = 1 };
		for (size_t p = 0; p < known->parameter_count; p++)
			options->values[p] = known->parameters[p].value;
		return GEMP_OK;
	}
	const char *near = gemp_text_nearest(generator, names, ENTRIES);
	return gemp_fail(GEMP_EUSAGE,
	                 "there is no generator '%s'%s%s; there are rmat, uniform, movies, railway, eulerian and debruijn",
	                 generator, near ? "; did you mean " : "", near ? near : "");
}

/* For help: N is a whole number, X any number. */
void gemp_parameter_form(char *out, size_t size, const gemp_parameter *parameter)
{
	size_t at = 0;
	if (!parameter->words)
		snprintf(out, size, parameter->whole ? "N" : "X");
	for (size_t i = 0; parameter->words && parameter->words[i] && at < size; i++)
		at += (size_t)snprintf(out + at, size - at, "%s%s", i ? "|" : "", parameter->words[i]);
}

/* Words are shown by name, not by number. */
void gemp_parameter_default(char *out, size_t size, const gemp_parameter *parameter)
{
	if (parameter->words)
		snprintf(out, size, "%s", parameter->words[(size_t)parameter->value]);
	else
		snprintf(out, size, "%.10g", parameter->value);
}

/* The number of the word is the value. */
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

/* Limits are part of the parameter's description. */
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

/* A near name is proposed, as a misspelt option is the usual cause. */
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

/* What one thread makes, and how that went. */
typedef struct maker {
	const gemp_generator_entry *entry;
	gemp_generator_run making;
	gemp_code code;
	char message[GEMP_MESSAGE_SIZE];
} maker;

/* A message belongs to its thread: it is copied for the caller. */
static void run_maker(void *makers, unsigned thread, size_t number)
{
	(void)thread;
	maker *own = (maker *)makers + number;
	own->code = own->entry->make(&own->making);
	if (own->code != GEMP_OK)
		memcpy(own->message, gemp_message(), strlen(gemp_message()) + 1);
}

/* The first maker feeds the builder itself, the others branches of it. */
static gemp_code run_makers(maker *makers, unsigned threads)
{
	gemp_code code = GEMP_OK;
	for (unsigned t = 0; t < threads; t++) {
		makers[t] = makers[0];
		makers[t].making.thread = t;
		if (t)
			makers[t].making.builder = NULL;
	}
	for (unsigned t = 1; t < threads; t++)
		GEMP_TRY_DONE(gemp_builder_branch(&makers[t].making.builder, makers[0].making.builder));
	gemp_parallel_for(threads, run_maker, makers);
	for (unsigned t = 0; t < threads; t++)
		if (makers[t].code != GEMP_OK)
			GEMP_TRY_DONE(gemp_fail(makers[t].code, "%s", makers[t].message));
	for (unsigned t = 1; t < threads; t++) {
		gemp_builder *branch = makers[t].making.builder;
		makers[t].making.builder = NULL;
		GEMP_TRY_DONE(gemp_builder_join(branch));
	}
done:
	for (unsigned t = 1; t < threads; t++)
		gemp_builder_free(makers[t].making.builder);
	return code;
}

/* The first maker is the model for those of other threads. */
static gemp_code make_parts(const gemp_generator_entry *entry, const gemp_generator_run *making)
{
	GEMP_OWNED maker *makers = NULL;
	unsigned threads = gemp_threads();
	GEMP_TRY(GEMP_NEW(makers, threads));
	makers[0] = (maker){ .entry = entry, .making = *making };
	makers[0].making.threads = threads;
	GEMP_TRY(gemp_builder_file(making->builder, entry->generator.name, &makers[0].making.file));
	if (entry->declare)
		GEMP_TRY(entry->declare(making->builder, making->values));
	return run_makers(makers, threads);
}

/* Collective; the graph depends on options and seed, not on ranks and threads. */
gemp_code gemp_generate(gemp_shard **out, const gemp_comm *comm, const gemp_generate_options *options)
{
	gemp_code code = GEMP_OK;
	const gemp_generator_entry *entry = entries[options->generator];
	gemp_generator_run making = { .comm = comm, .values = options->values, .seed = options->seed };
	gemp_builder_options built = { .seed = options->relabel_seed,
		                           .merge_parallel = entry->merge_parallel,
		                           .steps = options->steps };
	built.undirected = entry->undirected(options->values);
	built.string_keys = entry->string_keys && entry->string_keys(options->values);
	if (entry->check)
		GEMP_TRY_DONE(entry->check(options->values));
	GEMP_TRY_DONE(gemp_builder_new(&making.builder, comm, &built));
	gemp_step_times_next(options->steps, "make");
	GEMP_TRY_DONE(gemp_comm_agree(comm, make_parts(entry, &making)));
	GEMP_TRY_DONE(gemp_builder_finish(making.builder, out));
done:
	gemp_builder_free(making.builder);
	return code;
}
