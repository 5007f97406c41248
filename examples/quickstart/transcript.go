package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

// turn is a question to ask, in a new conversation or going on with the one
// before.
type turn struct {
	question string
	goesOn   bool
}

// recorded returns the transcript's turns: all of them, or the one with the
// given question, after the one that it goes on from.
func recorded(question string) ([]turn, error) {
	all := fieldservice.Questions("sqlite")
	var turns []turn
	for i, q := range all {
		if question != "" && !strings.EqualFold(strings.TrimSpace(question), q.Question) {
			continue
		}
		if question != "" && q.Follows != "" {
			turns = append(turns, turn{question: all[i-1].Question})
		}
		turns = append(turns, turn{q.Question, q.Follows != ""})
	}
	if len(turns) > 0 {
		return turns, nil
	}
	var known strings.Builder
	for _, q := range all {
		known.WriteString("\n  " + q.Question)
	}
	return nil, fmt.Errorf("no model is configured, and the transcript does not have this question.\n"+
		"Set OPENAI_API_KEY or OPENAI_BASE_URL to ask anything, or ask one of:%s", known.String())
}

// replay is a model that says what was recorded.
func replay() llm.Model {
	var rules []llmtest.Rule
	for _, q := range fieldservice.Questions("sqlite") {
		var statements []llmtest.Reply
		for _, sql := range q.Statements {
			statements = append(statements, llmtest.Reply{JSON: map[string]string{"sql": strings.TrimSpace(sql)}})
		}
		rules = append(rules,
			llmtest.Rule{Name: "select_tables", Match: asks(q.Question), Repeat: true,
				Replies: []llmtest.Reply{{JSON: map[string]any{"tables": q.Tables}}}},
			llmtest.Rule{Match: both(writes, asks(q.Question)), Replies: statements},
			llmtest.Rule{Name: "answer", Match: asks(q.Question), Repeat: true,
				Replies: []llmtest.Reply{{Text: q.Answer}}},
		)
	}
	return llmtest.New(rules...)
}

// asks matches requests about a question: their last message holds it quoted.
func asks(question string) func(*llm.Request) bool {
	quoted, err := json.Marshal(question)
	return func(r *llm.Request) bool {
		return err == nil && strings.Contains(r.Messages[len(r.Messages)-1].Content, "Question: "+string(quoted))
	}
}

// writes matches requests for a statement, the first and any later one.
func writes(r *llm.Request) bool { return r.Name == "generate" || r.Name == "correct" }

func both(a, b func(*llm.Request) bool) func(*llm.Request) bool {
	return func(r *llm.Request) bool { return a(r) && b(r) }
}
