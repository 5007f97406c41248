package searchagent

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
)

// checkComplete records whether an aggregation has more buckets than it returned, and
// whether their counts may be too low.
func (f *flattener) checkComplete(b *buckets) {
	some := func(key string) bool {
		n, ok := b.agg[key].(json.Number)
		return ok && n != "0"
	}
	f.more = f.more || some("sum_other_doc_count")
	if some("doc_count_error_upper_bound") {
		f.inexact = lists.Add(f.inexact, plain(prompt.Clip(b.name, maxField)))
	}
}

// reason returns which figures are not exact, and why.
func (f *flattener) reason() string {
	if len(f.inexact) == 0 {
		return ""
	}
	more := ""
	if n := len(f.inexact) - maxReasons; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return "the counts of " + strings.Join(f.inexact[:min(len(f.inexact), maxReasons)], ", ") + more +
		" are not exact, because each shard of the index returns only its own largest groups"
}

const maxReasons = 3
