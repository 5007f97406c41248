package runtimetest

import (
	"context"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
)

// A server that reads much less than it was sent has cut the prompt. Texts of which no
// tokenizer needs more tokens are no reason to warn.
func TestPromptCut(t *testing.T) {
	english, russian := strings.Repeat("A crew works on an order. ", 1000), strings.Repeat("Бригада работает над заказом. ", 1000)
	for name, test := range map[string]struct {
		text   string
		tokens int
		want   bool
	}{
		"cut":               {english, 4096, true},
		"cut, Russian":      {russian, 4096, true},
		"whole":             {english, 6000, false},
		"whole, Russian":    {russian, 7500, false},
		"not reported":      {english, 0, false},
		"short":             {"How many?", 1, false},
		"indented":          {strings.Repeat("\n"+strings.Repeat(" ", 40)+"1,", 1000), 3000, false},
		"nearly as many":    {english, 4400, false},
		"no usage, no text": {"", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			model := qed.DurableModel(llm.ModelFunc(func(context.Context, *llm.Request, func(llm.Delta)) (*llm.Response, error) {
				return &llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: "yes"}, Usage: llm.Usage{InputTokens: test.tokens, Calls: 1}}, nil
			}))
			agent := qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
				_, err := model.Generate(ctx, &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: test.text}}}, nil)
				return qed.Answer{Text: "done"}, err
			})
			warned := false
			for event, err := range agent.Run(t.Context(), qed.Turn{Text: "q"}) {
				if err != nil {
					t.Fatal(err)
				}
				warning, ok := event.Data.(qed.Warning)
				warned = warned || ok && warning.Code == "prompt_cut"
			}
			if warned != test.want {
				t.Errorf("warned %v", warned)
			}
		})
	}
}
