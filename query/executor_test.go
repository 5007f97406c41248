package query_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/store"
)

func TestExecute(t *testing.T) {
	now := time.Date(2025, 1, 15, 10, 30, 0, 0, time.UTC)
	s := &ships{count: 7}
	c := call(t, executor(t, s), `{"query":" port=Miami "}`)
	c.ctx = qed.WithClock(c.ctx, func() time.Time { return now })
	events, _ := c.turn(qed.Turn{Text: "go"})
	if c.err != nil {
		t.Fatal(c.err)
	}
	got := read[finding.Finding](t, c.output)
	if got.Rows == nil || got.Rows.Handle == "" || got.Rows.Count != 7 || len(got.Rows.Sample.Rows) >= 7 || got.Rows.Truncated {
		t.Fatalf("rows = %+v", got.Rows)
	}
	if ran := read[struct{ Source string }](t, c.output); ran.Source != "ships" {
		t.Errorf("it says that source %q ran the query", ran.Source)
	}
	want := finding.Finding{
		Text: "7 rows found",
		Rows: got.Rows,
		Metadata: &finding.QueryMetadata{
			QueryType: "words", Query: json.RawMessage(`"port=Miami"`), Summary: "7 rows found",
			HowToRetrieve: `ships, "port=Miami"`, ExecutedAt: now,
		},
		Queries: []qed.Query{{
			Language: "words", Written: `"port=Miami"`, Executed: `run "port=Miami"`, Rows: 7, Handle: got.Rows.Handle, Millis: got.Queries[0].Millis,
		}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	wantKinds(t, events, "query_executed")
	again, _ := done[finding.Finding](t, executor(t, s), `{"query":`+string(got.Metadata.Query)+`}`)
	if again.Text != got.Text {
		t.Errorf("run again it says %q", again.Text)
	}
}

// The rows are saved next to the run, so later tasks get all of them.
func TestRowsAreKept(t *testing.T) {
	tools := qed.NewRegistry(nil)
	if err := tools.Add(executor(t, &ships{count: 7})); err != nil {
		t.Fatal(err)
	}
	agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		results, err := tools.Do(ctx, llm.ToolCall{Name: "words_executor", Arguments: json.RawMessage(`{"query":"all"}`)})
		if err != nil {
			return qed.Answer{}, err
		}
		table, err := read[finding.Finding](t, results[0].Output).Rows.Table(ctx)
		return qed.Answer{Table: table}, err
	}), &store.InMemory{}, nil)
	answer, err := qed.Ask(t.Context(), agent, qed.Turn{Thread: "t", Text: "go"})
	if err != nil || len(answer.Table.Rows) != 7 {
		t.Errorf("got %+v, %v", answer.Table, err)
	}
}

func TestCounts(t *testing.T) {
	for _, test := range []struct {
		name      string
		source    *ships
		text      string
		rows      int
		total     int64
		truncated bool
	}{
		{"one", &ships{count: 1}, "1 row found", 1, 0, false},
		{"some", &ships{count: 4}, "4 rows found", 4, 0, false},
		{"of more", &ships{count: 4, total: 142}, "142 rows found, of which the first 4 are saved", 4, 142, true},
		{"more than are saved", &ships{count: 1009}, "1009 rows found, of which the first 1000 are saved", 1000, 0, true},
		{"of more than are saved", &ships{count: 1009, total: 1420}, "1420 rows found, of which the first 1000 are saved", 1000, 1420, true},
		{"partial", &ships{count: 2, partial: "a shard failed"}, "2 rows found. It may be incomplete or inexact: a shard failed", 2, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, _ := done[finding.Finding](t, executor(t, test.source), `{"query":"all"}`)
			if got.Text != test.text || got.Rows.Count != test.rows || got.Rows.Truncated != test.truncated || got.Queries[0].Total != test.total ||
				got.Partial != test.source.partial || got.Rows.Partial != test.source.partial {
				t.Errorf("%q, rows %+v, query %+v", got.Text, got.Rows, got.Queries[0])
			}
		})
	}
}

