package main

import "github.com/qedkit/qed/examples/internal/chat"

// input is what the user says: first the lines of a script, then what is typed.
type input struct {
	show   *chat.Printer
	script []string // nil: there was none
	typed  func() (string, error)
}

// scripted reports whether there is a script that is not over.
func (in *input) scripted() bool { return in.script != nil }

// line returns the next line, and io.EOF at the end.
func (in *input) line() (string, error) {
	if len(in.script) > 0 {
		line := in.script[0]
		in.script = in.script[1:]
		if line != "" {
			in.show.Question(line)
		}
		return line, nil
	}
	if in.script != nil {
		in.show.Note("\nThat was the conversation. /help lists what can be typed; to ask anything, set OPENAI_API_KEY or OPENAI_BASE_URL.")
		in.script = nil
	}
	return in.typed()
}
