// Package replay has the scripted models of the examples, which answer as recorded.
package replay

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

// Rules returns the rules of a scripted model that answers the SQL agent as
// recorded. A rule depends on the request alone, so another process can replay
// the rest of an interrupted turn.
func Rules(questions []fieldservice.Question) []llmtest.Rule {
	var rules []llmtest.Rule
	for _, q := range questions {
		asks := Asks("Question: ", q.Question)
		for _, w := range q.Ways {
			rules = append(rules, wayRules(asks, q, w)...)
		}
		rules = append(rules, Rule("select_tables", asks, map[string]any{"tables": q.Tables}))
		if said := cmp.Or(q.Reply, q.Answer); said != "" {
			rules = append(rules, Rule("answer", asks, said))
		}
		// The request for a correction quotes the statement before it, so the last
		// attempt is matched first.
		for i := len(q.Statements) - 1; i >= 0; i-- {
			before := ""
			if i > 0 {
				before = strings.TrimSpace(q.Statements[i-1])
			}
			writes := func(r *llm.Request) bool {
				return (r.Name == "generate" || r.Name == "correct") && asks(r) && strings.Contains(last(r), before)
			}
			rules = append(rules, written("", writes, q, q.Statements[i])...)
		}
	}
	return rules
}

// wayRules returns the rules for a join that the user chose: it is in the plan of the
// prompt, and later in the statement.
func wayRules(asks func(*llm.Request) bool, q fieldservice.Question, w fieldservice.Way) []llmtest.Rule {
	planned := func(r *llm.Request) bool {
		_, plan, _ := strings.Cut(last(r), "\nHow the tables join:\n")
		plan, _, _ = strings.Cut(plan, "\n\n")
		undecided := strings.Contains(last(r), "\nOther joins have the same cost")
		return asks(r) && !undecided && strings.Contains(strings.ReplaceAll(plan, "\n", " ")+" ", "."+w.Column+" ")
	}
	ran := func(r *llm.Request) bool { return asks(r) && Mentions(r, w.Column) }
	return append(written("generate", planned, q, w.Statement), Rule("answer", ran, w.Reply))
}

// written returns the rules for a statement. A prompt that asks for the times of the
// question gets them next to it.
func written(name string, match func(*llm.Request) bool, q fieldservice.Question, statement string) []llmtest.Rule {
	sql := strings.TrimSpace(statement)
	rules := []llmtest.Rule{Rule(name, match, map[string]any{"sql": sql})}
	if len(q.Periods) == 0 {
		return rules
	}
	timed := func(r *llm.Request) bool {
		asks := func(m llm.Message) bool { return strings.Contains(m.Text(), `"periods"`) }
		return match(r) && slices.ContainsFunc(r.Messages, asks)
	}
	return append([]llmtest.Rule{Rule(name, timed, map[string]any{"sql": sql, "periods": q.Periods})}, rules...)
}

// Rule returns a rule of a scripted model: its reply to all requests with a name, or
// with any name for "", that match. A string is the text of the reply; another value
// is encoded as JSON.
func Rule(name string, match func(*llm.Request) bool, reply any) llmtest.Rule {
	r := llmtest.Reply{JSON: reply}
	if text, ok := reply.(string); ok {
		r = llmtest.Reply{Text: text}
	}
	return llmtest.Rule{Name: name, Match: match, Replies: []llmtest.Reply{r}, Repeat: true}
}

// Changed returns a model whose replies to requests with the name of a change are changed:
// the last message of such a request and the recorded reply give the new one, which takes the
// time of the recorded one.
func Changed(recorded llm.Model, changes map[string]func(prompt, reply string) string) llm.Model {
	return llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		change := changes[req.Name]
		if change == nil {
			return recorded.Generate(ctx, req, stream)
		}
		resp, err := recorded.Generate(ctx, req, func(llm.Delta) {})
		if err != nil {
			return nil, err
		}
		resp.Message.Content = change(last(req), resp.Message.Content)
		if stream != nil {
			stream(llm.Delta{Text: resp.Message.Content})
		}
		return resp, nil
	})
}

// Asks matches requests whose last message contains label followed by the quoted
// text.
func Asks(label, text string) func(*llm.Request) bool {
	quoted := label + prompt.Quote(text)
	return func(r *llm.Request) bool { return strings.Contains(last(r), quoted) }
}

// Mentions reports whether the last message of a request contains all texts.
func Mentions(r *llm.Request, texts ...string) bool {
	return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(last(r), text) })
}

func last(r *llm.Request) string { return r.Messages[len(r.Messages)-1].Content }

// NotRecorded is the error for a question that a recording does not have. It
// lists the questions that can be asked without a model.
func NotRecorded(questions []string) error {
	return fmt.Errorf("%w,\nor ask one of the recorded questions:\n  %s", settings.ErrNoModel, strings.Join(questions, "\n  "))
}
