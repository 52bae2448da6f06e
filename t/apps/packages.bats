# SPDX-License-Identifier: ISC
# packages.bats - the packages for Debian and Fedora: built from the same tree in different folders,
# judged by lintian, installed below another root.  Their own tests are not run, and the compiler
# optimizes less, save with AFPIPE_SLOW.

load ../lib

WANT='cpu-clock [ns]: 7 groups
region     count        sum      %
dot          367  919799255  67.8%
partition     91  228070115  16.8%
sieve         72  180451080  13.3%
quicksort      7   17543855   1.3%
shuffle        2    5012530   0.4%
... 2 more, 0.4% of sum'

setup_file() {
	export D=$BATS_FILE_TMPDIR
	unset AFPIPE_BIN MAKEFLAGS MAKELEVEL
	if command -v dh dpkg-buildpackage >/dev/null; then
		export DEB_BUILD_OPTIONS=nocheck
		[ -n "${AFPIPE_SLOW-}" ] || export DEB_CFLAGS_APPEND='-O1 -fno-lto'
		bash "$ROOT/contrib/package" deb "$D/deb" >"$D/deb.log" 2>&1
		(umask 077 && TZ=Asia/Tokyo LC_ALL=C.UTF-8 HOME=$D \
			bash "$ROOT/contrib/package" deb "$D/other/folder" >"$D/deb2.log" 2>&1)
	fi
	! command -v rpmbuild >/dev/null ||
		RPMBUILD_OPTIONS=--nocheck bash "$ROOT/contrib/package" rpm "$D/rpm" >"$D/rpm.log" 2>&1
	return 0
}

# built FOLDER LOG: shows the end of the log of a build that made no package.
built() {
	compgen -G "$D/$1" >/dev/null || {
		tail -n 20 "$D/$2" >&2
		fail "no $1"
	}
}

setup() {
	case $BATS_TEST_DESCRIPTION in
	rpm*) app rpmbuild && built rpm/RPMS rpm.log ;;
	*) app dh && built "deb/afpipe_*.deb" deb.log ;;
	esac
}

# installed: the files that make install makes in the built tree of the package, which moves the
# demonstration and the sample of DCPI.
installed() {
	local tree
	tree=$(echo "$D"/deb/afpipe-*/)
	make -s -C "$tree" install DESTDIR="$T/tree" PREFIX=/usr >/dev/null
	(cd "$T/tree" && find . ! -type d ! -path '*/share/afpipe/demo/*' ! -path '*/share/afpipe/dcpi/*') | sed 's|^\.||'
}

# debs: the packages, without those of debug information.
debs() {
	find "$D/deb/" -name '*.deb' ! -name '*-dbgsym_*'
}

# runs ROOT DEMO: the filters below ROOT print the table of README.md from the packed recording.
runs() {
	mkdir "$T/unpacked"
	tar -xzf "$1/$2" -C "$T/unpacked"
	cd "$T/unpacked/demo"
	PATH=$1/usr/bin:/usr/bin:/bin sh -c \
		'perfdec --symfs symfs --kallsyms kallsyms burn.data | afagg --by region | aftab --top 5' >"$T/got"
	echo "$WANT" >"$T/want"
	same "$T/want" "$T/got"
	[ -s "$T/unpacked/dcpi/xemacs" ]
}

@test "the same tree gives the same packages" {
	local f n=0
	built "other/folder/afpipe_*.deb" deb2.log
	for f in "$D"/deb/*.deb; do
		cmp "$f" "$D/other/folder/${f##*/}"
		n=$((n + 1))
	done
	[ "$n" -eq 5 ]
}

@test "lintian finds nothing" {
	app lintian
	# there is no bug to close
	want_status 0 lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs \
		"$D"/deb/*.changes || {
		cat "$T/out" >&2
		return 1
	}
	[ ! -s "$T/out" ] || fail "$(cat "$T/out")"
}

@test "the packages contain what make install installs" {
	local deb libs
	libs=/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
	{
		installed | sed "s|^/usr/share/man/.*|&.gz|; s|zsh/site-functions|zsh/vendor-completions|; s|^/usr/lib|$libs|"
		printf '/usr/share/doc/afpipe/%s\n' README.Debian README.md.gz examples/demo.tar.gz
		printf '/usr/share/doc/%s\n' {afpipe,libafpipe0,libafpipe-dev}/{changelog.Debian.gz,changelog.gz,copyright}
	} | sort >"$T/want"
	for deb in $(debs); do
		dpkg-deb --fsys-tarfile "$deb" | tar -t | grep -v '/$' | sed 's|^\.||' >>"$T/names"
		# readable by everyone, and root's
		dpkg-deb -c "$deb" | grep -vE '^(-rw-r--r--|-rwxr-xr-x|drwxr-xr-x|lrwxrwxrwx) root/root ' >>"$T/odd" || :
	done
	sort "$T/names" >"$T/got"
	same "$T/want" "$T/got"
	[ ! -s "$T/odd" ] || fail "$(cat "$T/odd")"
}

@test "the packages are installed, run, and are removed" {
	local as=()
	mkdir -p "$T/root/var/lib/dpkg/updates" "$T/root/var/lib/dpkg/info"
	touch "$T/root/var/lib/dpkg/status" "$T/root/var/lib/dpkg/available"
	[ "$(id -u)" -eq 0 ] || as=(fakeroot)
	# the libraries are those of this machine
	# shellcheck disable=SC2046 # these are our own names
	want_status 0 "${as[@]}" dpkg --root="$T/root" --force-depends --log=/dev/null -i $(debs)
	runs "$T/root" usr/share/doc/afpipe/examples/demo.tar.gz
	want_status 0 "${as[@]}" dpkg --root="$T/root" --log=/dev/null --purge afpipe libafpipe-dev libafpipe0
	find "$T/root" ! -type d ! -path '*/var/lib/dpkg/*' >"$T/left"
	[ ! -s "$T/left" ] || fail "$(cat "$T/left")"
}

@test "rpm: the packages contain what make install installs, and run" {
	local rpm
	app dh
	mkdir "$T/root"
	cd "$T/root"
	for rpm in "$D"/rpm/RPMS/*/*.rpm; do
		rpm2cpio "$rpm" | cpio -idmu --quiet
	done
	{
		installed
		printf '/usr/share/doc/afpipe/%s\n' NEWS.md README.md demo.tar.gz
		printf '/usr/share/licenses/%s/LICENSE\n' afpipe afpipe-libs
	} | sort >"$T/want"
	# rpm adds links for debuggers; where licences are, and whether pages are packed, depends on its
	# version
	find . ! -type d ! -path '*/.build-id/*' |
		sed 's|^\.||; s|^/usr/lib64/|/usr/lib/|; s|\(/licenses/.*\)-[0-9.]*/|\1/|; s|\(/man/.*\)\.gz$|\1|' | sort >"$T/got"
	same "$T/want" "$T/got"
	runs "$T/root" usr/share/doc/afpipe/demo.tar.gz
}
