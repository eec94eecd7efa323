/* example_graphs: names that look real, from a stream of random numbers. */

#ifndef GEMP_GENERATE_EXAMPLE_GRAPHS_H
#define GEMP_GENERATE_EXAMPLE_GRAPHS_H

#include <stddef.h>
#include <stdint.h>

enum { GEMP_NAME_SIZE = 96, GEMP_GENRES = 18 };

extern const char *const gemp_movies_genres[GEMP_GENRES];

/* Each fills name[GEMP_NAME_SIZE] and returns its length. */
size_t gemp_movies_person(char *name, uint64_t *state); /* "Jack Moreau" */
size_t gemp_movies_title(char *name, uint64_t *state);  /* "The Silent Harbour" */
size_t gemp_movies_role(char *name, uint64_t *state);   /* "The Sheriff", or a person */

#endif
