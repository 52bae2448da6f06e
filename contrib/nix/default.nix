# SPDX-License-Identifier: ISC
# default.nix - a Nix package of this tree: nix-build contrib/nix
{ pkgs ? import <nixpkgs> { } }:

pkgs.stdenv.mkDerivation {
  pname = "afpipe";
  version = "0.1.0";
  src = pkgs.lib.cleanSource ../..;

  nativeBuildInputs = with pkgs; [ pkg-config ];
  buildInputs = with pkgs; [
    elfutils
    gmp
    jansson
    libcsv
    libiberty
    libtraceevent
    ncurses
    xxHash
    xz
    zlib
    zstd
  ];
  nativeCheckInputs = with pkgs; [ bash bats diffutils gawk ];

  makeFlags = [ "PREFIX=${placeholder "out"}" "CC=cc" ];
  enableParallelBuilding = true;

  # Those of lib, and one for each program.
  doCheck = true;
  checkPhase = ''
    patchShebangs t
    AFPIPE_BIN=$PWD/filters CHECK_TAGS=quick CFLAGS=-O1 bash t/tools/check
  '';

  # The program of the demonstration keeps its symbols: only bin and lib are stripped.
  dontPatchELF = true;

  meta = {
    description = "Filters for profiles as a stream of lines";
    license = pkgs.lib.licenses.isc;
    platforms = pkgs.lib.platforms.linux;
  };
}
