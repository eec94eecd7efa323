/* People act in films, films have genres. Sizes of casts follow Zipf's law, and so does how often a person is cast
 * (with Mandelbrot's shift, so that the busiest act in dozens of films and not in hundreds). Ids: films, then people,
 * then genres. A film's stream draws its whole row: attributes, genres, cast. */
#include "io/generate_parts.h"

#include "core/random.h"
#include "io/generate_names.h"

#include <string.h>

enum { FILMS, PEOPLE, CAST };
enum { NAME, YEAR, RATING, BORN };
enum { MOST_CAST = 1000, MOST_GENRES = 3, SHIFT = 64 };

static const gemp_parameter parameters[] = {
	[FILMS] = { "films", 5000, 0, 1e9, true, "films", NULL },
	[PEOPLE] = { "people", 6000, 0, 1e9, true, "people who may be cast", NULL },
	[CAST] = { "cast", 15, 1, MOST_CAST, true, "largest cast", NULL },
};

static bool undirected(const double *values)
{
	(void)values;
	return false;
}

static gemp_code declare(gemp_builder *builder, const double *values)
{
	(void)values;
	static const struct { const char *name; gemp_type type; } columns[] = {
		[NAME] = { "name", GEMP_STRING },
		[YEAR] = { "year", GEMP_INTEGER },
		[RATING] = { "rating", GEMP_FLOAT },
		[BORN] = { "born", GEMP_INTEGER },
	};
	gemp_code code = GEMP_OK;
	size_t column;
	for (size_t i = 0; i < sizeof columns / sizeof *columns && code == GEMP_OK; i++)
		code = gemp_builder_vertex_column(builder, columns[i].name, columns[i].type, &column);
	return code == GEMP_OK ? gemp_builder_edge_column(builder, "role", GEMP_STRING, &column) : code;
}

static gemp_code add_vertex(const gemp_making *making, uint64_t id, const char *label)
{
	gemp_value key = { .type = GEMP_INTEGER, .integer = (int64_t)id };
	return gemp_builder_vertex(making->builder, &key, label, strlen(label), (gemp_place){ making->file, id + 1 });
}

static gemp_code set_name(const gemp_making *making, const char *name, size_t size)
{
	gemp_value value = { .type = GEMP_STRING, .string = { name, size } };
	return gemp_builder_vertex_value(making->builder, NAME, &value);
}

static gemp_code set_integer(const gemp_making *making, size_t column, uint64_t integer)
{
	gemp_value value = { .type = GEMP_INTEGER, .integer = (int64_t)integer };
	return gemp_builder_vertex_value(making->builder, column, &value);
}

/* Some names and many years of birth are not known. */
static gemp_code make_person(const gemp_making *making, uint64_t number)
{
	gemp_code code = GEMP_OK;
	char name[GEMP_NAME_SIZE];
	uint64_t state = gemp_stream_state(making->seed, GEMP_FOR_PERSON, number);
	GEMP_TRY(add_vertex(making, (uint64_t)making->values[FILMS] + number, "Person"));
	size_t size = gemp_draw_person(name, &state);
	if (gemp_random_below(&state, 50) != 0)
		GEMP_TRY(set_name(making, name, size));
	if (gemp_random_below(&state, 4) != 0)
		GEMP_TRY(set_integer(making, BORN, 1870 + gemp_random_below(&state, 130)));
done:
	return code;
}

/* The later year of two, since there are more films every year; ratings are often missing. */
static gemp_code make_film(const gemp_making *making, uint64_t film, uint64_t *state)
{
	gemp_code code = GEMP_OK;
	char title[GEMP_NAME_SIZE];
	GEMP_TRY(add_vertex(making, film, "Movie"));
	size_t size = gemp_draw_title(title, state);
	GEMP_TRY(set_name(making, title, size));
	uint64_t one = gemp_random_below(state, 124), other = gemp_random_below(state, 124);
	GEMP_TRY(set_integer(making, YEAR, 1900 + (one > other ? one : other)));
	uint64_t tenths = 10 + gemp_random_below(state, 46) + gemp_random_below(state, 46);
	gemp_value rating = { .type = GEMP_FLOAT, .real = (double)tenths / 10.0 };
	if (gemp_random_below(state, 10) != 0)
		GEMP_TRY(gemp_builder_vertex_value(making->builder, RATING, &rating));
done:
	return code;
}

