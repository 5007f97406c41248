package sqlagent_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/llm/llmtest"
)

// The prompts say what words for times mean, the answer states it, and a query
// with other dates makes it partial.
func TestDates(t *testing.T) {
	const lastQuarter = `"last quarter": from 2026-07-01 up to, not including, 2026-10-01`
	for _, test := range []struct {
		name, question, sql, want string
		partial                   bool
		dates                     []dates.Range
	}{
		{"the same", "Which crews came last quarter?", "SELECT id FROM crew WHERE workOrderId >= '2026-07-01' AND workOrderId < '2026-10-01'",
			"Thirty.\n\nDates: \"last quarter\" = 2026-07-01 - 2026-09-30.", false,
			[]dates.Range{{Text: "last quarter", From: "2026-07-01", To: "2026-10-01", Use: dates.Matches}}},
		{"others", "Which crews came last quarter?", "SELECT id FROM crew WHERE workOrderId >= '2026-04-01' AND workOrderId < '2026-07-01'",
			"Thirty.\n\nThe dates may be wrong. The question means \"last quarter\" = 2026-07-01 - 2026-09-30; the query has 2026-04-01, 2026-07-01.", true,
			[]dates.Range{{Text: "last quarter", From: "2026-07-01", To: "2026-10-01", Use: dates.Differs, Instead: []string{"2026-04-01", "2026-07-01"}}}},
		{"none", "Which crews came last quarter?", "SELECT id FROM crew",
			"Thirty.\n\nDates: \"last quarter\" = 2026-07-01 - 2026-09-30. The query does not name them, so they could not be checked.", false,
			[]dates.Range{{Text: "last quarter", From: "2026-07-01", To: "2026-10-01"}}},
		{"German", "Welche Crews kamen im letzten Quartal?", "SELECT id FROM crew WHERE workOrderId BETWEEN '2026-07-01' AND '2026-09-30'",
			"Thirty.\n\nZeiten: \"letzten Quartal\" = 2026-07-01 - 2026-09-30.", false,
			[]dates.Range{{Text: "letzten Quartal", From: "2026-07-01", To: "2026-10-01", Use: dates.Matches}}},
		{"no words", "Which crews are there?", "SELECT id FROM crew WHERE workOrderId >= '2026-04-01'", "Thirty.", false, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := llmtest.New(reply("select_tables", tables("crew")), reply("generate", query(test.sql)), reply("answer", text("Thirty.")))
			a := newAgent(t, m, manyCrews(), nil)
			ctx := qed.WithClock(t.Context(), func() time.Time { return time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC) })
			var streamed strings.Builder
			var got qed.Answer
			for event, err := range a.Run(ctx, qed.Turn{Text: test.question, Calendar: &dates.Calendar{DataZone: "UTC", WeekStart: 7}}) {
				if err != nil {
					t.Fatal(err)
				}
				switch data := event.Data.(type) {
				case qed.Token:
					streamed.WriteString(data.Content)
				case qed.Completed:
					got = data.Answer
				}
			}
			if got.Text != test.want || streamed.String() != test.want || got.Partial != test.partial {
				t.Errorf("partial %v: %q, streamed %q\nwant %q", got.Partial, got.Text, streamed.String(), test.want)
			}
			if diff := cmp.Diff(test.dates, got.Dates); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			for _, r := range m.Requests()[1:] {
				prompt := r.Messages[len(r.Messages)-1].Content
				wants := []string{"Today is Monday, 2026-11-23", "A week begins on Sunday."}
				if strings.Contains(test.question, "last quarter") {
					wants = append(wants, lastQuarter)
				}
				for _, want := range wants {
					if !strings.Contains(prompt, want) {
						t.Errorf("the prompt of %s lacks %s", r.Name, want)
					}
				}
			}
		})
	}
}
