/* cpus.c - the process's CPU mask. */
#define _GNU_SOURCE /* CPU masks */
#include "cpus.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void get_mask(cpu_set_t *mask)
{
    CPU_ZERO(mask);
    if (sched_getaffinity(0, sizeof *mask, mask) != 0 || CPU_COUNT(mask) == 0)
        for (long cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN) && cpu < CPU_SETSIZE; cpu++)
            CPU_SET((size_t)cpu, mask);
}

uint32_t cpus_allowed(void)
{
    cpu_set_t mask;
    get_mask(&mask);
    return (uint32_t)CPU_COUNT(&mask);
}

void cpus_text(char *text, size_t size)
{
    cpu_set_t mask;
    size_t used = 0;
    get_mask(&mask);
    text[0] = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE && used + 24 < size; cpu++) {
        int first = cpu;
        if (!CPU_ISSET((size_t)cpu, &mask))
            continue;
        while (cpu + 1 < CPU_SETSIZE && CPU_ISSET((size_t)cpu + 1, &mask))
            cpu++;
        used +=
            (size_t)snprintf(text + used, size - used, first < cpu ? "%s%d-%d" : "%s%d", used ? "," : "", first, cpu);
    }
}

static uint32_t from_environment(const char *variable)
{
    const char *text = getenv(variable);
    unsigned long n = text ? strtoul(text, NULL, 10) : 0;
    return n <= 4096 ? (uint32_t)n : 0;
}

uint32_t cpus_default_threads(uint32_t local_ranks)
{
    uint32_t n = from_environment("OMP_NUM_THREADS");
    if (n == 0)
        n = from_environment("SLURM_CPUS_PER_TASK");
    if (n > 0)
        return n;
    n = cpus_allowed();
    if (n == (uint32_t)sysconf(_SC_NPROCESSORS_ONLN)) /* not bound: all ranks of the host see the same CPUs */
        n /= local_ranks;
    return n > 0 ? n : 1;
}
