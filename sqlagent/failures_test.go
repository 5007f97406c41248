package sqlagent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

func TestNoTableIsFound(t *testing.T) {
	m := llmtest.New(reply("select_tables", tables()))
	_, got, err := run(t, newAgent(t, m, &database{}, nil), qed.Turn{Text: "What is the weather?"})
	if err != nil {
		t.Fatal(err)
	}
	if !got.Partial || got.PartialReason == "" || got.Text == "" || got.Queries != nil {
		t.Errorf("Answer = %+v, want a partial one that says why, and no query", got)
	}
}

func TestErrorsEndTheTurn(t *testing.T) {
	ok := []llmtest.Rule{
		reply("select_tables", tables("crew")),
		reply("generate", query("SELECT id FROM crew")),
		reply("answer", text("Yes.")),
	}
	with := func(i int, r llmtest.Rule) []llmtest.Rule {
		rules := slices.Clone(ok)
		rules[i] = r
		return rules
	}
	unreachable := &sqldb.Error{Kind: sqldb.ErrUnavailable}
	tests := []struct {
		name  string
		rules []llmtest.Rule
		db    *database
		text  string
		want  error
	}{
		{"no question", ok, &database{}, "  ", qed.ErrEmptyTurn},
		{"the key is wrong", with(0, reply("select_tables", fails(llm.ErrAuth))), &database{}, "q", llm.ErrAuth},
		{"the model is too slow", with(1, reply("generate", fails(llm.ErrTimeout))), &database{}, "q", llm.ErrTimeout},
		{"the database is gone", ok, &database{answers: []answer{{contains: "crew", err: unreachable}}}, "q", sqldb.ErrUnavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := run(t, newAgent(t, llmtest.New(tt.rules...), tt.db, nil), qed.Turn{Text: tt.text})
			if !errors.Is(err, tt.want) {
				t.Errorf("error = %v, want %v", err, tt.want)
			}
		})
	}
}

// Without a statement that can be read, the answer says that nothing was read.
func TestModelWritesNonsense(t *testing.T) {
	for name, rules := range map[string][]llmtest.Rule{
		"no choice":      {reply("select_tables", text("no"), text("no"), text("no"))},
		"no object":      {reply("select_tables", tables("crew")), reply("generate", text("no"), text("no"), text("no"))},
		"cut off twice":  {reply("select_tables", tables("crew")), reply("generate", fails(llm.ErrTruncated), fails(llm.ErrTruncated))},
		"the correction": {reply("select_tables", tables("crew")), reply("generate", query("SELECT nme FROM crew")), reply("correct", text("no"), text("no"), text("no"))},
	} {
		t.Run(name, func(t *testing.T) {
			_, got, err := run(t, newAgent(t, llmtest.New(rules...), &database{}, nil), qed.Turn{Text: "Which of them?"})
			if err != nil || !got.Partial || got.Table != nil || !strings.Contains(got.Text, "no reply that could be used") {
				t.Errorf("%v, %+v", err, got)
			}
		})
	}
	m := llmtest.New(reply("select_tables", tables("crew")),
		reply("generate", fails(llm.ErrTruncated), query("SELECT id FROM crew")), reply("answer", text("Yes.")))
	db := &database{answers: []answer{{contains: "crew", rows: [][]any{{int64(1)}}}}}
	if _, got, err := run(t, newAgent(t, m, db, nil), qed.Turn{Text: "Which crews?"}); err != nil || got.Partial {
		t.Errorf("cut off once: %v, %+v", err, got)
	}
}

// If the model fails to answer in words, the rows are still in the answer, the text says why,
// and a fault of the server is an event for the log.
func TestWordsFailButRowsStand(t *testing.T) {
	for name, c := range map[string]struct {
		reply llmtest.Reply
		warns bool
	}{
		"a refusal":   {fails(llm.ErrRefusal), false},
		"no text":     {text(" "), false},
		"unavailable": {fails(llm.ErrUnavailable), true},
		"too slow":    {fails(llm.ErrTimeout), true},
		"a web page":  {fails(llm.ErrProtocol), true},
		"bad request": {fails(llm.ErrBadRequest), true},
	} {
		t.Run(name, func(t *testing.T) {
			m := llmtest.New(
				reply("select_tables", tables("crew")),
				reply("generate", query("SELECT id FROM crew")),
				reply("answer", c.reply),
			)
			db := &database{answers: []answer{{contains: "crew", rows: [][]any{{int64(1)}}}}}
			events, got, err := run(t, newAgent(t, m, db, nil), qed.Turn{Text: "Which crews?"})
			if err != nil {
				t.Fatal(err)
			}
			if !got.Partial || got.Table == nil || len(got.Table.Rows) != 1 || strings.TrimSpace(got.Text) != got.PartialReason {
				t.Errorf("Answer = %+v, want a partial one with its row", got)
			}
			warns := slices.ContainsFunc(events, func(e qed.EventData) bool { _, ok := e.(qed.Warning); return ok })
			if warns != c.warns {
				t.Errorf("there is a warning: %v, want %v", warns, c.warns)
			}
		})
	}
}

