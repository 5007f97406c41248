package searchagent

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/drafts"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/strictjson"
	"github.com/qedkit/qed/refusal"
)

// runnable is a search that may run.
type runnable struct {
	search  *esquery.Search
	fixes   string // what the validator fixed in it; may be empty
	fixed   []byte // the author's body with the fixes; nil if there are none
	lookup  bool   // one document is looked for, which later tasks need
	sized   bool   // the model wrote a size
	figures bool   // it has aggregations
	paging  bool   // everything that it finds is wanted, and can be read in pages
}

// prepare checks a body and returns the search to run. size is how many documents are
// read if the body does not say so, and in any case for a lookup.
func prepare(v *esquery.Validator, index, written string, size int, lookup bool) (runnable, []refusal.Problem) {
	report := v.Check(index, []byte(written))
	if _, err := report.Search(); err != nil {
		return runnable{}, report.Problems
	}
	var body map[string]json.RawMessage // without repeated keys, because the body passed
	if len(strings.TrimSpace(written)) > 0 {
		if err := json.Unmarshal([]byte(written), &body); err != nil {
			return runnable{}, []refusal.Problem{{Code: esquery.ErrInvalidJSON, Message: "the body is not a JSON object"}}
		}
	}
	has := func(key string) bool { _, ok := body[key]; return ok }
	r := runnable{figures: has("aggs") || has("aggregations"), sized: has("size")}
	r.lookup = lookup && !r.figures
	r.paging = !r.sized && !r.lookup && !r.figures && !slices.ContainsFunc(unpaged, has)
	if report.Verdict == esquery.Fixed {
		r.fixes, r.fixed = fixes(report.Problems), report.Corrected()
	}
	if body == nil {
		body = map[string]json.RawMessage{}
	}
	switch {
	case r.lookup:
		for _, key := range hiding {
			delete(body, key)
		}
		body["size"] = number(size)
	case r.figures && !r.sized:
		body["size"] = number(0)
	case !r.sized:
		body["size"] = number(size)
	}
	body["track_total_hits"] = json.RawMessage("true") // without it, 0 can mean not counted
	text, err := strictjson.Encode(body)
	if err != nil {
		return runnable{}, []refusal.Problem{{Code: esquery.ErrInvalidJSON, Message: "the body is not a JSON object"}}
	}
	report = v.Check(index, text)
	r.search, err = report.Search()
	if err != nil {
		return runnable{}, report.Problems
	}
	return r, nil
}

// Searches with a key of unpaged cannot be read in pages. Searches with a key of hiding
// find fewer documents than match: a lookup ignores these keys, so that the user chooses
// from all of them.
var (
	unpaged = []string{"from", "search_after"}
	hiding  = []string{"from", "search_after", "terminate_after"}
)

// fixes returns in words what the validator fixed.
func fixes(problems []refusal.Problem) string {
	return strings.Join(lists.Map(problems, func(p refusal.Problem) string {
		return drafts.Reason([]refusal.Problem{p}) + " (fixed: " + p.Fix + ")"
	}), "; ")
}

func number(n int) json.RawMessage { return strconv.AppendInt(nil, int64(n), 10) }
