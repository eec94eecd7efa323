/* example_graphs: the generators of the movie and railway examples.
 *
 * MOVIES: people act in films, and films have genres. The sizes of casts follow Zipf's law. So does the number of roles
 * of a person, with Mandelbrot's shift: the busiest people act in dozens of films instead of hundreds. Ids belong first
 * to films, then to people, then to genres. The random stream of a film yields its attributes, its genres and its
 * cast. */

#include "generate/generate.h"
#include "generate/permutation.h"

#include "core/random.h"
#include "partition/build/builder.h"

#include <stdio.h>

const char *const gemp_movies_genres[GEMP_GENRES] = {
	"Drama",   "Comedy",  "Romance",         "Action",  "Thriller", "Crime",  "Adventure", "Horror",    "Western",
	"Mystery", "Musical", "Science Fiction", "Fantasy", "War",      "Family", "Biography", "Animation", "Documentary",
};

static const char *const first_names[] = {
	"Ada",    "Agnes",    "Alan",    "Albert",  "Alice",    "Amelie",    "Anders",   "Anna",  "Anton",   "Astrid",
	"Audrey", "Barbara",  "Ben",     "Bette",   "Björn",    "Brigitte",  "Burt",     "Carl",  "Carmen",  "Charles",
	"Chiara", "Clara",    "Daniel",  "Diego",   "Dolores",  "Edith",     "Elena",    "Emil",  "Emma",    "Errol",
	"Eva",    "Federico", "Frances", "Frank",   "François", "Fritz",     "Gene",     "Georg", "Grace",   "Greta",
	"Hannah", "Harold",   "Hedy",    "Helen",   "Henri",    "Hugo",      "Humphrey", "Ida",   "Ingrid",  "Irene",
	"Isabel", "Jack",     "James",   "Jane",    "Janet",    "Jean",      "Jens",     "Joan",  "Johanna", "John",
	"Joseph", "Juan",     "Judy",    "Julia",   "Karin",    "Katharine", "Keiko",    "Kirk",  "Lars",    "Laura",
	"Lauren", "Lena",     "Leo",     "Lillian", "Luis",     "Magda",     "Marcello", "Maria", "Marlene", "Martin",
	"Mary",   "Max",      "Mei",     "Mildred", "Nadia",    "Natalie",   "Nils",     "Olga",  "Orson",   "Oskar",
	"Paul",   "Peter",    "Pola",    "Ravi",    "Richard",  "Rita",      "Robert",   "Rosa",  "Ruth",    "Samuel",
	"Sofia",  "Spencer",  "Stan",    "Sven",    "Takashi",  "Theda",     "Toshiro",  "Vera",  "Victor",  "Vivien",
	"Walter", "Werner",   "William", "Yves",
};

static const char *const last_names[] = {
	"Abbott",     "Adler",    "Almeida",  "Andersson", "Baker",     "Barton",   "Becker",   "Bell",      "Bennett",
	"Berg",       "Bernard",  "Blake",    "Bowman",    "Brandt",    "Brooks",   "Burke",    "Campbell",  "Carter",
	"Castillo",   "Chaplin",  "Clarke",   "Colbert",   "Cooper",    "Costa",    "Crane",    "Cruz",      "Curtis",
	"Dahl",       "Dietrich", "Dubois",   "Duncan",    "Eastwood",  "Eriksen",  "Evans",    "Fairbanks", "Ferrari",
	"Fischer",    "Fleming",  "Fontaine", "Ford",      "Foster",    "Fuchs",    "Garland",  "Garcia",    "Gibson",
	"Gish",       "Gordon",   "Graham",   "Grant",     "Hagen",     "Harlow",   "Harris",   "Hayworth",  "Hepburn",
	"Hoffmann",   "Holm",     "Hopper",   "Howard",    "Hughes",    "Ivanova",  "Jackson",  "Jansen",    "Jensen",
	"Johnson",    "Kaminski", "Kapoor",   "Keaton",    "Keller",    "Kelly",    "Kowalski", "Kruger",    "Kurosawa",
	"Lake",       "Lang",     "Larsen",   "Lehmann",   "Lindqvist", "Lloyd",    "Lombard",  "Loren",     "Magnani",
	"Mancini",    "Marlowe",  "Martinez", "Mason",     "Mayer",     "McCarthy", "Mendes",   "Miller",    "Mitchell",
	"Moreau",     "Morgan",   "Müller",   "Nakamura",  "Nielsen",   "Novak",    "O'Brien",  "O'Hara",    "Oliveira",
	"Olsen",      "Parker",   "Petrov",   "Pickford",  "Poitier",   "Powell",   "Quinn",    "Rains",     "Reed",
	"Ricci",      "Rivera",   "Robinson", "Rogers",    "Rossi",     "Russell",  "Sanders",  "Sato",      "Schmidt",
	"Schneider",  "Shaw",     "Silva",    "Simmons",   "Sorensen",  "Stanwyck", "Stewart",  "Swanson",   "Tanaka",
	"Taylor",     "Tracy",    "Turner",   "Valentino", "Vidal",     "Vogel",    "Wagner",   "Walker",    "Warner",
	"Wayne",      "Weber",    "Welles",   "West",      "Wilder",    "Winters",  "Wolf",     "Wong",      "Young",
	"Zimmermann",
};

