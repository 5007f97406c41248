package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
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

// showAll prints the whole conversation with numbered exchanges.
func (c *conversation) showAll(ctx context.Context) error {
	said, err := qed.Messages(ctx, c.store, c.thread, 0)
	n := 0
	for _, m := range said {
		if m.Role == llm.RoleUser {
			n++
			c.show.Question(fmt.Sprintf("%d. %s", n, m.Content))
		} else {
			c.show.Said(m.Content)
		}
	}
	if err == nil && n == 0 {
		c.show.Note("No question was asked yet.")
	}
	return err
}

// endOf returns the number of the record that ends exchange n of showAll.
func (c *conversation) endOf(ctx context.Context, n int) (int64, error) {
	var end int64
	begun := 0
	kinds := []store.Kind{store.Message, store.Ended}
	for rec, err := range c.store.Records(ctx, c.thread, store.Range{Kinds: kinds}) {
		if err != nil {
			return 0, err
		}
		if rec.Kind == store.Ended {
			if begun == n {
				end = rec.Seq
			}
			continue
		}
		var m llm.Message
		if err := json.Unmarshal(rec.Data, &m); err != nil {
			return 0, fmt.Errorf("record %d of the conversation: %w", rec.Seq, err)
		}
		if m.Role == llm.RoleUser {
			begun++
		}
	}
	switch {
	case n > begun:
		return 0, fmt.Errorf("there is no exchange %d: the conversation has %d", n, begun)
	case end == 0:
		return 0, fmt.Errorf("exchange %d is not over: an empty line resumes it", n)
	}
	return end, nil
}
