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

// A conversation continues after the program was restarted.
func Example() {
	dir, err := os.MkdirTemp("", "conversations")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	for _, text := range []string{"how many crews are there?", "and how many are at work?"} {
		st, err := sqlitestore.Open(filepath.Join(dir, "conversations.db"), nil)
		if err != nil {
			log.Fatal(err)
		}
		agent := qed.Durable(qed.AgentFunc(func(_ context.Context, turn qed.Turn) (qed.Answer, error) {
			return qed.Answer{Text: fmt.Sprintf("You asked %q after %d messages.", turn.Text, len(turn.History))}, nil
		}), st, nil)
		answer, err := qed.Ask(context.Background(), agent, qed.Turn{Thread: "thread-1", Text: text})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(answer.Text)
		if err := st.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// You asked "how many crews are there?" after 0 messages.
	// You asked "and how many are at work?" after 2 messages.
}