static const char *const adjectives[] = {
	"Ancient",   "Big",       "Bitter", "Black",   "Blue",       "Broken",  "Burning", "Cold",     "Crimson",
	"Crooked",   "Dangerous", "Dark",   "Distant", "Empty",      "Endless", "Fatal",   "Fearless", "Final",
	"Forbidden", "Forgotten", "Gentle", "Golden",  "Great",      "Hidden",  "Hollow",  "Last",     "Little",
	"Lonely",    "Long",      "Lost",   "Lucky",   "Midnight",   "Naked",   "Perfect", "Private",  "Quiet",
	"Red",       "Restless",  "Rising", "Sacred",  "Savage",     "Second",  "Secret",  "Silent",   "Silver",
	"Strange",   "Sweet",     "Tender", "Twisted", "Unfinished", "Velvet",  "White",   "Wicked",   "Wild",
};

static const char *const nouns[] = {
	"Affair",  "Angel",     "Autumn",   "Ballad",  "Bride",    "Bridge",  "Carnival", "Castle",   "Circus",
	"City",    "Code",      "Crossing", "Dance",   "Daughter", "Dawn",    "Desert",   "Dream",    "Empire",
	"Express", "Fire",      "Frontier", "Gambler", "Garden",   "Ghost",   "Harbour",  "Heart",    "Heist",
	"Holiday", "Horizon",   "House",    "Hunter",  "Island",   "Journey", "Kingdom",  "Letter",   "Lighthouse",
	"Machine", "Man",       "Mask",     "Melody",  "Mirror",   "Moon",    "Mountain", "Night",    "Ocean",
	"Orchid",  "Passenger", "Path",     "Piano",   "Promise",  "Prophet", "Queen",    "Rain",     "Rider",
	"River",   "Road",      "Rose",     "Sailor",  "Season",   "Shadow",  "Soldier",  "Song",     "Star",
	"Storm",   "Stranger",  "Street",   "Summer",  "Tango",    "Thief",   "Train",    "Treasure", "Valley",
	"Voyage",  "Wedding",   "Window",   "Winter",  "Witness",  "Woman",
};

static const char *const places[] = {
	"Alaska",    "Algiers",   "Arizona",   "Berlin",      "Bombay", "Brooklyn", "Buenos Aires", "Cairo",
	"Chicago",   "Havana",    "Hong Kong", "Istanbul",    "Kyoto",  "Lisbon",   "London",       "Madrid",
	"Marseille", "Mexico",    "Montana",   "Monte Carlo", "Moscow", "Paris",    "Rio",          "Rome",
	"Shanghai",  "Stockholm", "Tangier",   "the Moon",    "Tokyo",  "Venice",   "Vienna",       "Warsaw",
};

static const char *const roles[] = {
	"Bartender",   "The Boxer",   "The Butler",   "Captain",     "The Count",     "The Detective",
	"The Doctor",  "The Duchess", "The Gambler",  "Himself",     "Innkeeper",     "The Judge",
	"The Mayor",   "Narrator",    "Nurse",        "The Pilot",   "The Professor", "Reporter",
	"The Sheriff", "The Spy",     "The Stranger", "Taxi Driver", "The Teacher",   "The Widow",
};

