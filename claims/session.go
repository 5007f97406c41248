package claims

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/qedkit/qed/stats/hypothesis"
)

// A Session checks the findings of one analysis. Who tests twenty differences finds
// one by chance: the p-values of all claims are adjusted by the procedure of
// Benjamini and Hochberg, so a finding that was supported can lose its support as
// more are checked.
//
// The zero Session has no findings. It is safe for concurrent use.
type Session struct {
	mu      sync.Mutex
	reports []*Report
}

// NewSession returns a Session that goes on from saved reports, in the order of
// their checks.
func NewSession(reports ...*Report) *Session {
	s := &Session{}
	for _, r := range reports {
		s.put(r.clone())
	}
	s.adjust()
	return s
}

// Check is [Check] with a verdict that all findings of the session adjust. A claim
// that was checked before replaces the earlier one and counts once.
func (s *Session) Check(ctx context.Context, f Finding) (*Report, error) {
	r, err := Check(ctx, f)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(r)
	s.adjust()
	return r.clone(), nil
}

// put adds a report, or replaces that of the same claim.
func (s *Session) put(r *Report) {
	for i, old := range s.reports {
		if r.Claim != nil && old.Claim != nil && key(old.Claim) == key(r.Claim) {
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
	var all []*Report
	for _, r := range s.reports {
		all = append(all, r.clone())
	}
	return all
}

func key(c *Claim) string {
	raw, _ := json.Marshal(c) // a Value that JSON does not have was refused
	return string(raw)
}

func (s *Session) adjust() {
	var tested []*Report
	var p []float64
	for _, r := range s.reports {
		if r.P != nil {
			tested, p = append(tested, r), append(p, *r.P)
		} else {
			r.settle(nil, 0)
		}
	}
	adjusted, err := hypothesis.BenjaminiHochberg(p)
	for i, r := range tested {
		if err != nil { // a saved report was changed: nothing counts as significant
			one := 1.0
			r.settle(&one, len(p))
			continue
		}
		r.settle(&adjusted[i], len(p))
	}
}
