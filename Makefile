# afpipe - profiles as a stream of lines
#
# make, make check, make install.  There is no configure; the settings are here.
# A build with sanitizers:
#   make clean all CFLAGS="-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined"
.POSIX:
.SUFFIXES:
.SUFFIXES: .c .o

CC = cc
OBJCOPY = objcopy
CFLAGS = -O2 -g
# make fast: optimizes across files (gcc), for packages.  perfdec executes 5% fewer instructions and
# afagg 3%, but the build takes several times as long.
FAST = -O2 -g -flto=auto -ffat-lto-objects
CPPFLAGS =
LDFLAGS = -Wl,--as-needed
WARN = -Wall -Wextra -Wshadow -Wconversion -pedantic
LIBS = -lncursesw -ltraceevent -ldw -lelf -lzstd -llzma -lz -lcsv -ljansson -lxxhash -lgmp -liberty -lpthread -lm

PREFIX = /usr/local
BINDIR = $(PREFIX)/bin
LIBDIR = $(PREFIX)/lib
INCLUDEDIR = $(PREFIX)/include
MANDIR = $(PREFIX)/share/man
DATADIR = $(PREFIX)/share/afpipe
BASHDIR = $(PREFIX)/share/bash-completion/completions
ZSHDIR = $(PREFIX)/share/zsh/site-functions
FISHDIR = $(PREFIX)/share/fish/vendor_completions.d
DESTDIR =

# For make check-apps: "required" makes a missing program a failure.
APPS =

# For make growth: the programs to measure; empty for all.
PROGRAMS =

# For make mutate: how many mutants, a text that determines the choice (empty: the commit), and the
# files to mutate (empty: all; changed: those that differ from the branch main).
N = 200
SEED =
FILES =

# For make mutate and make coverage: the tests to run; empty for all.
TESTS =

# The number of seconds that make fuzz spends on each driver, the hours that make fuzz-long spends
# on all of them, and the sanitizers.
FUZZ_TIME = 60
HOURS = 8
SANITIZE = address,undefined

# All objects can be part of the shared library.  Its symbols are those that afpipe.h marks.
PIC = -fPIC -fvisibility=hidden
STD = -std=c11 -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -I.
TRACEEVENT != pkg-config --cflags libtraceevent 2>/dev/null || :
VERSION != sed -n 's/^.define AFPIPE_VERSION "\(.*\)"/\1/p' lib/cli.h

LIB_SRC != ls lib/*.c lib/*/*.c src/*/*.c src/*/*/*.c 2>/dev/null || :
FILTER_SRC != ls filters/*.c 2>/dev/null || :
MAN != ls man/*.[1-8] 2>/dev/null || :
LIB_OBJ = $(LIB_SRC:.c=.o)
FILTER_OBJ = $(FILTER_SRC:.c=.o)
BIN = $(FILTER_SRC:.c=)
SCRIPTS = contrib/slurm/afarray
NAMES = $(BIN:filters/%=%) $(SCRIPTS:contrib/slurm/%=%)

# The library for other programs, of what src/afpipe needs.
API = src/afpipe/line.o src/afpipe/reader.o src/afpipe/writer.o src/afpipe/perf.o
API_LIBS = -ltraceevent -lzstd -llzma -lz -lxxhash -liberty
SO = libafpipe.so.0

all: $(BIN) libafpipe.a $(SO)

fast:
	rm -f afpipe.a libafpipe.a $(SO) $(BIN) $(LIB_OBJ) $(FILTER_OBJ)
	$(MAKE) all CFLAGS="$(FAST)"

# All of lib and src, for the programs and the tests.
afpipe.a: $(LIB_OBJ)
	rm -f $@
	$(AR) -rcs $@ $(LIB_OBJ)

$(BIN): afpipe.a $(FILTER_OBJ)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $@.o afpipe.a $(LIBS)

$(SO): afpipe.a src/afpipe/afpipe.map
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(SO) -Wl,--version-script,src/afpipe/afpipe.map \
		-o $@ $(API) afpipe.a $(API_LIBS)

# One object, in which all other names are local, so that they do not meet those of a program.
libafpipe.a: afpipe.a
	rm -f $@
	$(CC) $(CFLAGS) -fno-lto -r -nostdlib -o libafpipe.o $(API) afpipe.a
	$(OBJCOPY) --localize-hidden -R '.gnu.lto_*' -R '.gnu.debuglto_*' libafpipe.o
	$(AR) -rcs $@ libafpipe.o

# The page of flameenc is compiled into it.
ASSETS = share/flame/page.html share/flame/style.css share/flame/script.js

src/flame/assets.inc: $(ASSETS)
	for f in $(ASSETS); do \
		n=$${f##*/}; echo "static const unsigned char asset_$${n%.*}[] = {"; \
		od -An -v -tu1 $$f | sed 's/[0-9][0-9]*/&,/g'; echo "0 };"; \
	done >$@.new
	mv $@.new $@

