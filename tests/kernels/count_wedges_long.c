/* Runs every sum in every shape. PoCL takes minutes to compile the kernels. */
#define ALL_SHAPES true
#include "kernels/count_wedges.c"
