package sqlagent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/store"
)

// estimating is a database that expects to read many rows of a statement without a
// condition, and more each time that it is asked.
type estimating struct {
	database
	rows  float64
	err   error
	asked int
}

func (d *estimating) Estimate(_ context.Context, stmt *secureview.Statement) (float64, error) {
	d.asked++
	if d.err != nil || strings.Contains(stmt.SQL(), "WHERE") {
		return 10, d.err
	}
	return d.rows * float64(d.asked), nil
}

func newEstimating() *estimating {
	return &estimating{rows: 1_234_567, database: database{answers: []answer{{contains: "crew", rows: [][]any{{int64(7)}}}}}}
}

func crewModel() *llmtest.Model {
	return llmtest.New(
		reply("select_tables", tables("crew")),
		reply("generate", query("SELECT count(*) FROM crew")),
		reply("answer", text("Seven.")),
	)
}

const limited = 1_000_000

// The user is asked before a statement runs that would read more rows than the limit, and
// decides. The database is asked once, also if another process resumes the run.
func TestEstimate(t *testing.T) {
	for said, want := range map[string]struct {
		ran  int
		text string
	}{
		"Yes": {1, "Seven."},
		"no":  {0, "The query was not run, because the database expects to read about 1\u00a0200\u00a0000 rows"},
	} {
		t.Run(said, func(t *testing.T) {
			db, st, m := newEstimating(), &store.InMemory{}, crewModel()
			opt := &sqlagent.Options{MaxEstimate: limited, Store: st}
			events, asked, err := run(t, newAgent(t, m, db, opt), qed.Turn{Thread: "t", Text: "How many crews?"})
			if err != nil {
				t.Fatal(err)
			}
			if len(asked.Questions) != 1 || !strings.Contains(asked.Questions[0].Text, "about 1\u00a0200\u00a0000 rows (crew)") {
				t.Fatalf("questions: %v", asked.Questions)
			}
			if e, ok := first[qed.QueryEstimated](events); !ok || e.Rows != 1_234_567 {
				t.Errorf("event: %v", e)
			}
			if len(db.ran) > 0 {
				t.Errorf("ran before the reply: %v", db.ran)
			}
			// Another process.
			events, got, err := run(t, newAgent(t, m, db, opt), qed.Turn{Thread: "t", Text: said})
			if err != nil {
				t.Fatal(err)
			}
			if len(db.ran) != want.ran || !strings.Contains(got.Text, want.text) || got.Partial != (want.ran == 0) {
				t.Errorf("ran %v, answer %+v", db.ran, got)
			}
			if _, twice := first[qed.QueryEstimated](events); twice || db.asked != 1 {
				t.Errorf("the database was asked %d times", db.asked)
			}
		})
	}
}

// Without somebody to ask, the model writes a statement that reads less.
func TestEstimateWithoutUser(t *testing.T) {
	m := llmtest.New(
		reply("select_tables", tables("crew")),
		reply("generate", query("SELECT count(*) FROM crew")),
		reply("correct", query("SELECT count(*) FROM crew WHERE id < 9")),
		reply("answer", text("Seven.")),
	)
	db := newEstimating()
	_, got, err := run(t, newAgent(t, m, db, &sqlagent.Options{MaxEstimate: limited}), qed.Turn{Text: "How many crews?"})
	if err != nil || got.Text != "Seven." || len(db.ran) != 1 || !strings.Contains(db.ran[0], "WHERE") {
		t.Errorf("ran %v, answer %+v, %v", db.ran, got, err)
	}
	if c := got.Queries[0].Corrections; len(c) != 1 || !strings.Contains(c[0].Reason, "add conditions") {
		t.Errorf("corrections: %+v", c)
	}
}

// A statement below the limit, one without an estimate, and one without a limit run.
func TestEstimateIsLow(t *testing.T) {
	for name, test := range map[string]struct {
		limit int
		rows  float64
		asked int
	}{
		"below the limit": {limited, 1000, 1},
		"no estimate":     {limited, 0, 1},
		"no limit":        {0, 1e12, 0},
	} {
		db := newEstimating()
		db.rows = test.rows
		_, got, err := run(t, newAgent(t, crewModel(), db, &sqlagent.Options{MaxEstimate: test.limit}), qed.Turn{Text: "How many crews?"})
		if err != nil || got.Text != "Seven." || db.asked != test.asked {
			t.Errorf("%s: asked %d times, answer %+v, %v", name, db.asked, got, err)
		}
	}
	_, got, err := run(t, newAgent(t, crewModel(), &newEstimating().database, &sqlagent.Options{MaxEstimate: 1}), qed.Turn{Text: "How many crews?"})
	if err != nil || got.Text != "Seven." {
		t.Errorf("a database without estimates: %+v, %v", got, err)
	}
}

// What is wrong with a statement is corrected, and a lost database ends the turn.
func TestEstimateFails(t *testing.T) {
	m := llmtest.New(
		reply("select_tables", tables("crew")),
		reply("generate", query("SELECT count(*) FROM crew")),
		reply("correct", llmtest.Reply{JSON: map[string]any{"sql": "", "reason": "enough"}}),
	)
	db := newEstimating()
	db.err = &sqldb.Error{Kind: sqldb.ErrExecution, Message: "no such operator"}
	_, got, err := run(t, newAgent(t, m, db, &sqlagent.Options{MaxEstimate: limited}), qed.Turn{Text: "How many crews?"})
	if err != nil || !got.Partial || len(db.ran) > 0 {
		t.Errorf("ran %v, answer %+v, %v", db.ran, got, err)
	}
	db.err = &sqldb.Error{Kind: sqldb.ErrUnavailable, Message: "gone"}
	if _, _, err := run(t, newAgent(t, crewModel(), db, &sqlagent.Options{MaxEstimate: limited}), qed.Turn{Text: "How many crews?"}); !errors.Is(err, sqldb.ErrUnavailable) {
		t.Errorf("a lost database: %v", err)
	}
}
