package integration

import (
	"testing"

	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/usermemory"
)

// With a real model, past turns are found by what they mean, whatever their words.
func TestUserMemoryByMeaning(t *testing.T) {
	m := &usermemory.Memory{Store: &store.InMemory{}, Embedder: embeddings(t), EmbedderModel: "all-minilm-l6-v2"}
	ann := usermemory.User{Tenant: "acme", ID: "ann"}
	for i, request := range []string{
		"Which invoices are overdue?",
		"How late were the shipments to Miami last week?",
		"Which technicians are on vacation in July?",
		"Which containers are empty?",
	} {
		if err := m.Note(t.Context(), ann, usermemory.PastTurn{Thread: "t", Turn: i + 1, Request: request}, nil); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]string{
		"bills that customers have not paid yet":     "Which invoices are overdue?",
		"delays of cargo arriving at a Florida port": "How late were the shipments to Miami last week?",
		"staff who take holidays in summer":          "Which technicians are on vacation in July?",
	} {
		turns, err := m.Recall(t.Context(), ann, text, 1)
		if err != nil || len(turns) != 1 || turns[0].Request != want {
			t.Errorf("%q: found %+v, %v", text, turns, err)
		}
	}
}
