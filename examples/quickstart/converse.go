package main

import (
	"context"
	"errors"
	"io"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/internal/chat"
	"github.com/qedkit/qed/llm"
)

// converse reads questions, one a line, until an empty line or the end. A
// question that fails is reported, and the conversation goes on.
func converse(ctx context.Context, agent qed.Agent, show *chat.Printer, in io.Reader) error {
	var history []llm.Message
	next := chat.Lines(ctx, in, show)
	for {
		question, err := next()
		if err == io.EOF || err == nil && question == "" {
			return nil
		}
		if err != nil {
			return err
		}
		answer, err := ask(ctx, agent, show, question, history)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, llm.ErrAuth) {
			return err
		}
		if err != nil {
			show.Note("%v", err)
			continue
		}
		history = remember(history, question, answer)
	}
}
