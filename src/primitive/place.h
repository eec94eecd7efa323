/* place: where something is computed. The answer is the same everywhere. */
#ifndef GEMP_PRIMITIVE_PLACE_H
#define GEMP_PRIMITIVE_PLACE_H

/* As the words of --on. */
typedef enum gemp_place {
	GEMP_PLACE_AUTO,   /* wherever it is expected to be faster */
	GEMP_PLACE_HOST,   /* on the threads of this rank (core/threads.h) */
	GEMP_PLACE_DEVICE,
} gemp_place;

#endif
