package chat

import (
	"encoding/json"
	"strings"

	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

// Replay returns rules by which a scripted model says to the SQL agent what was
// recorded. They look at nothing but the request, so a turn that was interrupted
// goes on with the same words in another process.
func Replay(questions []fieldservice.Question) []llmtest.Rule {
	var rules []llmtest.Rule
	for _, q := range questions {
		asks := Asks("Question: ", q.Question)
		rules = append(rules,
			llmtest.Rule{Name: "select_tables", Match: asks, Repeat: true,
				Replies: []llmtest.Reply{{JSON: map[string]any{"tables": q.Tables}}}},
			llmtest.Rule{Name: "answer", Match: asks, Repeat: true,
				Replies: []llmtest.Reply{{Text: q.Answer}}},
		)
		// A request for another attempt quotes the one before it.
		for i := len(q.Statements) - 1; i >= 0; i-- {
			before := ""
			if i > 0 {
				before = strings.TrimSpace(q.Statements[i-1])
			}
			rules = append(rules, llmtest.Rule{
				Match: func(r *llm.Request) bool {
					writes := r.Name == "generate" || r.Name == "correct"
					return writes && asks(r) && strings.Contains(last(r), before)
				},
				Repeat:  true,
				Replies: []llmtest.Reply{{JSON: map[string]string{"sql": strings.TrimSpace(q.Statements[i])}}},
			})
		}
	}
	return rules
}

// Asks matches requests whose last message has a text, quoted, behind a mark.
func Asks(mark, text string) func(*llm.Request) bool {
	quoted, err := json.Marshal(text)
	return func(r *llm.Request) bool { return err == nil && strings.Contains(last(r), mark+string(quoted)) }
}

func last(r *llm.Request) string { return r.Messages[len(r.Messages)-1].Content }
