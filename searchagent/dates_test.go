package searchagent_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/llm/llmtest"
)

// The times that each document has to match are compared with the words of the
// question, in the calendar's zone, with a text of the model and without one.
func TestDates(t *testing.T) {
	const (
		findNew = "find the new documents"
		meant   = `"diesen Monat" = 2026-11-01 - 2026-11-30`
		auck    = "Pacific/Auckland"
	)
	days := `{"query":{"bool":{"filter":[{"term":{"parentId":"abc-123"}},{"range":{"created":{"gte":"2026-11-01","lt":"2026-12-01"}}}]}}}`
	moments := strings.NewReplacer("2026-11-01", "2026-10-31T11:00:00Z", "2026-12-01", "2026-11-30T11:00:00Z").Replace(days)
	for _, test := range []struct {
		name, zone, body string
		verdict          dates.Verdict
		found            string
	}{
		{"right", "", days, dates.Proved, ""},
		{"right, in another zone", auck, moments, dates.Proved, ""},
		{"right, in must", "", strings.Replace(days, "filter", "must", 1), dates.Proved, ""},
		{"right, with groups", "", strings.Replace(days, `{"query"`, `{"size":0,"aggs":{"by":{"terms":{"field":"owner"}}},"query"`, 1), dates.Proved, ""},
		{"wrong", "", strings.ReplaceAll(days, "2026-1", "2025-1"), dates.Contradicted, "2025-11-01 - 2025-11-30"},
		{"wrong, listed", "", strings.ReplaceAll(days, "2026-1", "2025-1"), dates.Contradicted, "2025-11-01 - 2025-11-30"},
		{"moments in the wrong zone", auck, strings.ReplaceAll(moments, "T11", "T00"), dates.Contradicted, "2026-10-31T00:00:00Z - 2026-11-30T00:00:00Z"},
		{"days of another zone", auck, days, dates.NotChecked, ""},
		{"the last day, with or without it", "", strings.Replace(days, `"lt":"2026-12-01"`, `"lte":"2026-11-30"`, 1), dates.NotChecked, ""},
		{"only scored", "", strings.Replace(days, "filter", "should", 1), dates.NotChecked, ""},
		{"left out", "", strings.Replace(strings.ReplaceAll(days, "2026-1", "2025-1"), "filter", "must_not", 1), dates.NotChecked, ""},
		{"also in a group", "", strings.Replace(strings.ReplaceAll(days, "2026-1", "2025-1"), `{"query"`,
			`{"aggs":{"new":{"filter":{"range":{"created":{"gte":"2026-11-01"}}}}},"query"`, 1), dates.NotChecked, ""},
		{"no times", "", `{"query":{"term":{"parentId":"abc-123"}}}`, dates.NotChecked, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			calendar := llmtest.Rule{Name: "generate", Contains: []string{"month: last 2026-10-01 to 2026-11-01"}, Replies: []llmtest.Reply{body(test.body)}}
			m := llmtest.New(isSearch(), reply("plan", plan(find("documents", findNew))), calendar, reply("answer", text("Es sind zwei.")))
			a := newAgent(t, m, found(2), nil)
			ctx := qed.WithClock(t.Context(), func() time.Time { return time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC) })
			answer, err := qed.Ask(ctx, a, qed.Turn{Text: "Welche Dokumente kamen diesen Monat?", Calendar: &dates.Calendar{Zone: test.zone}})
			if err != nil {
				t.Fatal(err)
			}
			want := dates.Reading{
				Period: dates.Period{Words: "diesen Monat", From: "2026-11-01", Before: "2026-12-01"}, By: dates.ByWords, Verdict: test.verdict,
			}
			line := ""
			switch test.verdict {
			case dates.Proved:
				line = "Zeiten: " + meant + "."
			case dates.Contradicted:
				want.Found = []string{test.found}
				line = "Die Zeiten können falsch sein. Erwartet: " + meant + "; die Abfrage liest " + test.found + "."
			}
			if line != "" && !strings.HasSuffix(answer.Text, "\n\n"+line) || line == "" && strings.Contains(answer.Text, "Zeiten") {
				t.Errorf("%q, want the line %q", answer.Text, line)
			}
			if differs := test.verdict == dates.Contradicted; answer.Partial != differs || differs != strings.Contains(answer.PartialReason, "Zeiten") {
				t.Errorf("partial %v: %s", answer.Partial, answer.PartialReason)
			}
			if diff := cmp.Diff([]dates.Reading{want}, answer.Dates); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
