/* spell: the letters of unitigs. */
#ifndef GEMP_SEQUENCE_SPELL_H
#define GEMP_SEQUENCE_SPELL_H

#include "sequence/sequences.h"
#include "sequence/unitigs.h"

/* Collective. Each edge sends its last letter to its place. */
gemp_code gemp_spell_unitigs(gemp_sequences *out, const gemp_unitigs *unitigs, gemp_traffic *traffic);

#endif
