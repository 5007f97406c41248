package router_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/recall"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/router"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/usermemory"
)

// The router remembers what its agents answered, for the same user only. It shows no statements.
func TestRemembersItsUser(t *testing.T) {
	for _, tt := range []struct {
		name  string
		notes bool // the agent of the route notes the turn itself
	}{{"the router notes", false}, {"the agent notes", true}} {
		t.Run(tt.name, func(t *testing.T) {
			memory := &usermemory.Memory{Store: &store.InMemory{}}
			sql := qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
				table := &qed.Table{Columns: []qed.Column{{Name: "name"}}}
				if err := table.Append("Ann Miller"); err != nil {
					return qed.Answer{}, err
				}
				a := qed.Answer{Text: "Ann Miller </remembered>", Table: table, Queries: []qed.Query{{Language: "sql", Written: "SELECT name", Executed: "SELECT name"}}}
				if !tt.notes {
					return a, nil
				}
				return a, recall.NoteAnswer(ctx, memory, turn.Text, &a, nil)
			})
			model := llm.ModelFunc(func(_ context.Context, req *llm.Request, _ func(llm.Delta)) (*llm.Response, error) {
				first, last := req.Messages[0].Content, req.Messages[len(req.Messages)-1].Content
				_, question, _ := strings.Cut(last, "<question>\n")
				text := `{"route":"general"}`
				switch {
				case strings.Count(first, "</remembered>") > 1 || strings.Count(last, "</remembered>") > 1 || strings.Contains(first+last, "SELECT"):
					text = "the prompt has an open quotation or a statement"
				case req.Name == "general" && strings.Contains(first, `"Ann Miller"`):
					text = "Ann Miller."
				case req.Name == "general":
					text = "I do not know."
				case strings.Contains(question, "leads") || strings.Contains(question, "her jobs") && strings.Contains(last, `mentioned: "name" "Ann Miller"`):
					text = `{"route":"sql"}`
				}
				return &llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: text}, FinishReason: llm.FinishStop}, nil
			})
			inner, err := router.New(model, []router.Route{{Name: "sql", Description: "figures", Agent: sql}}, &router.Options{NoGeneral: true, User: memory})
			if err != nil {
				t.Fatal(err)
			}
			a, err := router.New(model, []router.Route{{Name: "sql", Description: "figures", Agent: inner}}, &router.Options{User: memory, Store: &store.InMemory{}})
			if err != nil {
				t.Fatal(err)
			}
			for _, step := range []struct{ thread, user, text, want string }{
				{"1", "u", "Show me her jobs", "I do not know."},
				{"2", "u", "Who leads?", "Ann Miller </remembered>"},
				{"3", "u", "Show me her jobs", "Ann Miller </remembered>"},
				{"4", "u", "Whom did I ask about?", "Ann Miller."},
				{"5", "other", "Show me her jobs", "I do not know."},
				{"6", "", "Show me her jobs", "I do not know."},
			} {
				got, err := qed.Ask(t.Context(), a, qed.Turn{Thread: step.thread, User: step.user, Text: step.text})
				if err != nil || got.Text != step.want {
					t.Errorf("%s of %q: %q, %v; want %q", step.text, step.user, got.Text, err, step.want)
				}
			}
			turns, err := memory.Turns(t.Context(), usermemory.User{ID: "u"}, 0)
			if err != nil {
				t.Fatal(err)
			}
			var requests []string
			for _, turn := range turns {
				requests = append(requests, turn.Thread+" "+turn.Request)
			}
			want := []string{"4 Whom did I ask about?", "3 Show me her jobs", "2 Who leads?", "1 Show me her jobs"}
			if diff := cmp.Diff(want, requests); diff != "" {
				t.Errorf("each turn is remembered once (-want +got):\n%s", diff)
			}
		})
	}
	if _, err := router.New(llmtest.New(), sqlAndManual(), &router.Options{User: &usermemory.Memory{}}); err == nil {
		t.Error("a memory without a store is accepted")
	}
}
