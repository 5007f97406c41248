package sqlagent_test

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/internal/usertext/usertexttest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlagent"
)

// Without enough calls of the model the answer says so in words for the user. With
// just enough of them it is complete, and not partial.
func TestLimitsForUsers(t *testing.T) {
	for _, test := range []struct {
		calls    int
		question string
		complete bool
		text     string
	}{
		{1, "Which crews are there?", false, "The limit for one request was reached"},
		{1, "Welche Crews gibt es?", false, "Die Grenze für eine Anfrage war erreicht"},
		{2, "Which crews are there?", false, "The limit for one request was reached"},
		{3, "Which crews are there?", true, "Thirty."},
		{4, "Which crews are there?", true, "Thirty."},
	} {
		m := llmtest.New(reply("select_tables", tables("crew")), reply("generate", query("SELECT id FROM crew")), reply("answer", text("Thirty.")))
		a := newAgent(t, m, manyCrews(), nil)
		got, err := qed.Ask(budget.With(t.Context(), budget.Limits{ModelCalls: test.calls}), a, qed.Turn{Text: test.question})
		if err != nil || got.Partial == test.complete || !strings.Contains(got.Text, test.text) {
			t.Errorf("%d calls: %+v, %v", test.calls, got, err)
		}
		usertexttest.Text(t, "the text", got.Text)
		if got.Partial {
			usertexttest.Text(t, "the reason", got.PartialReason)
		}
	}
}

// Each way to fail has a text for the user, which a host can replace. What the
// developer needs is among the corrections and the events.
func TestFailuresForUsers(t *testing.T) {
	bad := query("SELECT nope FROM crew")
	for name, rules := range map[string][]llmtest.Rule{
		"no tables":      {reply("select_tables", tables(), tables())},
		"refused":        {reply("select_tables", tables("crew")), reply("generate", bad), reply("correct", query("SELECT nope2 FROM crew"), query("SELECT nope3 FROM crew"), query("SELECT nope4 FROM crew"))},
		"the same again": {reply("select_tables", tables("crew")), reply("generate", bad), reply("correct", bad)},
		"no correction":  {reply("select_tables", tables("crew")), reply("generate", bad), reply("correct", fails(llm.ErrRefusal))},
		"declined":       {reply("select_tables", tables("crew")), reply("generate", llmtest.Reply{JSON: map[string]any{"sql": "", "reason": "It asks for the weather."}})},
		"no words":       {reply("select_tables", tables("crew")), reply("generate", query("SELECT id FROM crew")), reply("answer", text(" "))},
	} {
		t.Run(name, func(t *testing.T) {
			_, got, err := run(t, newAgent(t, llmtest.New(rules...), manyCrews(), nil), qed.Turn{Text: "What is it?"})
			if err != nil || !got.Partial {
				t.Fatalf("%+v, %v", got, err)
			}
			usertexttest.Text(t, "the reason", got.PartialReason)
			if got.Table == nil {
				usertexttest.Text(t, "the text", got.Text)
			}
			if strings.Contains(got.Text, "nope") {
				t.Errorf("the text has the problem: %s", got.Text)
			}
			if name == "refused" && len(got.Queries[0].Corrections) != 4 {
				t.Errorf("corrections: %+v", got.Queries)
			}
		})
	}
	own, err := qed.ReadTexts(fstest.MapFS{"de.json": {Data: []byte(`{"sqlagent": {"NoTables": "Keine Ahnung."}}`)}})
	if err != nil {
		t.Fatal(err)
	}
	for language, want := range map[string]string{"de-CH": "Das konnte ich nicht beantworten. Keine Ahnung.", "en": "I could not answer this. I found no data"} {
		m := llmtest.New(reply("select_tables", tables(), tables()))
		agent := newAgent(t, m, manyCrews(), nil)
		translated := qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
			return qed.Ask(qed.WithTexts(ctx, own), agent, turn)
		})
		if _, got, err := run(t, translated, qed.Turn{Text: "?", Language: language}); err != nil || !strings.HasPrefix(got.Text, want) {
			t.Errorf("%s: %+v, %v", language, got, err)
		}
	}
}

