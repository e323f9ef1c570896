/* cmd.h - the subcommands: one file each, one row each in main.c. Each gets its own name as argv[0], prints its errors
 * as one line on stderr and returns the exit status. */
#ifndef SRC_CMD_H
#define SRC_CMD_H

int cmd_run(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_one(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_models(int argc, char **argv);
int cmd_bench(int argc, char **argv);

#endif
