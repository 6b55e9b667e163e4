#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks the models of the hand-over (*.pml) over all their states with spin. As the code is, each model must hold;
# with one step broken (-DMUT_...) the assertion that is named here must fail. A line for each.
#
#	run.sh [NAME...]      all, or these: a model (ring), or a mutation (MUT_NO_H1)
set -u
cd "$(dirname "$0")" || exit 1
command -v spin >/dev/null || {
	echo "skip no spin (Debian's package spin): the hand-over's models are not checked"
	exit 77
}
wanted=" $* "
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# check LABEL MODEL EXPECTED FLAGS...: EXPECTED is `holds` or the assertion's name.
check() (
	label=$1 model=$2 expected=$3
	shift 3
	[[ $wanted == "  " || $wanted == *" $model "* || $wanted == *" $label "* ]] || return 0
	dir=$work/$label
	mkdir "$dir" && cp "$model.pml" "$dir" && cd "$dir" || return 1
	start=$(date +%s%N)
	# ring.pml has `unless`, which partial order reduction does not know. To optimise the checker takes longer than to run it,
	# but for -Og; a mutation needs none.
	if ! spin "$@" -a "$model.pml" >log 2>&1 ||
		! ${CC:-cc} -w "$([ "$expected" = holds ] && echo -Og || echo -O0)" -DSAFETY -DNOREDUCE -DCOLLAPSE -DMEMLIM=2000 -DVECTORSZ=2048 \
			-o pan pan.c >>log 2>&1; then
		echo "not ok $model $label: no checker"
		cat log
		return
	fi
	prlimit --cpu=1000 ./pan -w22 -m1000000 >log 2>&1
	status=$?
	ms=$((($(date +%s%N) - start) / 1000000))
	states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' log)
	found=$(sed -n 's/^pan:1: \(assertion violated \)\?\(.*\) (at depth.*/\2/p' log)
	if [ "$status" -ne 0 ] || { [ "$expected" = holds ] && { [ -n "$found" ] || ! grep -q 'errors: 0' log || grep -qE 'Search not completed|max search depth' log; }; }; then
		echo "not ok $model $label: ${found:-not completed}, $states states, $ms ms"
		cat log
	elif [ "$expected" != holds ] && [ "$found" != "$expected" ]; then
		echo "not ok $model $label: expected to break $expected, found ${found:-nothing}, $states states"
	elif [ "$expected" = holds ]; then
		echo "ok $model $label: holds in all $states states, $ms ms"
	else
		echo "ok $model $label: breaks $found, $ms ms"
	fi
)

{
	check two_segments ring holds
	check three_segments ring holds -DNSEG=3 -DNREC=1 -DFIRST=4
	check holds_two ring holds -DHOLDS_TWO -DNSEG=3 -DNREC=1 -DFIRST=4 -DSECOND=0
	check away ring holds -DAWAY
	check flushes ring holds -DFLUSHES -DFIRST=4
	check no_drain_thread ring holds -DNO_DRAIN -DFLUSHES
	check handler ring holds -DHANDLER=1 -DFIRST=4 -DSECOND=0
	check deadlock ring holds -DNO_KILL -DFLUSHES -DFIRST=4
	check live live holds -DLAST=3
	check sleep sleep holds
	check pack pack holds
} &
{
	check MUT_R1_EARLY ring nothing_unfinished_is_believed -DMUT_R1_EARLY
	check MUT_TAIL_FIRST ring no_race -DMUT_TAIL_FIRST
	check MUT_NO_H1 ring no_race -DMUT_NO_H1
	check MUT_NO_H1_BACK ring no_race -DMUT_NO_H1_BACK
	check MUT_NO_H2 ring no_race -DMUT_NO_H2
	check MUT_NO_CAS ring one_taker_only -DMUT_NO_CAS
	check MUT_HOLDS_ALL ring producer_never_waits -DHOLDS_TWO -DMUT_HOLDS_ALL
	check MUT_WAIT ring producer_never_waits -DMUT_WAIT
	check MUT_NO_O1 ring header_is_whole -DMUT_NO_O1
	check MUT_O2_EARLY ring header_is_whole -DMUT_O2_EARLY
	check MUT_BACK_EARLY ring no_record_is_lost -DMUT_BACK_EARLY
	check MUT_W1_EARLY ring no_record_is_lost -DMUT_W1_EARLY
	check MUT_NO_REWRITE ring no_record_is_lost -DMUT_NO_REWRITE
	check MUT_SEAL_BY_WRITTEN ring seal_is_said -DMUT_SEAL_BY_WRITTEN -DFLUSHES -DFIRST=4
	check MUT_NO_T ring no_race -DMUT_NO_T
	check MUT_NO_F2 ring ended_is_sealed -DMUT_NO_F2
	check MUT_NO_BUSY ring nothing_unfinished_is_believed -DMUT_NO_BUSY -DHANDLER=1 -DFIRST=4 -DSECOND=0
	check LIVE_MUT_NO_O1 live believed_is_whole -DLAST=3 -DMUT_NO_O1
	check LIVE_MUT_NO_O1_FENCE live believed_is_whole -DLAST=3 -DMUT_NO_O1_FENCE
	check LIVE_MUT_R1_RELAXED live believed_is_whole -DLAST=3 -DMUT_R1_RELAXED
	check LIVE_MUT_R1_EARLY live believed_is_whole -DLAST=3 -DMUT_R1_EARLY
	check LIVE_MUT_A1_RELAXED live believed_is_whole -DLAST=3 -DMUT_A1_RELAXED
	check LIVE_MUT_NO_A2_FENCE live believed_is_whole -DLAST=3 -DMUT_NO_A2_FENCE
	check LIVE_MUT_NO_SECOND_LOOK live believed_is_whole -DLAST=3 -DMUT_NO_SECOND_LOOK
	# What the position has told (R1, A1) includes the header: these two are needed only where a control page is
	# damaged.
	check LIVE_O2_RELAXED live holds -DLAST=3 -DMUT_O2_RELAXED
	check LIVE_A2_RELAXED live holds -DLAST=3 -DMUT_A2_RELAXED
	for label in Q1 Q2 Q3 Q4; do
		check PACK_MUT_${label}_RELAXED pack no_race -DMUT_${label}_RELAXED
	done
	check PACK_MUT_OPEN_ANY pack no_record_is_lost -DMUT_OPEN_ANY
	check PACK_MUT_REUSE_EARLY pack no_record_is_lost -DMUT_REUSE_EARLY
	check PACK_MUT_BACK_EARLY pack no_record_is_lost -DMUT_BACK_EARLY
	check PACK_MUT_SEAL_TRUSTS pack no_record_is_lost -DMUT_SEAL_TRUSTS
	for pair in D1 D2; do
		check SLEEP_MUT_NO_$pair sleep nobody_sleeps_over_work -DMUT_NO_$pair
	done
	for pair in F1 F2; do
		check SLEEP_MUT_NO_$pair sleep ended_is_sealed -DMUT_NO_$pair
	done
}
wait
