package searchagent_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/searchagent"
)

// A search is compared with the times that the words of the question mean, in the
// zone of the data, with a text of the model and without one.
func TestDates(t *testing.T) {
	const findNew = "find the new documents"
	right := `{"query":{"bool":{"filter":[{"term":{"parentId":"abc-123"}},{"range":{"created":{"gte":"2026-10-31T11:00:00Z","lt":"2026-11-30T11:00:00Z"}}}]}}}`
	wrong := strings.ReplaceAll(right, "T11", "T00")
	meant := `"diesen Monat" = 2026-11-01 - 2026-11-30`
	for _, test := range []struct {
		name, body string
		list       bool
		use        dates.Use
		want       string
	}{
		{"right", right, false, dates.Matches, "Zeiten: " + meant + "."},
		{"right, listed", right, true, dates.Matches, "Zeiten: " + meant + "."},
		{"wrong", wrong, false, dates.Differs, "Die Zeiten können falsch sein. Die Frage meint " + meant},
		{"wrong, listed", wrong, true, dates.Differs, "in der Abfrage steht 2026-10-31T00:00:00Z, 2026-11-30T00:00:00Z."},
	} {
		t.Run(test.name, func(t *testing.T) {
			moment := "from 2026-10-31 11:00:00 up to, not including, 2026-11-30 11:00:00"
			generate := llmtest.Rule{Name: "generate", Contains: []string{moment}, Replies: []llmtest.Reply{body(test.body)}}
			m := llmtest.New(isSearch(), reply("plan", plan(find("documents", findNew))), generate, reply("answer", text("Es sind zwei.")))
			a := newAgent(t, m, found(2), &searchagent.Options{ListOnly: test.list})
			ctx := qed.WithClock(t.Context(), func() time.Time { return time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC) })
			answer, err := qed.Ask(ctx, a, qed.Turn{
				Text: "Welche Dokumente kamen diesen Monat?", Calendar: &dates.Calendar{Zone: "Pacific/Auckland"},
			})
			if err != nil {
				t.Fatal(err)
			}
			wants(t, "the text", answer.Text, test.want)
			if differs := test.use == dates.Differs; answer.Partial != differs || differs != strings.Contains(answer.PartialReason, "Zeiten") {
				t.Errorf("partial %v: %s", answer.Partial, answer.PartialReason)
			}
			want := []dates.Range{{
				Text: "diesen Monat", From: "2026-11-01", To: "2026-12-01", DataFrom: "2026-10-31 11:00:00", DataTo: "2026-11-30 11:00:00", Use: test.use,
			}}
			if test.use == dates.Differs {
				want[0].Instead = []string{"2026-10-31T00:00:00Z", "2026-11-30T00:00:00Z"}
			}
			if diff := cmp.Diff(want, answer.Dates); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
