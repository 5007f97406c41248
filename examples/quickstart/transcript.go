package main

import (
	"fmt"
	"strings"

	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/examples/internal/chat"
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
	return llmtest.New(chat.Replay(fieldservice.Questions("sqlite"))...)
}