#define DRAW(table, state) (table)[gemp_random_below((state), sizeof(table) / sizeof *(table))]

/* Names may repeat, like real names. */
size_t gemp_movies_person(char *name, uint64_t *state)
{
	const char *first = DRAW(first_names, state), *last = DRAW(last_names, state);
	return (size_t)snprintf(name, GEMP_NAME_SIZE, "%s %s", first, last);
}

/* Digits in a form stand for words: 1 adjective, 2 and 3 nouns, 4 place, 5 person. Titles may repeat, like real
 * titles. */
size_t gemp_movies_title(char *name, uint64_t *state)
{
	static const char *const forms[] = {
		"The 1 2", "1 2",       "The 2 of 4",   "2 in 4",      "The 2 and the 3",
		"5's 2",   "A 2 for 5", "2 of the 1 3", "Return to 4", "The 1 2 of 4",
	};
	const char *adjective = DRAW(adjectives, state), *one = DRAW(nouns, state), *other = DRAW(nouns, state);
	const char *place = DRAW(places, state), *person = DRAW(first_names, state), *form = DRAW(forms, state);
	const char *word[] = { adjective, one, other, place, person };
	size_t size = 0;
	for (; *form; form++) {
		bool digit = *form >= '1' && *form <= '5';
		size += (size_t)snprintf(name + size, GEMP_NAME_SIZE - size, "%.*s", digit ? -1 : 1,
		                         digit ? word[*form - '1'] : form);
	}
	return size;
}

size_t gemp_movies_role(char *name, uint64_t *state)
{
	if (gemp_random_below(state, 2) == 0)
		return gemp_movies_person(name, state);
	return (size_t)snprintf(name, GEMP_NAME_SIZE, "%s", DRAW(roles, state));
}

enum { FILMS, PEOPLE, CAST };
enum { NAME, YEAR, RATING, BORN };
enum { MAX_CAST = 1000, MAX_GENRES = 3, SHIFT = 64 };

static const gemp_parameter movie_parameters[] = {
	[FILMS] = { "films", 5000, 0, 1e9, true, "films", NULL },
	[PEOPLE] = { "people", 6000, 0, 1e9, true, "people who may be cast", NULL },
	[CAST] = { "cast", 15, 1, MAX_CAST, true, "largest cast", NULL },
};

/* Columns are declared in the order of the numbers NAME, YEAR, ... */
static gemp_code declare_movies(gemp_builder *builder)
{
	static const struct {
		const char *name;
		gemp_type type;
	} columns[] = {
		[NAME] = { "name", GEMP_STRING },
		[YEAR] = { "year", GEMP_INTEGER },
		[RATING] = { "rating", GEMP_FLOAT },
		[BORN] = { "born", GEMP_INTEGER },
	};
	size_t column;
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		GEMP_TRY(gemp_builder_vertex_column(builder, columns[i].name, columns[i].type, &column));
	return gemp_builder_edge_column(builder, "role", GEMP_STRING, &column);
}

/* Some names and many years of birth are NULL. */
static gemp_code make_person(const gemp_generator_run *making, uint64_t number)
{
	char name[GEMP_NAME_SIZE];
	uint64_t state = gemp_generator_state(making->seed, GEMP_FOR_PERSON, number);
	GEMP_TRY(gemp_generator_vertex(making, (uint64_t)making->values[FILMS] + number, "Person"));
	gemp_movies_person(name, &state);
	if (gemp_random_below(&state, 50) != 0)
		GEMP_TRY(gemp_generator_set_text(making, NAME, name));
	if (gemp_random_below(&state, 4) != 0)
		GEMP_TRY(gemp_generator_set_integer(making, BORN, 1870 + (int64_t)gemp_random_below(&state, 130)));
	return GEMP_OK;
}

/* The year is the later of two random years, since there are more films every year. Some ratings are NULL. */
static gemp_code make_film(const gemp_generator_run *making, uint64_t film, uint64_t *state)
{
	char title[GEMP_NAME_SIZE];
	GEMP_TRY(gemp_generator_vertex(making, film, "Movie"));
	gemp_movies_title(title, state);
	GEMP_TRY(gemp_generator_set_text(making, NAME, title));
	uint64_t one = gemp_random_below(state, 124), other = gemp_random_below(state, 124);
	GEMP_TRY(gemp_generator_set_integer(making, YEAR, 1900 + (int64_t)gemp_max(one, other)));
	uint64_t tenths = 10 + gemp_random_below(state, 46) + gemp_random_below(state, 46);
	gemp_value rating = { .type = GEMP_FLOAT, .real = (double)tenths / 10.0 };
	if (gemp_random_below(state, 10) != 0)
		GEMP_TRY(gemp_builder_vertex_value(making->builder, RATING, &rating));
	return GEMP_OK;
}

