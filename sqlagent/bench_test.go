package sqlagent_test

import (
	"fmt"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlitestore"
)

// sqlTurns measures a turn with one statement, whose model and database reply at once.
func sqlTurns(b *testing.B, st store.Store) {
	guard, err := secureview.New(&secureview.Policy{
		Dialect: "sqlite",
		Tables:  map[string][]string{"secure_employee": {"id", "firstName"}},
		Views:   map[string]string{"employee": "secure_employee"},
	}, sqlite.Dialect{})
	if err != nil {
		b.Fatal(err)
	}
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{"employee": {Columns: []string{"id", "firstName", "ssn"}}}}
	rows := make([][]any, 20)
	for i := range rows {
		rows[i] = []any{fmt.Sprint("Ann ", i)}
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		model := llmtest.New(
			llmtest.Rule{Name: "select_tables", Replies: []llmtest.Reply{{JSON: map[string]any{"tables": []string{"employee"}}}}},
			llmtest.Rule{Name: "generate", Replies: []llmtest.Reply{{JSON: map[string]any{"sql": "SELECT e.firstName FROM employee e"}}}},
			llmtest.Rule{Name: "answer", Replies: []llmtest.Reply{{Text: "They work here."}}},
		)
		db := &database{answers: []answer{{contains: "employee", rows: rows}}}
		agent, err := sqlagent.New(model, db, guard, schema, &sqlagent.Options{Store: st})
		if err != nil {
			b.Fatal(err)
		}
		answer, err := qed.Ask(b.Context(), agent, qed.Turn{Thread: fmt.Sprint("t", i), Text: "Who works here?"})
		if err != nil || answer.Partial || len(answer.Table.Rows) != 20 || answer.Saved != (st != nil) {
			b.Fatalf("%+v, %v", answer, err)
		}
	}
}

func BenchmarkSQLTurn(b *testing.B) { sqlTurns(b, nil) }

func BenchmarkSQLTurnSQLite(b *testing.B) {
	st, err := sqlitestore.Open(b.TempDir()+"/sql.db", nil)
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	sqlTurns(b, st)
}
