package chat

import (
	"context"
	"errors"
	"io"

	"github.com/qedkit/qed/llm"
)

// Converse takes questions and replies, one a line, until an empty line or the end. A
// question that fails is reported, and the conversation goes on, unless it was
// interrupted or none can succeed.
func Converse(ctx context.Context, in io.Reader, show *Printer, ask func(text string) error) error {
	next := Lines(ctx, in, show)
	for {
		line, err := next()
		if err == io.EOF || err == nil && line == "" {
			return nil
		}
		if err != nil {
			return err
		}
		err = ask(line)
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
