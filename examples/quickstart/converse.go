package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
)

// converse reads questions, one a line, until an empty line or the end. A
// question that fails is reported, and the conversation goes on.
func converse(ctx context.Context, agent qed.Agent, show *printer, in io.Reader) error {
	var history []llm.Message
	next := questions(ctx, in)
	for {
		show.prompt()
		question, err := next()
		if question == "" || err != nil {
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
			show.note("%v", err)
			continue
		}
		history = remember(history, question, answer)
	}
}

// questions returns a function that returns the next line, empty at the end. It
// reads on a goroutine of its own, as nothing but a line ends reading from a
// terminal, and ctx is to end the wait.
func questions(ctx context.Context, in io.Reader) func() (string, error) {
	lines, failed := make(chan string), make(chan error, 1)
	go func() {
		defer close(lines)
		s := bufio.NewScanner(in)
		s.Buffer(nil, 1<<20)
		for s.Scan() {
			select {
			case lines <- strings.TrimSpace(s.Text()):
			case <-ctx.Done():
				return
			}
		}
		failed <- s.Err()
	}()
	return func() (string, error) {
		select {
		case line, ok := <-lines:
			if ok {
				return line, nil
			}
		case <-ctx.Done():
			return "", ctx.Err()
		}
		select {
		case err := <-failed:
			if err != nil {
				return "", fmt.Errorf("reading questions: %w", err)
			}
		default: // ctx is done
		}
		return "", ctx.Err()
	}
}