/* Draws a number that drawn[0..count) does not have, and appends it to drawn. */
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

/* A film has one to MAX_GENRES different genres. Popular genres are drawn more often. */
static gemp_code make_genres(const gemp_generator_run *making, uint64_t film, uint64_t *state)
{
	uint64_t drawn[MAX_GENRES], first = (uint64_t)making->values[FILMS] + (uint64_t)making->values[PEOPLE];
	size_t count = 1 + gemp_random_below(state, MAX_GENRES);
	for (size_t i = 0; i < count; i++) {
		uint64_t genre = draw_new(drawn, i, state, gemp_generator_zipf, GEMP_GENRES) - 1;
		GEMP_TRY(gemp_generator_edge(making, film, first + genre, "HAS_GENRE", film));
	}
	return GEMP_OK;
}

/* Draws from Zipf's law without its first SHIFT numbers, so that nobody acts in a large part of all films. */
static uint64_t draw_popular(uint64_t *state, uint64_t people)
{
	uint64_t k;
	do
		k = gemp_generator_zipf(state, people + SHIFT);
	while (k <= SHIFT);
	return k - SHIFT - 1;
}

/* A person acts at most once in a film; an eighth of the roles has no name. */
static gemp_code make_cast(const gemp_generator_run *making, uint64_t film, uint64_t *state)
{
	uint64_t drawn[MAX_CAST], people = (uint64_t)making->values[PEOPLE];
	uint64_t order = gemp_generator_state(making->seed, GEMP_FOR_ORDER, 0);
	uint64_t count = people ? gemp_generator_zipf(state, (uint64_t)making->values[CAST]) : 0;
	for (size_t i = 0; i < count && i < people; i++) {
		char role[GEMP_NAME_SIZE];
		uint64_t person = gemp_permute(order, people, draw_new(drawn, i, state, draw_popular, people));
		size_t size = gemp_movies_role(role, state);
		gemp_value value = { .type = GEMP_STRING, .string = { role, size } };
		GEMP_TRY(gemp_generator_edge(making, (uint64_t)making->values[FILMS] + person, film, "ACTS_IN", film));
		if (gemp_random_below(state, 8) != 0)
			GEMP_TRY(gemp_builder_edge_value(making->builder, 0, &value));
	}
	return GEMP_OK;
}

/* Genres have the ids after those of films and people. */
static gemp_code make_genre_vertices(const gemp_generator_run *making)
{
	uint64_t first = (uint64_t)making->values[FILMS] + (uint64_t)making->values[PEOPLE];
	gemp_block_range genres = gemp_generator_range(making, GEMP_GENRES);
	for (uint64_t i = genres.begin; i < genres.end; i++) {
		GEMP_TRY(gemp_generator_vertex(making, first + i, "Genre"));
		GEMP_TRY(gemp_generator_set_text(making, NAME, gemp_movies_genres[i]));
	}
	return GEMP_OK;
}

/* A film draws all its properties from a stream of its own, so films can be made in any order. */
static gemp_code make_movies(const gemp_generator_run *making)
{
	gemp_block_range films = gemp_generator_range(making, (uint64_t)making->values[FILMS]);
	gemp_block_range people = gemp_generator_range(making, (uint64_t)making->values[PEOPLE]);
	for (uint64_t film = films.begin; film < films.end; film++) {
		uint64_t state = gemp_generator_state(making->seed, GEMP_FOR_FILM, film);
		GEMP_TRY(make_film(making, film, &state));
		GEMP_TRY(make_genres(making, film, &state));
		GEMP_TRY(make_cast(making, film, &state));
	}
	for (uint64_t number = people.begin; number < people.end; number++)
		GEMP_TRY(make_person(making, number));
	return make_genre_vertices(making);
}