// A refused query does not run, and the reason of a failed one is reported.
func TestExecutorErrors(t *testing.T) {
	lost := errors.New("connection lost")
	for _, test := range []struct {
		name, arguments string
		source          *ships
		want            string
		events          []string
	}{
		{"refused", `{"query":"harbour=Miami"}`, &ships{}, "no column harbour", []string{"query_refused"}},
		{"refused by the engine", `{"query":"all"}`, &ships{runErr: &refusal.Error{Package: "ships", Problems: []refusal.Problem{{Code: "engine", Message: "too many clauses"}}}}, "too many clauses", []string{"query_refused"}},
		{"failed", `{"query":"all"}`, &ships{runErr: lost}, "connection lost", nil},
		{"cannot be checked", `{"query":"all"}`, &ships{checkErr: lost}, "connection lost", nil},
		{"no query", `{}`, &ships{}, "query", nil},
		{"null", `{"query":null}`, &ships{}, "query", nil},
		{"another form", `{"query":{"match_all":{}}}`, &ships{}, "a query is a string", []string{"query_refused"}},
		{"another language", `{"query":{"language":"sql","query":"SELECT 1"}}`, &ships{}, `"sql"`, nil},
		{"nothing at all", `{"query":"all"}`, &ships{nothing: true}, "neither", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			text, events := fails(t, executor(t, test.source), test.arguments)
			contains(t, "the error", text, test.want)
			wantKinds(t, events, test.events...)
			if len(test.source.ran) > 0 && !test.source.nothing {
				t.Errorf("ran %v", test.source.ran)
			}
		})
	}
	tool := executor(t, &ships{})
	_, err := tool.Call(t.Context(), json.RawMessage(`{"query":"x=1"}`))
	if !errors.Is(err, refusal.Code("unknown_column")) {
		t.Errorf("got %v, want a refusal", err)
	}
}

