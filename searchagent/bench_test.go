package searchagent_test

import (
	"fmt"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/searchagent"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlitestore"
)

// searchTurns measures a turn with two tasks, whose model and engine reply at once.
func searchTurns(b *testing.B, st store.Store) {
	rules := scripted()
	v := validator(b, nil)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		agent, err := searchagent.New(llmtest.New(rules...), found(20), v, &searchagent.Options{Store: st})
		if err != nil {
			b.Fatal(err)
		}
		answer, err := qed.Ask(b.Context(), agent, qed.Turn{Thread: fmt.Sprint("t", i), Text: taxDocuments})
		if err != nil || answer.Partial || len(answer.Table.Rows) != 20 || answer.Saved != (st != nil) {
			b.Fatalf("%+v, %v", answer, err)
		}
	}
}

func BenchmarkSearchTurn(b *testing.B) { searchTurns(b, nil) }

func BenchmarkSearchTurnSQLite(b *testing.B) {
	st, err := sqlitestore.Open(b.TempDir()+"/search.db", nil)
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	searchTurns(b, st)
}
