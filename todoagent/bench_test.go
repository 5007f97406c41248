package todoagent_test

import (
	"fmt"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlitestore"
	"github.com/qedkit/qed/todoagent"
)

// todoTurns returns a turn of an agent with five tasks, whose model and tools reply at once.
func todoTurns(b *testing.B, st store.Store) func(thread string) {
	plan := `{"tasks":[` +
		`{"key":"resolve_entities","description":"d","tool":"say","arguments":"{\"text\":\"Port of Miami\"}"},` +
		`{"key":"map_fields","description":"d","tool":"say","arguments":"{\"text\":\"arrival_date\"}"},` +
		`{"key":"build_query","description":"d","tool":"say","arguments":"{\"text\":{\"$result\":\"resolve_entities/text\"}}","after":["map_fields"]},` +
		`{"key":"execute","description":"d","tool":"say","arguments":"{\"text\":{\"$result\":\"build_query/text\"}}"},` +
		`{"key":"summarize","description":"d","tool":"say","arguments":"{\"text\":{\"$result\":\"execute/text\"}}"}]}`
	model := llm.ModelFunc(answerByName(map[string]string{"reiterate_intention": `{"question":"q"}`, "plan_todos": plan}))
	agent, err := todoagent.New(model, todoTools(b), &todoagent.Options{Store: st})
	if err != nil {
		b.Fatal(err)
	}
	return func(thread string) {
		answer, err := qed.Ask(b.Context(), agent, qed.Turn{Thread: thread, Text: "Show shipments to Miami"})
		if err != nil || answer.Text != "arrival_date\n\nPort of Miami" || !answer.Saved {
			b.Fatalf("%+v, %v", answer, err)
		}
	}
}

func BenchmarkTodoTurn(b *testing.B) {
	turn := todoTurns(b, &store.InMemory{})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		turn(fmt.Sprint("t", i))
	}
}

func BenchmarkTodoTurnSQLite(b *testing.B) {
	st, err := sqlitestore.Open(b.TempDir()+"/todo.db", nil)
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	turn := todoTurns(b, st)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		turn(fmt.Sprint("t", i))
	}
}