// A query that names its source runs only there, in whatever form it is given, even if
// another source would accept it.
func TestQueriesOfAnotherSource(t *testing.T) {
	for name, form := range map[string]string{
		"built":               `{"source":"eu","language":"words","query":"all"}`,
		"found":               `{"source":"eu","query_metadata":{"query_type":"words","query":"all"}}`,
		"remembered":          `{"query_type":"words","query":"all","tool":"words_executor","arguments":{"source":"eu","query":"all"}}`,
		"retrieved":           `{"cached":true,"query_metadata":{"query_type":"words","query":"all","arguments":{"source":"eu","query":"all"}}}`,
		"remembered as built": `{"query_type":"words","query":"all","arguments":{"query":{"source":"eu","language":"words","query":"all"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			eu, us := &ships{name: "eu"}, &ships{name: "us"}
			both, alone := executor(t, eu, us), executor(t, us)
			b := builder(t, model(says("query", "port=Miami")), nil, eu, us)
			for arguments, tool := range map[string]qed.Tool{
				`{"source":"us","query":` + form + `}`:                  both,
				`{"query":` + form + `}`:                                alone,
				`{"source":"us","request":"r","previous":` + form + `}`: b,
			} {
				_, err := tool.Call(t.Context(), json.RawMessage(arguments))
				want := &query.SourceError{Written: "eu", Given: "us"}
				if got, ok := errors.AsType[*query.SourceError](err); !ok || *got != *want {
					t.Errorf("%s %s: got %v, want %v", tool.Name, arguments, err, want)
				} else {
					contains(t, "the error", err.Error(), `"eu"`, `"us"`)
				}
			}
			if n := len(eu.ran) + len(us.ran); n > 0 {
				t.Errorf("something ran %d times", n)
			}
			if got, _ := done[finding.Finding](t, both, `{"source":"eu","query":`+form+`}`); got.Text != "3 rows found" || len(eu.ran) != 1 || len(us.ran) != 0 {
				t.Errorf("at its own source: %+v, eu ran %v, us %v", got, eu.ran, us.ran)
			}
			if got, _ := done[built](t, b, `{"source":"eu","request":"r","previous":`+form+`}`); got.Source != "eu" || got.Mode != "edit_existing" {
				t.Errorf("changed at its own source: %+v", got)
			}
		})
	}
	// A query that does not name its source runs on the source that it is given to.
	for _, form := range []string{`"all"`, `{"language":"words","query":"all"}`, `{"query_type":"words","query":"all","arguments":{"question":"how many?"}}`} {
		us := &ships{name: "us"}
		if got, _ := done[finding.Finding](t, executor(t, &ships{name: "eu"}, us), `{"source":"us","query":`+form+`}`); got.Rows == nil || len(us.ran) != 1 {
			t.Errorf("%s: %+v", form, got)
		}
	}
}

// A query that was approved days after it was asked for ran when it was approved.
func TestExecutedAtAfterAPause(t *testing.T) {
	now := time.Date(2025, 1, 6, 9, 0, 0, 0, time.UTC)
	tools := qed.NewRegistry(nil)
	if err := tools.Add(executor(t, &ships{})); err != nil {
		t.Fatal(err)
	}
	var found finding.Finding
	agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		if _, err := qed.Interrupt[string](ctx, question.Question{Text: "May it run?"}); err != nil {
			return qed.Answer{}, err
		}
		results, err := tools.Do(ctx, llm.ToolCall{Name: "words_executor", Arguments: json.RawMessage(`{"query":"all"}`)})
		if err != nil {
			return qed.Answer{}, err
		}
		found = read[finding.Finding](t, results[0].Output)
		return qed.Answer{Text: qed.Now(ctx).Format(time.DateOnly)}, results[0].Err
	}), &store.InMemory{}, nil)
	ctx := qed.WithClock(t.Context(), func() time.Time { return now })
	answer, err := qed.Ask(ctx, agent, qed.Turn{Thread: "t", Text: "go"})
	if err != nil || len(answer.Questions) != 1 {
		t.Fatal(answer, err)
	}
	now = now.AddDate(0, 0, 5)
	answer, err = qed.Ask(ctx, agent, qed.Turn{Thread: "t", Replies: []question.Reply{{Question: answer.Questions[0].ID, Value: json.RawMessage(`"yes"`)}}})
	if err != nil || answer.Text != "2025-01-06" {
		t.Fatal(answer.Text, err)
	}
	if !found.Metadata.ExecutedAt.Equal(now) {
		t.Errorf("it ran at %v, and was approved at %v", found.Metadata.ExecutedAt, now)
	}
}

// If the budget has no rows left, nothing runs. The source spends the rows that it returns.
func TestRowBudget(t *testing.T) {
	s := &ships{count: 3}
	tool := executor(t, s)
	ctx := budget.With(t.Context(), budget.Limits{Rows: 3})
	if _, err := tool.Call(ctx, json.RawMessage(`{"query":"all"}`)); err != nil {
		t.Fatal(err)
	}
	if left, _ := budget.Remaining(ctx); left.Rows != -1 {
		t.Errorf("%d rows are left, want none", left.Rows)
	}
	if _, err := tool.Call(ctx, json.RawMessage(`{"query":"all"}`)); !errors.Is(err, budget.ErrExceeded) || len(s.ran) != 1 {
		t.Errorf("got %v after %d runs", err, len(s.ran))
	}
}

// Arguments of the caller are shortened in errors.
func TestLongErrorsAreBounded(t *testing.T) {
	text, _ := fails(t, executor(t, &ships{}, &ships{name: "boats"}), `{"source":"`+strings.Repeat("x", 5000)+`","query":"all"}`)
	if len(text) > 1000 {
		t.Errorf("the error has %d bytes", len(text))
	}
}

// A long query and its rows fit into one result.
func TestLongQueries(t *testing.T) {
	for _, n := range []int{5, 15, 60} {
		s := &ships{count: 3000}
		long := "port=" + strings.Repeat("a", n<<10)
		args, err := json.Marshal(map[string]string{"query": long})
		if err != nil {
			t.Fatal(err)
		}
		tools := qed.NewRegistry(nil)
		if err := tools.Add(executor(t, s)); err != nil {
			t.Fatal(err)
		}
		results, err := tools.Do(t.Context(), llm.ToolCall{Name: "words_executor", Arguments: args})
		if err != nil || results[0].Err != nil {
			t.Errorf("a query of %d KiB: %v, %v", n, err, results[0].Err)
			continue
		}
		got := read[finding.Finding](t, results[0].Output)
		whole := read[string](t, got.Metadata.Query) == long
		if whole != (n < 16) || got.Rows.Count == 0 || len(s.ran) != 1 {
			t.Errorf("a query of %d KiB: whole %v, %d rows", n, whole, got.Rows.Count)
		}
	}
}
