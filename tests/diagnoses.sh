#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Does docs/damage.md have every name that the builder gives to damage and repairs, and no other? Names are the literals in the calls that count them,
# but for the quirks, which docs/runtimes.md has. And is each of them in a test?
set -u
cd "$(dirname "$0")/.." || exit 1
tick='`'
calls='(reader_damage|gather_repair|gather_repair_row|gather_repair_task|thread_repair|thread_close|thread_close_[a-z]+|thread_end_implicit|repair_task|unit_repair|unit_cut|count|leave_out|replay_repair|replay_leave_scopes|cross_gap)'
in_code() {
	cat builder/*.[ch] builder/*/*.[ch] | tr -d '\n\t' | grep -oE "(\<$calls\(|tally_add\([^,;]*repairs,)[^;]*;" | grep -oE '"[a-z]+(_[a-z]+)+"' | tr -d '"' | sort -u |
		grep -vxFf <(sed -nE "s/^\| $tick([a-z_]+)$tick.*/\1/p" docs/runtimes.md)
}
# In the first column of the tables, each between backticks.
in_page() {
	sed -nE "s/^\| (${tick}[^|]*)\|.*/\1/p" docs/damage.md | grep -oE "${tick}[a-z]+(_[a-z]+)+${tick}" | tr -d "$tick" | sort
}
n_failed=0
diff <(in_code) <(in_page) && echo 'ok docs/damage.md has the diagnoses that the builder makes, each once' || n_failed=1
for name in $(in_page); do
	grep -rqE --include='*.c' --include='*.py' "(\"|\[|\\\\\[)$name(\"|\]|\\\\\])" tests || {
		echo "not ok $name: no test wants it"
		n_failed=$((n_failed + 1))
	}
done
[ $n_failed -eq 0 ] && echo 'ok each of them is in a test'
exit $((n_failed > 0))