/* One that is not among drawn[0..count), which takes it. */
static uint64_t draw_new(uint64_t *drawn, size_t count, uint64_t *state, uint64_t (*draw)(uint64_t *, uint64_t),
                         uint64_t n)
{
	size_t i;
	do {
		drawn[count] = draw(state, n);
		for (i = 0; drawn[i] != drawn[count]; i++)
			;
	} while (i < count);
	return drawn[count];
}

static gemp_code make_genres(const gemp_making *making, uint64_t film, uint64_t *state)
{
	gemp_code code = GEMP_OK;
	uint64_t drawn[MOST_GENRES], first = (uint64_t)making->values[FILMS] + (uint64_t)making->values[PEOPLE];
	size_t count = 1 + gemp_random_below(state, MOST_GENRES);
	for (size_t i = 0; i < count && code == GEMP_OK; i++) {
		uint64_t genre = draw_new(drawn, i, state, gemp_draw_zipf, GEMP_GENRES) - 1;
		code = gemp_make_edge(making, film, first + genre, "HAS_GENRE", film);
	}
	return code;
}

static uint64_t draw_popular(uint64_t *state, uint64_t people)
{
	uint64_t k;
	do
		k = gemp_draw_zipf(state, people + SHIFT);
	while (k <= SHIFT);
	return k - SHIFT - 1;
}

static gemp_code make_cast(const gemp_making *making, uint64_t film, uint64_t *state)
{
	gemp_code code = GEMP_OK;
	uint64_t drawn[MOST_CAST], people = (uint64_t)making->values[PEOPLE];
	uint64_t order = gemp_stream_state(making->seed, GEMP_FOR_ORDER, 0);
	uint64_t count = people ? gemp_draw_zipf(state, (uint64_t)making->values[CAST]) : 0;
	for (size_t i = 0; i < count && i < people; i++) {
		char role[GEMP_NAME_SIZE];
		uint64_t person = gemp_permute(order, people, draw_new(drawn, i, state, draw_popular, people));
		size_t size = gemp_draw_role(role, state);
		gemp_value value = { .type = GEMP_STRING, .string = { role, size } };
		GEMP_TRY(gemp_make_edge(making, (uint64_t)making->values[FILMS] + person, film, "ACTS_IN", film));
		if (gemp_random_below(state, 8) != 0)
			GEMP_TRY(gemp_builder_edge_value(making->builder, 0, &value));
	}
done:
	return code;
}

static gemp_code make_genre_vertices(const gemp_making *making)
{
	gemp_code code = GEMP_OK;
	uint64_t first = (uint64_t)making->values[FILMS] + (uint64_t)making->values[PEOPLE];
	gemp_span genres = gemp_making_share(making, GEMP_GENRES);
	for (uint64_t i = genres.begin; i < genres.end; i++) {
		GEMP_TRY(add_vertex(making, first + i, "Genre"));
		GEMP_TRY(set_name(making, gemp_genres[i], strlen(gemp_genres[i])));
	}
done:
	return code;
}

static gemp_code make(const gemp_making *making)
{
	gemp_code code = GEMP_OK;
	gemp_span films = gemp_making_share(making, (uint64_t)making->values[FILMS]);
	gemp_span people = gemp_making_share(making, (uint64_t)making->values[PEOPLE]);
	for (uint64_t film = films.begin; film < films.end; film++) {
		uint64_t state = gemp_stream_state(making->seed, GEMP_FOR_FILM, film);
		GEMP_TRY(make_film(making, film, &state));
		GEMP_TRY(make_genres(making, film, &state));
		GEMP_TRY(make_cast(making, film, &state));
	}
	for (uint64_t number = people.begin; number < people.end; number++)
		GEMP_TRY(make_person(making, number));
	GEMP_TRY(make_genre_vertices(making));
done:
	return code;
}

const gemp_generator_entry gemp_generator_movies = {
	.generator = { "movies", "people, films and genres, with names, years and ratings",
	               sizeof parameters / sizeof *parameters, parameters },
	.undirected = undirected,
	.declare = declare,
	.make = make,
};
