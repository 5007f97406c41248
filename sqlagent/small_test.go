package sqlagent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/store"
)

// A small context costs rows of the prompt, and no row of the answer.
func TestSmallContextKeepsTheRows(t *testing.T) {
	var rows [][]any
	for i := range 100 {
		rows = append(rows, []any{int64(i), strings.Repeat("a long name ", 10)})
	}
	db := &database{answers: []answer{{contains: "FROM", rows: rows}}}
	m := llmtest.New(reply("select_tables", tables("workOrder")), reply("generate", query("SELECT id, title FROM workOrder")), reply("answer", text("There are {count}, the last is {r100.id}.")))
	_, got, err := run(t, newAgent(t, m, db, &sqlagent.Options{Settings: llm.Settings{ContextTokens: 4096}}), qed.Turn{Text: "Which crews?"})
	if err != nil || got.Partial || got.Text != "There are 100, the last is 99." || len(got.Table.Rows) != 100 {
		t.Errorf("%v, %+v", err, got)
	}
	for _, req := range m.Requests() {
		if n := llm.EstimateTokens(req) + req.MaxOutputTokens; n > 5000 {
			t.Errorf("%s has %d tokens", req.Name, n)
		}
	}
	if sent := prompt(t, m, "answer"); !strings.Contains(sent, "The rows below are the first") {
		t.Errorf("the prompt does not say that rows are missing: %.300s", sent)
	}
}

// The rows of a turn survive a server that refuses the last prompt as too long.
func TestServerRefusesTheAnswerPrompt(t *testing.T) {
	db := &database{answers: []answer{{contains: "crew", rows: [][]any{{int64(7)}}}}}
	m := llmtest.New(reply("select_tables", tables("crew")), reply("generate", query("SELECT id FROM crew")), reply("answer", fails(llm.ErrContextLength)))
	_, got, err := run(t, newAgent(t, m, db, nil), qed.Turn{Text: "Which crews?"})
	if err != nil || !got.Partial || got.Table == nil || len(got.Table.Rows) != 1 {
		t.Errorf("%v, %+v", err, got)
	}
}

// The schema of the selection names the tables; a reply is read as it is meant.
func TestSelectionIsAChoice(t *testing.T) {
	for name, test := range map[string]struct{ said, want string }{
		"as it is":       {"crew", "crew"},
		"with columns":   {"crew(id, name)", "crew"},
		"in the plural":  {"employees", "employee"},
		"with both":      {"Employees (id)", "employee"},
		"quoted columns": {"`crew` (id)", "crew"},
	} {
		t.Run(name, func(t *testing.T) {
			m := llmtest.New(reply("select_tables", tables(test.said)), reply("generate", query("SELECT id FROM crew")), reply("answer", text("Yes.")))
			db := &database{answers: []answer{{contains: "crew", rows: [][]any{{int64(1)}}}}}
			events, _, err := run(t, newAgent(t, m, db, nil), qed.Turn{Text: "q"})
			if got, _ := first[qed.TablesSelected](events); err != nil || fmt.Sprint(got.Tables) != "["+test.want+"]" || got.Fallback {
				t.Errorf("%v, %+v", err, got)
			}
			if s := string(m.Requests()[0].Format.Schema); !strings.Contains(s, `"enum":[`) || !strings.Contains(s, `"crew"`) || !strings.Contains(s, `"maxItems"`) {
				t.Error(s)
			}
		})
	}
}

// A request to change data is answered with what the agent does, whatever the model says.
func TestOnlyReads(t *testing.T) {
	for name, rules := range map[string][]llmtest.Rule{
		"the model knows": {reply("generate", llmtest.Reply{Text: `{"sql":"","changes_data":true,"reason":"The crews are gone."}`})},
		"the model tries": {{Name: "generate", Replies: []llmtest.Reply{query("DELETE FROM crew")}}, {Name: "correct", Replies: []llmtest.Reply{query("DELETE FROM crew WHERE 1=1"), query("DROP TABLE crew"), query("TRUNCATE crew")}}},
	} {
		t.Run(name, func(t *testing.T) {
			db := &database{}
			m := llmtest.New(append([]llmtest.Rule{reply("select_tables", tables("crew"))}, rules...)...)
			_, got, err := run(t, newAgent(t, m, db, nil), qed.Turn{Text: "Delete all crews"})
			if err != nil || !got.Partial || !strings.Contains(got.Text, "I only read data") || strings.Contains(got.Text, "gone") {
				t.Errorf("%v, %+v", err, got)
			}
		})
	}
}

// A model that writes prose instead of SQL says nothing about what was asked.
func TestProseChangesNothing(t *testing.T) {
	prose := query("Sure, here is the query you need")
	m := llmtest.New(reply("select_tables", tables("crew")), llmtest.Rule{Name: "generate", Replies: []llmtest.Reply{prose}},
		reply("correct", query("I think this works"), query("There are 12"), query("None")))
	_, got, err := run(t, newAgent(t, m, &database{}, nil), qed.Turn{Text: "How many crews are there?"})
	if err != nil || !got.Partial || strings.Contains(got.Text, "I only read data") {
		t.Errorf("%v, %q", err, got.Text)
	}
}

// What the model gives as a reason is quoted as its guess, not said of the data.
func TestReasonIsNotAFact(t *testing.T) {
	m := llmtest.New(reply("select_tables", tables("crew")), reply("generate", llmtest.Reply{Text: `{"sql":"","reason":"There are no ships."}`}))
	_, got, err := run(t, newAgent(t, m, &database{}, nil), qed.Turn{Text: "Which ships?"})
	if err != nil || !strings.Contains(got.Text, "Nothing was read from the data") || !strings.Contains(got.Text, "not checked: “There are no ships.”") {
		t.Errorf("%v, %q", err, got.Text)
	}
}

// Tables that nobody chose are no reason to ask how they belong together.
func TestNoQuestionAboutGuessedTables(t *testing.T) {
	m := llmtest.New(reply("select_tables", tables("x"), tables("x")),
		reply("generate", query("SELECT a.city FROM invoice i JOIN address a ON a.id = i.shippingId"), query("SELECT a.city FROM invoice i JOIN address a ON a.id = i.shippingId")), reply("answer", text("Berlin.")))
	a := twoWays(t, m, &sqlagent.Options{InterruptForJoins: true, Store: &store.InMemory{}})
	events, got, err := run(t, a, qed.Turn{Thread: "t", Text: "Which address has each invoice?"})
	if chosen, _ := first[qed.TablesSelected](events); err != nil || !chosen.Fallback || len(chosen.Tables) != 2 || len(got.Questions) > 0 {
		t.Errorf("%v, %+v, %+v", err, chosen, got)
	}
	if plan, _ := first[qed.JoinPlanned](events); len(plan.Ties) != 1 {
		t.Errorf("the prompt does not name the tie: %+v", plan)
	}
}
