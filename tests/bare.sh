#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Proves that the README's commands work on a bare Debian 12: makes one by debootstrap in build/bare, with git, gcc, make
# and sudo, adds a user who may use sudo, clones this repository there (what is committed), and runs `make demo` and `make
# check` as that user. `make bare` calls it, as root. The system stays in build/bare, to look at what failed.
#
#	TESTS='unit golden'    runs these tests alone
#	AGAIN=1                takes the system that the last run has left, with all that was installed in it
#
# Where packages come from, by which proxy, and which authorities are trusted, is as on the host.
set -u
cd "$(dirname "$0")/.." || exit 1
release=bookworm
user=otter
root=$PWD/build/bare

fail() {
	echo "make bare: $*" >&2
	exit 1
}

step() {
	echo "== $*"
}

[ "$(id -u)" -eq 0 ] || fail "only root can make a system in build/bare and mount /proc in it: sudo make bare"
for tool in debootstrap unshare git; do
	command -v "$tool" >/dev/null || fail "there is no $tool (a package of Debian's)"
done
git rev-parse --verify -q HEAD >/dev/null || fail "this is no clone of git's, of which a clone could be made"

# Mounts and processes of a namespace are gone with its first process, however that ends.
if [ "${1-}" != inside ]; then
	unshare --mount --pid --fork --kill-child -- "$0" inside &
	trap 'kill -KILL $!' HUP INT TERM
	wait $!
	exit
fi

# ---- What the host has set ----

# uri: where the host gets this release from; nothing: debootstrap knows a place itself.
uri() {
	[ "$(. /etc/os-release && echo "${VERSION_CODENAME-}")" = "$release" ] || return
	# shellcheck disable=SC2016 # apt's variables
	apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null | sed -n "s/^$release //p" | head -n 1
}

# authorities FILE...: their certificates, each on a line.
authorities() {
	cat "$@" 2>/dev/null | awk '/BEGIN CERTIFICATE/ { on = 1; text = ""; next } /END CERTIFICATE/ { print text; on = 0 } on { text = text $0 }' | sort -u
}

# trust_as_host: the host's authorities that Debian does not have, for the system's package ca-certificates to take in.
trust_as_host() {
	local bundle=${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt} folder=$root/usr/local/share/ca-certificates n=0 text
	mkdir -p "$folder"
	while IFS= read -r text; do
		n=$((n + 1))
		printf -- '-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n' "$(fold -w 64 <<<"$text")" >"$folder/host-$n.crt"
	done < <(comm -23 <(authorities "$bundle") <(find /usr/share/ca-certificates -name '*.crt' -print0 2>/dev/null | xargs -0r cat | authorities -))
}

# configure_as_host: sources, keys and proxies of apt, npm and the user's programs.
configure_as_host() {
	local name value
	if [ -n "$(uri)" ]; then
		rm -rf "$root"/etc/apt/sources.list*
		cp -r /etc/apt/sources.list* "$root/etc/apt/"
		cp -rn /etc/apt/trusted.gpg* /etc/apt/keyrings "$root/etc/apt/" 2>/dev/null
	fi
	apt-config dump 2>/dev/null | grep '^Acquire::' | grep -v '^Acquire::IndexTargets' >"$root/etc/apt/apt.conf.d/90host"
	trust_as_host
	for name in http_proxy https_proxy no_proxy; do
		[ -z "${!name-}" ] || printf 'export %s=%q\n' "$name" "${!name}"
	done >"$root/etc/profile.d/host.sh"
	echo 'Defaults env_keep += "http_proxy https_proxy no_proxy"' >"$root/etc/sudoers.d/host"
	for name in registry proxy https-proxy noproxy; do
		value=$(npm config get "$name" 2>/dev/null)
		[ -z "$value" ] || [ "$value" = null ] || echo "$name=$value"
	done >"$root/etc/npmrc"
}

# ---- The system ----

make_system() {
	local from
	from=$(uri)
	rm -rf --one-file-system "$root"
	mkdir -p "$root"
	# What git and gcc only recommend is not installed either.
	debootstrap --variant=minbase --include=git,gcc,make,sudo "$release" "$root" ${from:+"$from"} >build/bare.log 2>&1 || {
		tail -n 20 build/bare.log >&2
		fail "debootstrap failed (build/bare.log)"
	}
	configure_as_host
	printf '127.0.0.1 localhost %s\n' "$(uname -n)" >"$root/etc/hosts"
	chroot "$root" useradd --create-home --shell /bin/bash "$user" || fail "cannot add a user"
	echo "$user ALL=(ALL) NOPASSWD: ALL" >"$root/etc/sudoers.d/$user"
}

# mount_in KIND FOLDER OPTIONS
mount_in() {
	mkdir -p "$root/$2"
	mount -t "$1" -o "$3" "$1" "$root/$2" || fail "cannot mount $2 of the system"
}

# mount_system: what a running system has.
mount_system() {
	mount_in proc proc defaults
	mount_in sysfs sys ro
	mount_in devpts dev/pts newinstance,ptmxmode=0666,mode=620,gid=5
	mount_in tmpfs dev/shm mode=1777
}

# as_user COMMAND: in the user's clone, from a login shell with the limits that a user has.
as_user() {
	echo "\$ $1"
	(ulimit -Sn 1024 && exec chroot "$root" runuser -l "$user" -c "cd otter && $1")
}

if [ -n "${AGAIN-}" ]; then
	[ -d "$root/home/$user" ] || fail "there is no system of a run before: leave AGAIN out"
else
	step "a bare Debian ($release) in build/bare"
	make_system
fi
mount_system

step "a clone of $(git log -1 --format='%h, %s')"
rm -rf "$root/home/$user/otter"
git bundle create -q "$root/home/$user/otter.bundle" HEAD || fail "cannot bundle the repository"
chroot "$root" runuser -l "$user" -c 'git clone -q -c advice.detachedHead=false otter.bundle otter' || fail "cannot clone the repository"

for command in demo check; do
	grep -q "\`make $command\`" README.md || fail "the README does not name make $command any more"
done
step "the README's commands"
as_user "make demo" || fail "make demo failed"
tests=${TESTS:+" TESTS='$TESTS'"}
as_user "make check$tests" || fail "make check failed"
echo "make bare: both commands work"
