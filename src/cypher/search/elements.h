/* elements: the elements of the graph as the evaluator and the writers of values read them. */

#ifndef GEMP_CYPHER_SEARCH_ELEMENTS_H
#define GEMP_CYPHER_SEARCH_ELEMENTS_H

struct gemp_cypher_search;

/* Sets the functions of search->elements and search->writer. */
void gemp_cypher_elements_init(struct gemp_cypher_search *search);

#endif