const gemp_generator_entry gemp_generator_movies = {
	.generator = { "movies", "people, films and genres, with names, years and ratings",
	               sizeof movie_parameters / sizeof *movie_parameters, movie_parameters },
	.declare = declare_movies,
	.make = make_movies,
};

/* RAILWAY, similar to the Train Benchmark: routes form a ring, from semaphore to semaphore. A route follows positions
 * of switches, and behind each switch is a track of segments that sensors monitor. Every possible fault of the model
 * occurs with the same probability: a wrong length, a wrong position, a missing edge, a sensor with one segment too
 * many. A route draws all its properties from a stream of its own, and has a range of ids that suffices for the largest
 * route. */

enum { ROUTES, SWITCHES, SENSORS, FAULTS };
enum { LENGTH, POSITION, SIGNAL };
enum { MAX_SWITCHES = 1000, MAX_SENSORS = 1000, SEGMENTS = 5, LONGEST = 1000 };
/* Ids relative to the first id of a route, and to the first id of a sensor's stretch of track. */
enum { ROUTE, SEMAPHORE, FIRST_SWITCH };
enum { SENSOR, FIRST_SEGMENT, STRETCH = FIRST_SEGMENT + SEGMENTS + 1 };

static const gemp_parameter railway_parameters[] = {
	[ROUTES] = { "routes", 80, 0, 1e8, true, "routes, in a ring", NULL },
	[SWITCHES] = { "switches", 16, 1, MAX_SWITCHES, true, "switches on a route, at most", NULL },
	[SENSORS] = { "sensors", 8, 1, MAX_SENSORS, true, "sensors behind a switch, at most; each watches five segments",
	              NULL },
	[FAULTS] = { "faults", 0.05, 0, 1, false, "chance of a fault, at each place where there can be one", NULL },
};

static const char *const positions[] = { "FAILURE", "STRAIGHT", "DIVERGING" };
static const char *const signals[] = { "GO", "GO", "STOP", "FAILURE" };

/* A route that is being made. */
typedef struct route {
	const gemp_generator_run *making;
	uint64_t state, first; /* state: state of the random stream; first: smallest id of the route */
	uint64_t last;         /* id of the last switch or segment of the track */
	bool begun;            /* the track has a switch or segment */
} route;

/* Declares the three attributes of the Train Benchmark's classes. */
static gemp_code declare_railway(gemp_builder *builder)
{
	size_t column;
	GEMP_TRY(gemp_builder_vertex_column(builder, "length", GEMP_INTEGER, &column));
	GEMP_TRY(gemp_builder_vertex_column(builder, "position", GEMP_STRING, &column));
	return gemp_builder_vertex_column(builder, "signal", GEMP_STRING, &column);
}

/* The maximum number of ids of a switch with its position and its sensors. */
static uint64_t switch_capacity(const gemp_generator_run *making)
{
	return 2 + (uint64_t)making->values[SENSORS] * STRETCH;
}

static uint64_t first_of(const gemp_generator_run *making, uint64_t number)
{
	return number * (FIRST_SWITCH + (uint64_t)making->values[SWITCHES] * switch_capacity(making));
}

/* Draws whether the next property of the model is faulty. */
static bool draw_fault(route *r)
{
	return gemp_random_unit(&r->state) < r->making->values[FAULTS];
}

/* Messages name the source as the place of the edge. */
static gemp_code add_edge(const route *r, uint64_t source, uint64_t target, const char *type)
{
	return gemp_generator_edge(r->making, source, target, type, source);
}

/* Adds an edge, unless a fault makes it missing. */
static gemp_code add_edge_or_fault(route *r, uint64_t source, uint64_t target, const char *type)
{
	return draw_fault(r) ? GEMP_OK : add_edge(r, source, target, type);
}

/* Appends a switch or segment to the track. */
static gemp_code extend_track(route *r, uint64_t id)
{
	if (r->begun)
		GEMP_TRY(add_edge(r, r->last, id, "connectsTo"));
	r->last = id;
	r->begun = true;
	return GEMP_OK;
}

/* A faulty segment has a length that is not positive. */
static gemp_code make_segment(route *r, uint64_t id, uint64_t sensor)
{
	const int64_t length = (int64_t)gemp_random_below(&r->state, LONGEST);
	const int64_t stored = draw_fault(r) ? -length : length + 1;
	GEMP_TRY(gemp_generator_vertex(r->making, id, "Segment"));
	GEMP_TRY(gemp_generator_set_integer(r->making, LENGTH, stored));
	GEMP_TRY(add_edge(r, id, sensor, "sensor"));
	return extend_track(r, id);
}

