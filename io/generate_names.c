#include "io/generate_names.h"

#include "core/random.h"

#include <stdbool.h>
#include <stdio.h>

const char *const gemp_genres[GEMP_GENRES] = {
	"Drama",     "Comedy", "Romance", "Action",    "Thriller",  "Crime",
	"Adventure", "Horror", "Western", "Mystery",   "Musical",   "Science Fiction",
	"Fantasy",   "War",    "Family",  "Biography", "Animation", "Documentary",
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

size_t gemp_draw_person(char *name, uint64_t *state)
{
	const char *first = DRAW(first_names, state), *last = DRAW(last_names, state);
	return (size_t)snprintf(name, GEMP_NAME_SIZE, "%s %s", first, last);
}

size_t gemp_draw_title(char *name, uint64_t *state)
{
	static const char *const forms[] = { /* a digit stands for a word */
		"The 1 2", "1 2", "The 2 of 4", "2 in 4", "The 2 and the 3", "5's 2",
		"A 2 for 5", "2 of the 1 3", "Return to 4", "The 1 2 of 4",
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

size_t gemp_draw_role(char *name, uint64_t *state)
{
	if (gemp_random_below(state, 2) == 0)
		return gemp_draw_person(name, state);
	return (size_t)snprintf(name, GEMP_NAME_SIZE, "%s", DRAW(roles, state));
}
