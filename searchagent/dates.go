package searchagent

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"time"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/answertext"
)

// noteDates adds the line about dates to the text of an answer.
func (s *state) noteDates(ctx context.Context, facts dates.Facts, texts *texts) {
	r := ranges{zone: facts.Now.Location().String(), complete: true}
	for i := range s.Tasks {
		if q := s.Tasks[i].Query; q.Executed != "" {
			r.read(q.Written)
		}
	}
	s.Dates = facts.Compare(nil, r.bounds, r.complete)
	note := answertext.Dates(s.Dates, texts.DatesUsed, texts.DatesDiffer, "")
	if note.Differs {
		s.because(note.Text)
	}
	if note.Text != "" {
		answertext.Append(ctx, &s.Text, note.Text)
	}
}

// ranges reads the times that bodies of searches leave. Only range clauses that
// each document has to match are read, with the limits gte and lt.
type ranges struct {
	zone     string // of the calendar
	bounds   []dates.Bound
	complete bool // the bodies have no other times
}

// read adds the ranges of a body.
func (r *ranges) read(body string) {
	var parsed map[string]any
	if err := json.Unmarshal([]byte(body), &parsed); err != nil {
		r.complete = false
		return
	}
	r.clause(parsed["query"])
	delete(parsed, "query")
	r.other(parsed)
}

// clause reads a clause that each document has to match.
func (r *ranges) clause(clause any) {
	if all, ok := clause.([]any); ok {
		for _, one := range all {
			r.clause(one)
		}
		return
	}
	named, ok := clause.(map[string]any)
	if !ok {
		r.other(clause)
		return
	}
	for name, content := range named {
		inner, ok := content.(map[string]any)
		switch {
		case ok && (name == "bool" || name == "constant_score"):
			for key, part := range inner {
				if key == "filter" || key == "must" {
					r.clause(part)
				} else {
					r.other(part)
				}
			}
		case ok && name == "range":
			for _, limits := range inner {
				r.limits(limits)
			}
		default:
			r.other(named)
		}
	}
}

// limits reads the limits of a field. Those of a field that is no time are numbers.
func (r *ranges) limits(content any) {
	limits, ok := content.(map[string]any)
	if !ok {
		r.complete = false
		return
	}
	b := dates.Bound{Exact: true}
	zone := time.UTC.String()
	if named, ok := limits["time_zone"].(string); ok {
		zone = named
	}
	for key, value := range limits {
		text, isText := value.(string)
		switch {
		case isText && key == "gte":
			b.From = text
		case isText && key == "lt":
			b.Before = text
		case key == "time_zone":
			continue
		case !isText || key == "boost":
			r.other(value)
			continue
		default: // lte, gt and format depend on the mapping
			b.Exact = false
		}
		b.Exact = b.Exact && (zone == r.zone || zoned.MatchString(text))
	}
	if b.From != "" || b.Before != "" || !b.Exact {
		r.bounds = append(r.bounds, b)
	}
}

var (
	zoned = regexp.MustCompile(`\d(Z|[+-]\d\d:?\d\d)$`)
	timed = regexp.MustCompile(`^now|^\d{4}-\d|\|\|`)
)

// other looks for times in a part of a body that is not read.
func (r *ranges) other(part any) {
	switch v := part.(type) {
	case []any:
		for _, one := range v {
			r.other(one)
		}
	case map[string]any:
		for key, one := range v {
			if slices.Contains([]string{"range", "date_range", "ranges", "script", "query_string", "simple_query_string"}, key) {
				r.complete = false
			}
			r.other(one)
		}
	case string:
		r.complete = r.complete && !timed.MatchString(v)
	case float64: // a moment can be a number of milliseconds
		r.complete = r.complete && v < 1e9
	}
}
