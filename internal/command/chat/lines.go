package chat

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
)

// Lines returns a function that prompts for a line and returns it without the
// white space around it, or io.EOF at the end. When ctx is done the function
// returns at once: the input is read on a goroutine, because a read from a
// terminal cannot be cancelled.
func Lines(ctx context.Context, in io.Reader, show *Printer) func() (string, error) {
	echoed := IsTerminal(in)
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
				show.typed(line, echoed)
				return line, nil
			}
		case <-ctx.Done():
		}
		show.line()
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if err := <-failed; err != nil {
			return "", fmt.Errorf("reading the input: %w", err)
		}
		return "", io.EOF
	}
}
