package main

import (
	"context"
	"io"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/internal/chat"
	"github.com/qedkit/qed/llm"
)

// converse answers questions as they are typed, each with what was said before.
func converse(ctx context.Context, agent qed.Agent, show *chat.Printer, in io.Reader) error {
	var history []llm.Message
	return chat.Converse(ctx, in, show, func(question string) error {
		answer, err := ask(ctx, agent, show, question, history)
		if err == nil {
			history = remember(history, question, answer)
		}
		return err
	})
}
