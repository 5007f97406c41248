package sqlitestore_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/store/sqlitestore"
)

// A conversation goes on after the program was started again.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "conversations")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	for _, text := range []string{"how many crews are there?", "and how many are at work?"} {
		store, err := sqlitestore.Open(filepath.Join(dir, "conversations.db"), nil)
		if err != nil {
			log.Fatal(err)
		}
		agent := qed.Durable(qed.AgentFunc(func(_ context.Context, turn qed.Turn) (qed.Answer, error) {
			return qed.Answer{Text: fmt.Sprintf("after %d messages you ask %q", len(turn.History), turn.Text)}, nil
		}), store, nil)
		answer, err := qed.Ask(context.Background(), agent, qed.Turn{Thread: "4711", Text: text})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(answer.Text)
		if err := store.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// after 0 messages you ask "how many crews are there?"
	// after 2 messages you ask "and how many are at work?"
}
