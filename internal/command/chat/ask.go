// Package chat asks an agent in a terminal: it reads questions and prints each step of a turn.
package chat

import (
	"context"
	"errors"
	"io"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
)

// Ask runs one turn, prints its events as they happen, and returns the answer.
func Ask(ctx context.Context, agent qed.Agent, show *Printer, turn qed.Turn) (qed.Answer, error) {
	var answer qed.Answer
	show.begin(turn.Thread)
	for event, err := range agent.Run(ctx, turn) {
		if err != nil {
			show.end()
			return answer, err
		}
		show.Event(event)
		if done, ok := event.Data.(qed.Completed); ok {
			answer = done.Answer
		}
	}
	show.Answer(answer)
	return answer, nil
}

// Converse calls ask for a question. If there is none, or ask reports that the agent asks back,
// it calls ask for each line that is typed, until an empty line or the end of the input. It
// prints the error of a line and continues, unless the context is done or the provider
// rejects the key.
func Converse(ctx context.Context, in io.Reader, show *Printer, question string, ask func(text string) (open bool, err error)) error {
	if question != "" {
		show.Question(question)
		if open, err := ask(question); err != nil || !open {
			return err
		}
	}
	show.Note("Ask a question; an empty line ends.")
	next := Lines(ctx, in, show)
	for {
		line, err := next()
		if err == io.EOF || err == nil && line == "" {
			return nil
		}
		if err != nil {
			return err
		}
		_, err = ask(line)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, llm.ErrAuth):
			return err
		case err != nil:
			show.Note("%v", err)
		}
	}
}
