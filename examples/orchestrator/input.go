package main

import "github.com/qedkit/qed/internal/command/chat"

// input returns the lines of a script, and then the lines that are typed.
type input struct {
	show   *chat.Printer
	script []string // nil: no script, or it is over
	typed  func() (string, error)
}

// scripted reports whether the script is not over.
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
		in.show.Note("\nThe recorded conversation is over. /help lists what can be typed; to ask anything, set OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY.")
		in.script = nil
	}
	return in.typed()
}
