package searchagent

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
)

// An inexact aggregation has counts that may be too low by most. A negative most means
// that the error is not known.
type inexact struct {
	name string
	most int64
}

// checkComplete records whether an aggregation has more buckets than it returned, and
// whether their counts are exact.
func (f *flattener) checkComplete(b *buckets) {
	list, _ := b.agg["buckets"].([]any)
	others, _ := b.agg["sum_other_doc_count"].(json.Number)
	f.more = f.more || others != "" && others != "0"

	most := whole(b.agg["doc_count_error_upper_bound"])
	if each, ok := worst(list); ok {
		most = each
	}
	if most == 0 {
		return
	}
	for i := range f.inexact {
		if r := &f.inexact[i]; r.name == b.name {
			if r.most >= 0 {
				r.most = max(r.most, most)
			}
			if most < 0 {
				r.most = most
			}
			return
		}
	}
	f.inexact = append(f.inexact, inexact{b.name, most})
}

// worst returns the largest error that the buckets report. It reports false if not all
// of them do.
func worst(list []any) (most int64, ok bool) {
	for _, item := range list {
		bucket, _ := item.(map[string]any)
		if bucket["doc_count_error_upper_bound"] == nil {
			return 0, false
		}
		n := whole(bucket["doc_count_error_upper_bound"])
		if n < 0 || most < 0 {
			n, most = -1, -1
		}
		most = max(most, n)
	}
	return most, len(list) > 0
}

func whole(v any) int64 {
	number, _ := v.(json.Number)
	n, _ := number.Int64() // 0 if there is no number
	return n
}

// reason returns which figures are not exact, and why.
func (f *flattener) reason() string {
	var parts []string
	for i, r := range f.inexact {
		if i == maxReasons {
			parts = append(parts, fmt.Sprintf("and so are %d more", len(f.inexact)-i))
			break
		}
		name := plain(prompt.Clip(r.name, maxField))
		if r.most < 0 {
			parts = append(parts, "the counts of "+name+", and which come first, are not exact")
		} else {
			parts = append(parts, fmt.Sprintf("the counts of %s may be too low, by up to %d", name, r.most))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "; ") + ", because each shard of the index returns only its own largest groups"
}

const maxReasons = 3