// Tables that no relationship connects do not become a Cartesian product. The
// event, the model and the user learn of it.
func TestUnconnectedTables(t *testing.T) {
	const cross = "SELECT c.id, w.title FROM crew c, workOrder w"
	for _, test := range []struct {
		name, sql string
		fixed     string // after the refusal of sql; empty if it is not refused
		partial   string
	}{
		{"a product", cross, "SELECT id FROM crew", "could not be combined with the rest and are not in the answer: workOrder"},
		{"a product in a subquery", "SELECT count(*) FROM (" + cross + ") x", "SELECT id FROM crew", "not in the answer: workOrder"},
		{"one of them", "SELECT title FROM workOrder", "", "not in the answer: crew"},
		{"joined by a guess", "SELECT c.id FROM crew c JOIN workOrder w ON w.id = c.id", "", "It is not known how these data belong together"},
		{"one row each", "SELECT (SELECT count(*) FROM crew) AS crews, (SELECT count(*) FROM workOrder) AS orders", "", ""},
		{"a product of single rows", "SELECT x.n, y.n FROM (SELECT count(*) AS n FROM crew) x CROSS JOIN (SELECT count(*) AS n FROM workOrder) y", "", ""},
		{"one after the other", "SELECT id FROM crew UNION ALL SELECT id FROM workOrder", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			guard, err := secureview.New(policy(), sqlite.Dialect{})
			if err != nil {
				t.Fatal(err)
			}
			apart := schema()
			apart.Relationships = apart.Relationships[:2]
			m := llmtest.New(
				reply("select_tables", tables("crew", "workOrder")), reply("generate", query(test.sql)),
				reply("correct", query(test.fixed)), reply("answer", text("Here they are.")),
			)
			db := &database{answers: []answer{{contains: "SELECT", rows: [][]any{{int64(1)}}}}}
			if strings.Contains(test.sql, ", ") && test.fixed == "" {
				db.answers[0].rows = [][]any{{int64(1), int64(2)}}
			}
			a, err := sqlagent.New(m, db, guard, apart, nil)
			if err != nil {
				t.Fatal(err)
			}
			events, got, err := run(t, a, qed.Turn{Text: "Which crews and orders are there?"})
			if err != nil {
				t.Fatal(err)
			}
			planned, _ := first[qed.JoinPlanned](events)
			if diff := cmp.Diff([][]string{{"crew"}, {"workOrder"}}, planned.Unconnected); diff != "" {
				t.Error(diff)
			}
			for _, r := range m.Requests() {
				if r.Name == "generate" && !strings.Contains(r.Messages[len(r.Messages)-1].Content+r.Messages[0].Content, "No relationship connects these groups of tables") {
					t.Error("the model is not told")
				}
			}
			refused, isRefused := first[qed.QueryRefused](events)
			if isRefused != (test.fixed != "") || isRefused && refused.Code != string(sqlagent.ErrUnconnected) || len(db.ran) != 1 {
				t.Errorf("refused %+v, ran %q", refused, db.ran)
			}
			if got.Partial != (test.partial != "") || !strings.Contains(got.PartialReason, test.partial) || !strings.Contains(got.Text, test.partial) {
				t.Errorf("answer = %+v", got)
			}
		})
	}
	// Tables that are connected may be combined freely, if the model keeps that.
	m := llmtest.New(reply("select_tables", tables("crew", "workOrder")), reply("generate", query(cross)), reply("correct", query(cross)), reply("answer", text("Here they are.")))
	db := &database{answers: []answer{{contains: "SELECT", rows: [][]any{{int64(1), "a"}}}}}
	events, got, err := run(t, newAgent(t, m, db, nil), qed.Turn{Text: "Which crews and orders are there?"})
	if planned, _ := first[qed.JoinPlanned](events); err != nil || got.Partial || len(planned.Unconnected) > 0 || len(db.ran) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}
