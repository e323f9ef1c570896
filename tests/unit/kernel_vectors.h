/* kernel_vectors.h - vectors.h for the groups of tests/reference/vectors/test-vectors.csv that are the kernel's own:
 * every row of a group is tested, or listed with the reason why it is not.
 */
#ifndef TESTS_UNIT_KERNEL_VECTORS_H
#define TESTS_UNIT_KERNEL_VECTORS_H

#include "vectors.h"

static inline void kernel_vectors(const char *const *groups, const struct vector_rule *rules)
{
    static const struct vector_columns columns = {.id = 0, .group = 1, .inputs = 2, .expected = 3, .tolerance = 4};
    vector_run("tests/reference/vectors/test-vectors.csv", &columns, groups, rules);
}

#endif
