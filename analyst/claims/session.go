package claims

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/qedkit/qed/internal/hypothesis"
	"github.com/qedkit/qed/internal/lists"
)

// A Session checks the findings of one analysis together. If twenty differences are
// tested, about one is significant by chance. So a Session adjusts the p-values of all
// its findings by the procedure of Benjamini and Hochberg. A later finding can change
// the verdict of an earlier one, from proved to not checked or back.
//
// The zero Session has no findings. It is safe for concurrent use.
type Session struct {
	mu      sync.Mutex
	reports []*Report
}

// NewSession returns a Session that already contains the findings of reports, in the
// order of their checks, such as those that [Session.Reports] returned in another
// process. Their texts are written again, with the texts of ctx ([qed.WithTexts]).
func NewSession(ctx context.Context, reports ...*Report) *Session {
	s := &Session{}
	for _, r := range reports {
		s.put(r.clone())
	}
	s.adjust(ctx)
	return s
}

// Check checks a finding like the function [Check] and adds it to the session. The
// verdict of the report takes all findings of the session into account. A claim that
// equals an earlier one replaces it, and counts as one test.
func (s *Session) Check(ctx context.Context, f Finding) (*Report, error) {
	r, err := Check(ctx, f)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(r)
	s.adjust(ctx)
	return r.clone(), nil
}

// put adds a report, or replaces that of the same claim.
func (s *Session) put(r *Report) {
	for i, old := range s.reports {
		if r.Claim != nil && old.Claim != nil && key(old) == key(r) {
			s.reports[i] = r
			return
		}
	}
	s.reports = append(s.reports, r)
}

// Reports returns the reports of all findings in the order of their first check,
// with their verdicts as of now.
func (s *Session) Reports() []*Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	return lists.Map(s.reports, func(r *Report) *Report { return r.clone() })
}

// key returns what equal findings have in common. The same claim about the results of
// two queries is two findings.
func key(r *Report) string {
	raw, _ := json.Marshal(r.Claim) // a Value that JSON does not have was refused
	if r.Claim.OfResult() {
		return string(raw) + r.Finding
	}
	return string(raw)
}

func (s *Session) adjust(ctx context.Context) {
	var tested []*Report
	var p []float64
	for _, r := range s.reports {
		if r.P != nil {
			tested, p = append(tested, r), append(p, *r.P)
		} else {
			r.setVerdict(ctx, nil, 0)
		}
	}
	adjusted, err := hypothesis.BenjaminiHochberg(p)
	for i, r := range tested {
		if err != nil { // a saved report was changed: nothing counts as significant
			one := 1.0
			r.setVerdict(ctx, &one, len(p))
			continue
		}
		r.setVerdict(ctx, &adjusted[i], len(p))
	}
}
