package chat

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
)

// Lines returns a function that asks for the next line and returns it without the
// spaces around it, and io.EOF at the end. It reads on a goroutine of its own, as
// nothing but a line ends reading from a terminal, and ctx is to end the wait.
func Lines(ctx context.Context, in io.Reader, show *Printer) func() (string, error) {
	typed := IsTerminal(in)
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
		close(failed)
	}()
	return func() (string, error) {
		show.prompt()
		select {
		case line, ok := <-lines:
			if ok {
				show.typed(line, typed)
				return line, nil
			}
		case <-ctx.Done():
		}
		show.line()
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if err := <-failed; err != nil {
			return "", fmt.Errorf("reading what was typed: %w", err)
		}
		return "", io.EOF
	}
}
