#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# packages.bats - what the recipes of packages in contrib say of the sources.  t/apps/packages.bats
# builds them.

load lib

setup() {
	cd "$ROOT/contrib" || return
}

# version FILE EXPRESSION: the version in a file.
version() {
	sed -n "s/$2/\\1/p" "$1" | head -n 1
}

# bats test_tags=quick
@test "packages have the version of the programs" {
	local want
	want=$(version ../lib/cli.h '^#define AFPIPE_VERSION "\(.*\)"')
	[ -n "$want" ]
	[ "$(version debian/changelog '^afpipe (\(.*\)-[0-9]*) .*')" = "$want" ]
	[ "$(version rpm/afpipe.spec '^Version: *\(.*\)')" = "$want" ]
	[ "$(version alpine/APKBUILD '^pkgver=\(.*\)')" = "$want" ]
	[ "$(version nix/default.nix '^  version = "\(.*\)";')" = "$want" ]
}

@test "packages are built with what contrib/deps installs" {
	need apt-get
	# build-essential has the compiler
	sh deps --list | tr ' ' '\n' | grep -vxE 'gcc|make|libc6-dev' | sort >"$T/want"
	sed -n '/^Build-Depends:/,/^[A-Z]/s/^ \([a-z0-9.+-]*\).*/\1/p' debian/control | grep -vx debhelper-compat |
		sort >"$T/got"
	same "$T/want" "$T/got"
}

@test "contrib/deps --pack installs what dpkg-buildpackage asks for" {
	need apt-get
	sh "$ROOT/contrib/deps" --pack --list | tr ' ' '\n' >"$T/list"
	grep -qx build-essential "$T/list"
	grep -qx debhelper "$T/list"
}

@test "the recipes for Alpine and Nix can be read" {
	sh -n alpine/APKBUILD
	need nix-instantiate
	want_status 0 nix-instantiate --parse nix/default.nix
}
