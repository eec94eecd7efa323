/* kernel_text: the writing of kernel source, for the generators of match kernels.
 *
 * Generated variables are named by a letter and a number: v_3 is the slot of pattern vertex 3, e_1 pattern edge 1, and cur_2 and
 * end_2 are the range of step 2. A `$` in a format stands for the number of the step, level or mark that a statement is about,
 * so that a statement reads in the generator as it does in the kernel. No text of the user's enters a kernel.
 */

#ifndef GEMP_MATCH_CODEGEN_KERNEL_TEXT_H
#define GEMP_MATCH_CODEGEN_KERNEL_TEXT_H

#include "core/text.h"

#include <stdarg.h>
#include <stdint.h>

typedef struct gemp_variable {
	char text[16];
} gemp_variable;

/* The name of a variable: `kind`, an underscore and the number. */
gemp_variable gemp_variable_of(char kind, int number);

/* As gemp_text_print; each `$` of the format becomes `number`. */
void gemp_kernel_print(gemp_text *text, int number, const char *format, ...) __attribute__((format(printf, 3, 4)));
void gemp_kernel_vprint(gemp_text *text, int number, const char *format, va_list arguments);

/* An expression: the greatest, or least, of some bound vertices, which are at least one. */
void gemp_kernel_extreme(gemp_text *text, uint64_t vertices, bool greatest);

#endif
