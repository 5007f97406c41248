package searchagent

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
)

// rough is how much the numbers of documents of an aggregation may be too low; negative:
// nobody knows.
type rough struct {
	name string
	most int64
}

// heed takes down whether an aggregation has more buckets than it returned, and whether
// their numbers are exact.
func (f *flattener) heed(b *buckets) {
	list, _ := b.agg["buckets"].([]any)
	others, _ := b.agg["sum_other_doc_count"].(json.Number)
	// An engine tells an after_key of the last page too, where that is not empty.
	full := b.agg["after_key"] != nil && (len(list) >= b.def.size() || b.def.thinned())
	f.more = f.more || full || others != "" && others != "0"

	most := whole(b.agg["doc_count_error_upper_bound"])
	if each, told := worst(list); told {
		most = each
	}
	if most == 0 {
		return
	}
	for i := range f.rough {
		if r := &f.rough[i]; r.name == b.name {
			if r.most >= 0 {
				r.most = max(r.most, most)
			}
			if most < 0 {
				r.most = most
			}
			return
		}
	}
	f.rough = append(f.rough, rough{b.name, most})
}

// worst is the largest error that buckets tell of themselves, if all do.
func worst(list []any) (most int64, told bool) {
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
	n, _ := number.Int64() // 0 where there is none
	return n
}

// said says which figures are not exact.
func (f *flattener) said() string {
	var parts []string
	for i, r := range f.rough {
		if i == maxSaid {
			parts = append(parts, fmt.Sprintf("and so are %d more", len(f.rough)-i))
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
	return strings.Join(parts, "; ") + ", as each shard of the index returns only its own largest groups"
}