src/flame/page.o: src/flame/assets.inc

.c.o:
	$(CC) $(STD) $(TRACEEVENT) $(CPPFLAGS) $(WARN) $(PIC) $(CFLAGS) -MMD -MP -c -o $@ $<

# For use while editing: a separate build, and the most useful tests.
quick:
	CC="$(CC)" bash t/tools/quick

# Runs the tests.  check-slow also runs those tagged slow, and makes the sweeps of others finer.
check: all
	CC="$(CC)" CFLAGS="$(CFLAGS)" bash t/tools/check

check-slow: all
	CC="$(CC)" CFLAGS="$(CFLAGS)" AFPIPE_SLOW=1 bash t/tools/check

# Tests with large programs: those that read what the encoders write, and Slurm
# (contrib/deps --apps).
check-apps: all
	CC="$(CC)" CFLAGS="$(CFLAGS)" APPS="$(APPS)" bash t/tools/check t/apps/*.bats

# Refuses the programs what they ask the system for, at one place after the other.
check-faults: all
	CC="$(CC)" CFLAGS="$(CFLAGS)" bash t/tools/faults

# Counts instructions: ten times the input must take about ten times as many.
check-growth: all
	CC="$(CC)" CFLAGS="$(CFLAGS)" bash t/tools/check t/growth/growth.bats

# Runs each driver of t/fuzz with clang's sanitizers, for the same executions each time.
check-fuzz:
	STD="$(STD) $(TRACEEVENT)" LIBS="$(LIBS)" SANITIZE="$(SANITIZE)" FUZZ_FIXED=1 bash t/tools/fuzz

# Which lines and branches the tests execute, in a build of its own with clang.
coverage:
	CC="$(CC)" bash t/tools/coverage $(TESTS)

lint:
	STD="$(STD) $(TRACEEVENT)" WARN="$(WARN)" bash t/tools/lint

format:
	clang-format -i $$(git ls-files "*.[ch]")

# Changes the code in small ways, and checks that the tests notice it (build/mutate).
mutate:
	CC="$(CC)" STD="$(STD) $(TRACEEVENT)" python3 t/tools/mutate "$(N)" "$(SEED)" "$(FILES)" "$(TESTS)"

# Looks for inputs that no earlier run has tried.
fuzz:
	STD="$(STD) $(TRACEEVENT)" LIBS="$(LIBS)" SANITIZE="$(SANITIZE)" FUZZ_TIME="$(FUZZ_TIME)" bash t/tools/fuzz

# Adds what it has executed to t/fuzz/executions.
fuzz-long:
	STD="$(STD) $(TRACEEVENT)" LIBS="$(LIBS)" SANITIZE="$(SANITIZE)" FUZZ_HOURS="$(HOURS)" bash t/tools/fuzz

# Compares the filters with the tools one would use instead, and prints contrib/BENCH.md.
bench: fast
	CC="$(CC)" bash contrib/bench

# Prints how instructions, time and memory grow with the input, for all or these programs.
growth: all
	CC="$(CC)" PROGRAMS="$(PROGRAMS)" bash contrib/growth

demo: all
	sh share/demo/demo

# The picture in README.md.
.PHONY: pictures
pictures: all
	cd share/demo && PATH="$$PWD/../../filters:$$PATH" sh picture >burn.svg

install: all
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(DATADIR)/demo
	for s in 1 3 5 7; do install -d $(DESTDIR)$(MANDIR)/man$$s || exit 1; done
	install -m 755 $(BIN) $(SCRIPTS) $(DESTDIR)$(BINDIR)
	for m in $(MAN); do install -m 644 $$m $(DESTDIR)$(MANDIR)/man$${m##*.} || exit 1; done
	cp -R share/. $(DESTDIR)$(DATADIR)
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCLUDEDIR)
	install -m 644 src/afpipe/afpipe.h $(DESTDIR)$(INCLUDEDIR)
	install -m 644 libafpipe.a $(DESTDIR)$(LIBDIR)
	install -m 755 $(SO) $(DESTDIR)$(LIBDIR)
	ln -sf $(SO) $(DESTDIR)$(LIBDIR)/libafpipe.so
	umask 022; sed -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@INCLUDEDIR@|$(INCLUDEDIR)|' \
		-e 's|@VERSION@|$(VERSION)|; s|@LIBS@|$(API_LIBS)|' src/afpipe/afpipe.pc.in \
		>$(DESTDIR)$(LIBDIR)/pkgconfig/afpipe.pc
	install -d $(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR)
	umask 022; c=share/completions/afpipe; \
	sed 's/@PROGRAMS@/$(NAMES)/' $$c.zsh >$(DESTDIR)$(ZSHDIR)/_afpipe && \
	for n in $(NAMES); do \
		sed "s/@PROGRAMS@/$$n/" $$c.bash >$(DESTDIR)$(BASHDIR)/$$n && \
		cat $$c.fish >$(DESTDIR)$(FISHDIR)/$$n.fish || exit 1; \
	done

# Leaves files that make install has not made, and the directories that contain them.
uninstall:
	rm -f $(DESTDIR)$(ZSHDIR)/_afpipe
	for n in $(NAMES); do rm -f $(DESTDIR)$(BASHDIR)/$$n $(DESTDIR)$(FISHDIR)/$$n.fish; done
	for b in $(BIN) $(SCRIPTS); do rm -f $(DESTDIR)$(BINDIR)/$${b##*/}; done
	for m in $(MAN); do rm -f $(DESTDIR)$(MANDIR)/man$${m##*.}/$${m##*/}; done
	for f in libafpipe.a libafpipe.so $(SO) pkgconfig/afpipe.pc; do rm -f $(DESTDIR)$(LIBDIR)/$$f; done
	rm -f $(DESTDIR)$(INCLUDEDIR)/afpipe.h
	for f in $$(find share ! -type d); do rm -f $(DESTDIR)$(DATADIR)$${f#share}; done
	for d in $$(find share -depth -type d); do rmdir $(DESTDIR)$(DATADIR)$${d#share} 2>/dev/null || :; done

# Packs the committed files, not the working tree.
dist:
	git archive --prefix=afpipe-$(VERSION)/ -o afpipe-$(VERSION).tar.gz HEAD

# Packages for Debian and Fedora, in build/deb and build/rpm (contrib/PACKAGES.md).
deb:
	bash contrib/package deb

rpm:
	bash contrib/package rpm

clean:
	rm -f src/flame/assets.inc
	rm -f afpipe.a libafpipe.[ao] $(SO) $(BIN) lib/*.[od] lib/*/*.[od] src/*/*.[od] src/*/*/*.[od] filters/*.[od] afpipe-*.tar.gz
	rm -rf build

.PHONY: all fast check quick check-slow check-apps check-faults check-growth check-fuzz coverage lint format mutate fuzz fuzz-long bench growth demo install uninstall dist deb rpm clean

-include $(FILTER_SRC:.c=.d) $(LIB_SRC:.c=.d)
