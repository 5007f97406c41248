package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
)

// showLast prints the last question and what was said since. It omits questions that
// still wait for a reply.
func (c *conversation) showLast(ctx context.Context, thread qed.Thread) error {
	said, err := qed.Messages(ctx, c.store, c.thread, runMessages)
	if err != nil {
		return err
	}
	first := 0
	for i, m := range said {
		if m.Role == llm.RoleUser && m.Content == thread.Turn.Text {
			first = i
		}
	}
	for i, m := range said[first:] {
		text, _, _ := strings.Cut(m.Content, "\n(sql: ")
		switch open := len(thread.Questions) > 0 && first+i == len(said)-1; {
		case m.Role == llm.RoleUser:
			c.show.Question(m.Content)
		case !open:
			c.show.Said(text)
		}
	}
	return nil
}

// runMessages is more than the number of messages in one run.
const runMessages = 30

// history prints the turns that have ended, with their numbers.
func (c *conversation) history(ctx context.Context, _ string) error {
	turns, err := qed.History(ctx, c.store, c.thread, 0)
	for i, turn := range turns {
		c.show.Question(fmt.Sprintf("%d. %s", i+1, cmp.Or(turn.Message, "(resumed)")))
		if turn.Answer != nil {
			c.show.Said(turn.Answer.Text)
		}
	}
	if err == nil && len(turns) == 0 {
		c.show.Note("No question was answered yet.")
	}
	return err
}
