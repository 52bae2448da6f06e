/* SPDX-License-Identifier: ISC */
/*
 * rss.c - runs a command and measures its time and memory.
 *
 * rss FILE COMMAND [ARGUMENT...] writes "SECONDS KIB CPU" to FILE: the elapsed time, the peak
 * resident size of the largest process, and the processor time of all processes in seconds.  It
 * exits with the status of the command (128 + N for signal N).
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double
seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int
main(int argc, char **argv)
{
	struct rusage used;
	double begin;
	FILE *fp;
	pid_t pid;
	int status;

	if (argc < 3) {
		fputs("usage: rss FILE COMMAND [ARGUMENT...]\n", stderr);
		return 2;
	}
	begin = now();
	pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || getrusage(RUSAGE_CHILDREN, &used) != 0) {
		perror("rss");
		return 3;
	}
	fp = fopen(argv[1], "w");
	if (fp == NULL ||
	    fprintf(fp, "%.6f %ld %.6f\n", now() - begin, used.ru_maxrss,
		seconds(used.ru_utime) + seconds(used.ru_stime)) < 0 ||
	    fclose(fp) != 0) {
		perror(argv[1]);
		return 3;
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
