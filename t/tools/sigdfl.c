/* SPDX-License-Identifier: ISC */
/*
 * sigdfl.c - runs a command with default signals, as a terminal does.
 *
 * A shell without job control starts background commands with SIGINT ignored, and the shell itself
 * cannot undo this.  Usage: sigdfl COMMAND [ARGUMENT...]
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	if (argc < 2) {
		fputs("usage: sigdfl COMMAND [ARGUMENT...]\n", stderr);
		return 2;
	}
	signal(SIGHUP, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
