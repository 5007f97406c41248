package sealed_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sealed"
)

// The store in the middle has nothing that can be read. The key is rotated
// between two turns of a conversation.
func Example() {
	first := bytes.Repeat([]byte{1}, 32) // a program reads its keys from a key management service
	second := bytes.Repeat([]byte{2}, 32)
	agent := qed.AgentFunc(func(_ context.Context, turn qed.Turn) (qed.Answer, error) {
		return qed.Answer{Text: fmt.Sprintf("You asked %q after %d messages.", turn.Text, len(turn.History))}, nil
	})

	inner := new(store.InMemory)
	for _, turn := range []struct {
		text, current string
		keys          map[string][]byte
	}{
		{"how many crews are there?", "2026-11", map[string][]byte{"2026-11": first}},
		{"and how many are at work?", "2026-12", map[string][]byte{"2026-11": first, "2026-12": second}},
	} {
		keys, err := sealed.StaticKeys(turn.current, turn.keys)
		if err != nil {
			log.Fatal(err)
		}
		st, err := sealed.New(inner, keys)
		if err != nil {
			log.Fatal(err)
		}
		answer, err := qed.Ask(context.Background(), qed.Durable(agent, st, nil), qed.Turn{Thread: "t", Text: turn.text})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(answer.Text)
	}

	for rec, err := range inner.Records(context.Background(), "t", store.Range{Kinds: []store.Kind{store.Message}}) {
		if err != nil {
			log.Fatal(err)
		}
		readable, _, _ := strings.Cut(string(rec.Data), `"sealed":`)
		fmt.Println(rec.Seq, rec.Kind, readable+"...")
	}
	// Output:
	// You asked "how many crews are there?" after 0 messages.
	// You asked "and how many are at work?" after 2 messages.
	// 2 message {"key":"2026-11",...
	// 3 message {"key":"2026-11",...
	// 6 message {"key":"2026-12",...
	// 7 message {"key":"2026-12",...
}
