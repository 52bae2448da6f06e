# afpipe - profiles as a stream of lines
#
# make, make check, make install.  No configure: the knobs are here.
.POSIX:
.SUFFIXES:
.SUFFIXES: .c .o

CC = cc
CFLAGS = -O2 -g
CPPFLAGS =
LDFLAGS = -Wl,--as-needed
WARN = -Wall -Wextra -Wshadow -Wconversion -pedantic
LIBS = -ltraceevent -ldw -lelf -lzstd -lz -lcsv -ljansson -lxxhash -lm

PREFIX = /usr/local
DESTDIR =

STD = -std=c11 -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -I.
TRACEEVENT != pkg-config --cflags libtraceevent 2>/dev/null || :

LIB_SRC != ls lib/*.c src/*/*.c 2>/dev/null
FILTER_SRC != ls filters/*.c 2>/dev/null
LIB_OBJ = $(LIB_SRC:.c=.o)
FILTER_OBJ = $(FILTER_SRC:.c=.o)
BIN = $(FILTER_SRC:.c=)

all: $(BIN)

libafpipe.a: $(LIB_OBJ)
	rm -f $@
	ar -rcs $@ $(LIB_OBJ)

$(BIN): libafpipe.a $(FILTER_OBJ)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $@.o libafpipe.a $(LIBS)

.c.o:
	$(CC) $(STD) $(TRACEEVENT) $(CPPFLAGS) $(WARN) $(CFLAGS) -MMD -c -o $@ $<

clean:
	rm -f libafpipe.a $(BIN) lib/*.[od] src/*/*.[od] filters/*.[od]

-include $(LIB_SRC:.c=.d) $(FILTER_SRC:.c=.d)
