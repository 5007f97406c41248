package searchagent

import (
	"encoding/json"
	"fmt"
	"strconv"
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
		f.addInexact(b.name)
	}
}

// checkEstimate records a number of different values that is an estimate: engines count up to a
// threshold, and estimate beyond it.
func (f *flattener) checkEstimate(name string, def definition, value any) {
	if def.kind != "cardinality" {
		return
	}
	threshold := 3000.0 // the default of both engines, which use at most 40000
	if set, err := strconv.ParseFloat(fmt.Sprint(def.params["precision_threshold"]), 64); err == nil {
		threshold = min(set, 40000)
	}
	if n, err := strconv.ParseFloat(fmt.Sprint(value), 64); err == nil && n > threshold {
		f.addInexact(name)
	}
}

func (f *flattener) addInexact(name string) {
	f.inexact = lists.Add(f.inexact, plain(prompt.Clip(name, maxField)))
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
		" are not exact, because the engine estimates them: each shard of the index returns only its own" +
		" largest groups, and many different values are not counted one by one"
}

const maxReasons = 3
