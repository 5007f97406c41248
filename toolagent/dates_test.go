package toolagent_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/llm"
)

// The queries that the tools ran are compared with the dates in the prompt, and so
// are those of an agent that a tool asks: the calendar is the same there.
func TestDates(t *testing.T) {
	for _, test := range []struct {
		name  string
		days  func(from, to string) string
		want  string
		use   dates.Use
		other []string
	}{
		{"the same", func(from, to string) string { return "d >= '" + from + "' AND d < '" + to + "'" },
			"Many.\n\nDates: \"last fiscal year\" = 2025-04-01 - 2026-03-31.", dates.Matches, nil},
		{"a day too much", func(from, to string) string { return "d BETWEEN '" + from + "' AND '" + to + "'" },
			"Many.\n\nThe dates may be wrong. The question means \"last fiscal year\" = 2025-04-01 - 2026-03-31; the query has 2026-04-01.",
			dates.Differs, []string{"2026-04-01"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			model := &mind{think: func(req *llm.Request) reply {
				if len(results(*req)) > 0 {
					return reply{text: "Many."}
				}
				_, line, _ := strings.Cut(req.Messages[0].Content, `"last fiscal year": from `)
				from, rest, _ := strings.Cut(line, " up to, not including, ")
				arguments, err := json.Marshal(map[string]string{"sql": test.days(from, rest[:min(10, len(rest))])})
				if err != nil {
					return reply{err: err}
				}
				return calls("run " + string(arguments))
			}}
			run := qed.NewTool("run", "runs SQL", func(ctx context.Context, in struct {
				SQL string `json:"sql"`
			}) (finding.Finding, error) {
				if start := qed.Info(ctx).Calendar.FiscalYearStart; start != time.April {
					t.Errorf("the fiscal year begins in %v", start)
				}
				return finding.Finding{Queries: []qed.Query{{Language: "sql", Written: in.SQL, Executed: in.SQL}}}, nil
			})
			a := newAgent(t, model, registry(t, run), nil)
			ctx := qed.WithClock(t.Context(), func() time.Time { return time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC) })
			answer, err := qed.Ask(ctx, a, qed.Turn{
				Text: "How many came last fiscal year?", Calendar: &dates.Calendar{FiscalYearStart: time.April},
			})
			if err != nil || answer.Text != test.want || answer.Partial != (test.use == dates.Differs) {
				t.Errorf("%q, partial %v, %v, want %q", answer.Text, answer.Partial, err, test.want)
			}
			want := []dates.Range{{Text: "last fiscal year", From: "2025-04-01", To: "2026-04-01", Use: test.use, Instead: test.other}}
			if diff := cmp.Diff(want, answer.Dates); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