/* A faulty stretch has a sixth segment, or a route that does not name its sensor. */
static gemp_code make_stretch(route *r, uint64_t first)
{
	uint64_t segments = SEGMENTS + draw_fault(r);
	GEMP_TRY(gemp_generator_vertex(r->making, first + SENSOR, "Sensor"));
	GEMP_TRY(add_edge_or_fault(r, r->first + ROUTE, first + SENSOR, "definedBy"));
	for (uint64_t i = 0; i < segments; i++)
		GEMP_TRY(make_segment(r, first + FIRST_SEGMENT + i, first + SENSOR));
	return GEMP_OK;
}

/* The sensor of the track behind a switch monitors the switch. */
static gemp_code make_switch(route *r, uint64_t first)
{
	uint64_t at = first + 1, stretch = first + 2, count = sizeof positions / sizeof *positions;
	uint64_t position = gemp_random_below(&r->state, count), other = 1 + gemp_random_below(&r->state, count - 1);
	uint64_t sensors = 1 + gemp_random_below(&r->state, (uint64_t)r->making->values[SENSORS]);
	GEMP_TRY(gemp_generator_vertex(r->making, first, "Switch"));
	GEMP_TRY(gemp_generator_set_text(r->making, POSITION, positions[position]));
	GEMP_TRY(gemp_generator_vertex(r->making, at, "SwitchPosition"));
	GEMP_TRY(
		gemp_generator_set_text(r->making, POSITION, positions[draw_fault(r) ? (position + other) % count : position]));
	GEMP_TRY(add_edge(r, r->first + ROUTE, at, "follows"));
	GEMP_TRY(add_edge(r, at, first, "switch"));
	GEMP_TRY(add_edge_or_fault(r, first, stretch + SENSOR, "sensor"));
	GEMP_TRY(extend_track(r, first));
	for (uint64_t i = 0; i < sensors; i++)
		GEMP_TRY(make_stretch(r, stretch + i * STRETCH));
	return GEMP_OK;
}

/* The exit of a route is the entry of the next. */
static gemp_code make_route(const gemp_generator_run *making, uint64_t number)
{
	uint64_t next = first_of(making, (number + 1) % (uint64_t)making->values[ROUTES]);
	route r = { .making = making, .first = first_of(making, number) };
	r.state = gemp_generator_state(making->seed, GEMP_FOR_ROUTE, number);
	uint64_t switches = 1 + gemp_random_below(&r.state, (uint64_t)making->values[SWITCHES]);
	GEMP_TRY(gemp_generator_vertex(making, r.first + ROUTE, "Route"));
	GEMP_TRY(gemp_generator_vertex(making, r.first + SEMAPHORE, "Semaphore"));
	GEMP_TRY(gemp_generator_set_text(making, SIGNAL,
	                                 signals[gemp_random_below(&r.state, sizeof signals / sizeof *signals)]));
	GEMP_TRY(add_edge_or_fault(&r, r.first + ROUTE, r.first + SEMAPHORE, "entry"));
	GEMP_TRY(add_edge(&r, r.first + ROUTE, next + SEMAPHORE, "exit"));
	for (uint64_t i = 0; i < switches; i++)
		GEMP_TRY(make_switch(&r, r.first + FIRST_SWITCH + i * switch_capacity(making)));
	return extend_track(&r, next + FIRST_SWITCH);
}

/* Routes are independent, so each thread makes its own routes. */
static gemp_code make_railway(const gemp_generator_run *making)
{
	gemp_block_range routes = gemp_generator_range(making, (uint64_t)making->values[ROUTES]);
	for (uint64_t number = routes.begin; number < routes.end; number++)
		GEMP_TRY(make_route(making, number));
	return GEMP_OK;
}

const gemp_generator_entry gemp_generator_railway = {
	.generator = { "railway", "routes, switches, sensors and segments, some of them faulty, as in the Train Benchmark",
	               sizeof railway_parameters / sizeof *railway_parameters, railway_parameters },
	.declare = declare_railway,
	.make = make_railway,
};
