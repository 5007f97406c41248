package toolagent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/tools"
)

// A host that sets the language of a turn gets answers in it, whatever the language
// of the question, and so do the agents that a tool asks.
func TestLanguage(t *testing.T) {
	for _, test := range []struct{ language, want string }{
		{"", "in the language of the question"},
		{"de-AT", `in the language "de-AT"`},
	} {
		var prompts []string
		inner := newAgent(t, &mind{think: func(req *llm.Request) reply {
			prompts = append(prompts, req.Messages[0].Content)
			return reply{text: "Three."}
		}}, registry(t, nothing()), nil)
		outer := newAgent(t, &mind{think: func(req *llm.Request) reply {
			prompts = append(prompts, req.Messages[0].Content)
			if len(results(*req)) > 0 {
				return reply{text: "Drei."}
			}
			return calls(`ships {"question":"how many ships?"}`)
		}}, registry(t, tools.FromAgent("ships", "answers questions about ships", inner)), nil)
		if _, err := qed.Ask(context.Background(), outer, qed.Turn{Text: "How many ships are late?", Language: test.language}); err != nil {
			t.Fatal(err)
		}
		if len(prompts) != 3 {
			t.Errorf("%d prompts, want 3", len(prompts))
		}
		for _, p := range prompts {
			if !strings.Contains(p, test.want) {
				t.Errorf("language %q: the prompt lacks %q:\n%s", test.language, test.want, p)
			}
		}
	}
}