// The beginning of a reference is not shown if the reply broke off there.
func TestWordsBreakOff(t *testing.T) {
	m := llmtest.New(
		reply("select_tables", tables("crew")),
		reply("generate", query("SELECT id FROM crew")),
		reply("answer", llmtest.Reply{Text: "The crews are {r1.id} and {r2.", Err: &llm.Error{Kind: llm.ErrTruncated}}),
	)
	db := &database{answers: []answer{{contains: "crew", rows: [][]any{{int64(17)}, {int64(23)}}}}}
	_, got, err := run(t, newAgent(t, m, db, nil), qed.Turn{Text: "Which crews?"})
	if err != nil || got.Text != "The crews are 17 and " || !got.Partial || len(got.Unproved) > 0 {
		t.Errorf("%v, %+v", err, got)
	}
}

// TestCancelledAtEveryStep cancels during each call of the model in turn.
func TestCancelledAtEveryStep(t *testing.T) {
	for step, name := range []string{"select_tables", "generate", "correct", "answer"} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			cause := errors.New("the user left")
			script := llmtest.New(
				reply("select_tables", tables("crew")),
				reply("generate", query("SELECT nothing FROM crew")),
				reply("correct", query("SELECT id FROM crew")),
				reply("answer", text("Yes.")),
			)
			calls := 0
			m := llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
				if calls++; calls == step+1 {
					cancel(cause)
				}
				return script.Generate(ctx, req, stream)
			})
			db := &database{answers: []answer{{contains: "crew", rows: [][]any{{int64(1)}}}}}
			_, err := qed.Ask(ctx, newAgent(t, m, db, nil), qed.Turn{Text: "Which crews?"})
			if !errors.Is(err, context.Canceled) || !errors.Is(err, cause) {
				t.Errorf("error = %v, want a cancellation with its cause", err)
			}
			if calls != step+1 {
				t.Errorf("the model was called %d times, want %d: nothing after the cancellation", calls, step+1)
			}
		})
	}
}

// TestWordsThatFail has a model that fails to put the rows into words. The text that was
// streamed is in the answer, and the answer is partial.
func TestWordsThatFail(t *testing.T) {
	cut := &llm.Error{Kind: llm.ErrTruncated, Partial: &llm.Response{Usage: llm.Usage{OutputTokens: 7, Calls: 1}}}
	for name, tt := range map[string]struct {
		says    llmtest.Reply
		partial bool
		tokens  int
	}{
		"whole":       {text("It is Ann."), false, 0},
		"none":        {text(""), true, 0},
		"blank":       {text(" \n"), true, 0},
		"half":        {llmtest.Reply{Text: "It is An", Err: cut}, true, 7},
		"none at all": {llmtest.Reply{Err: cut}, true, 7},
	} {
		t.Run(name, func(t *testing.T) {
			m := llmtest.New(reply("select_tables", tables("crew")), reply("generate", query("SELECT id FROM crew")), reply("answer", tt.says))
			happened, got, err := run(t, newAgent(t, m, &database{answers: []answer{{contains: "crew", rows: [][]any{{"Ann"}}}}}, nil), qed.Turn{Text: "q"})
			if err != nil {
				t.Fatal(err)
			}
			var told strings.Builder
			for _, d := range happened {
				if token, ok := d.(qed.Token); ok && token.Channel == qed.ChannelFinal {
					told.WriteString(token.Content)
				}
			}
			if got.Text != told.String() {
				t.Errorf("the answer is %q, and %q was told", got.Text, told.String())
			}
			if got.Partial != tt.partial || (got.PartialReason != "") != tt.partial || got.Table == nil {
				t.Errorf("partial %v (%q), want %v, and the rows", got.Partial, got.PartialReason, tt.partial)
			}
			if got.Usage.OutputTokens != tt.tokens {
				t.Errorf("%d tokens count, want %d", got.Usage.OutputTokens, tt.tokens)
			}
		})
	}
}

// oddDatabase returns invalid results.
type oddDatabase func(*secureview.Statement) (*qed.Table, error)

func (f oddDatabase) Query(_ context.Context, stmt *secureview.Statement) (*qed.Table, error) {
	return f(stmt)
}

func TestDatabaseThatReturnsNothing(t *testing.T) {
	none := oddDatabase(func(*secureview.Statement) (*qed.Table, error) { return nil, nil })
	_, _, err := run(t, newAgent(t, crewScript(), none, nil), qed.Turn{Text: "q"})
	if _, panicked := errors.AsType[*qed.PanicError](err); err == nil || panicked {
		t.Errorf("error = %v, want one that is no panic", err)
	}
}

// TestSharedResult has a database that shares its results: the agent must not change them.
func TestSharedResult(t *testing.T) {
	kept := &qed.Table{Columns: []qed.Column{{Name: "id"}}}
	for i := range int64(500) {
		kept.Rows = append(kept.Rows, []any{i})
	}
	db := oddDatabase(func(*secureview.Statement) (*qed.Table, error) { return kept, nil })
	_, got, err := run(t, newAgent(t, crewScript(), db, nil), qed.Turn{Text: "q"})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Table.Rows) != 100 || !got.Table.Truncated || len(kept.Rows) != 500 || kept.Truncated {
		t.Errorf("%d rows (more: %v) of a result that has %d now", len(got.Table.Rows), got.Table.Truncated, len(kept.Rows))
	}
}
