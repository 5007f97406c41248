package chat

import (
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/internal/terminal"
	"github.com/qedkit/qed/sqldb"
)

// Printer shows turns to a person: with colours on a terminal, plain when piped or
// when NO_COLOR is set. All that it is given may come from a model, a database or a
// document: none of it can steer the terminal.
type Printer struct {
	out      io.Writer
	colours  bool
	speaking bool // tokens of the answer are on the line, or the prompt
	spoke    bool // and were, in this turn
	secured  bool // the last statement was rewritten, and not refused since
	tools    bool // the last plan is one of tools

	thread string
	table  *qed.Table // the last that was shown in the thread
}

// NewPrinter returns a Printer that writes to out.
func NewPrinter(out io.Writer) *Printer {
	return &Printer{out: out, colours: IsTerminal(out) && os.Getenv("NO_COLOR") == ""}
}

// IsTerminal reports whether a person reads or writes a stream.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull) // which is a device of characters as well
	return err != nil || !os.SameFile(info, null)
}

const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

func (p *Printer) paint(code, text string) string {
	if !p.colours {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Source shows what is asked.
func (p *Printer) Source(s *Source) {
	fmt.Fprintln(p.out, p.paint(bold, terminal.Visible(s.Name)))
	for _, line := range s.Notes {
		fmt.Fprintln(p.out, p.paint(dim, terminal.Visible(line)))
	}
	p.findings(s.Findings)
}

const shownFindings = 10

// findings lists what is wrong with an account, each with its cure.
func (p *Printer) findings(all []sqldb.Finding) {
	for _, f := range all[:min(shownFindings, len(all))] {
		p.step(red, "account", f.Message)
		if f.Fix != "" {
			p.step(dim, "", "cure: "+f.Fix+";")
		}
	}
	if hidden := len(all) - shownFindings; hidden > 0 {
		p.step(dim, "", "and "+count(hidden, "more finding"))
	}
}

// Note shows a word of the program's own.
func (p *Printer) Note(format string, args ...any) {
	fmt.Fprintln(p.out, p.paint(yellow, terminal.Visible(fmt.Sprintf(format, args...))))
}

// prompt asks for a line.
func (p *Printer) prompt() {
	fmt.Fprint(p.out, "\n", p.paint(bold, "> "))
	p.speaking = true
}

// typed shows the line that was read, unless a person typed it where it is seen.
func (p *Printer) typed(line string, seen bool) {
	p.speaking = false
	if !seen {
		fmt.Fprintln(p.out, terminal.Visible(line))
	}
}

// Question shows what the user says, where he did not type it just now.
func (p *Printer) Question(q string) {
	fmt.Fprintf(p.out, "\n%s\n", p.paint(bold, "? "+terminal.Visible(q)))
}

// Said shows what the user was told earlier.
func (p *Printer) Said(text string) { p.step(bold, "said", text) }

// step prints a label and what belongs to it, further lines below the first.
func (p *Printer) step(code, label, text string) {
	p.line()
	lines := strings.Split(terminal.Visible(text), "\n")
	fmt.Fprintf(p.out, "  %s %s\n", p.paint(code, fmt.Sprintf("%-9s", label)), lines[0])
	for _, line := range lines[1:] {
		fmt.Fprintf(p.out, "  %9s %s\n", "", line)
	}
}

func (p *Printer) say(text string) {
	if !p.speaking {
		fmt.Fprintf(p.out, "  %s ", p.paint(bold, fmt.Sprintf("%-9s", "answer")))
		p.speaking, p.spoke = true, true
	}
	fmt.Fprint(p.out, strings.ReplaceAll(terminal.Visible(text), "\n", "\n"+strings.Repeat(" ", 12)))
}

// line ends the line that the answer stands on.
func (p *Printer) line() {
	if p.speaking {
		fmt.Fprintln(p.out)
		p.speaking = false
	}
}

// Hush ends a turn without an answer, which may have broken off.
func (p *Printer) Hush() {
	p.line()
	p.spoke = false
}

const shownRows = 10

// Answer ends a turn: the line of the answer, then what it rests on, or what the
// user is asked instead.
func (p *Printer) Answer(a qed.Answer) {
	if len(a.Questions) == 0 && !p.spoke && a.Text != "" {
		p.say(a.Text)
	}
	p.Hush()
	if a.Partial && !strings.Contains(a.Text, a.PartialReason) {
		p.step(yellow, "partial", a.PartialReason)
	}
	p.rows(a.Table)
	for i, s := range a.Citations {
		p.step(dim, labelOnce("sources", i), fmt.Sprintf("[%d] %s (%s)", i+1, s.Title, s.Location))
	}
	for _, artifact := range a.Artifacts {
		p.step(dim, "made", artifact.Name+" ("+artifact.MediaType+")")
	}
	p.Asked(a.Questions)
}

// rows shows the beginning of a table, once where later turns of the thread have the same.
func (p *Printer) rows(t *qed.Table) {
	if t == nil || len(t.Rows) == 0 {
		return
	}
	if p.table != nil && reflect.DeepEqual(p.table, t) {
		p.step(dim, "rows", "the same "+count(len(t.Rows), "row")+" as before")
		return
	}
	p.table = t
	few := *t
	few.Rows = few.Rows[:min(shownRows, len(few.Rows))]
	var text strings.Builder
	few.WriteText(&text)
	lines := strings.Split(strings.TrimRight(text.String(), "\n"), "\n")
	if len(few.Rows) < len(t.Rows) {
		found := count(len(t.Rows), "row")
		if t.Truncated {
			found = "more than " + found
		}
		lines[len(lines)-1] = fmt.Sprintf("(the first %d of %s)", len(few.Rows), found)
	}
	p.step(dim, "rows", strings.Join(lines, "\n"))
}

// Hint shows a word on what was shown last.
func (p *Printer) Hint(text string) { p.step(dim, "", text) }

// Asked shows what the user is asked.
func (p *Printer) Asked(questions []qed.Question) {
	for _, q := range questions {
		p.step(yellow, "question", q.String())
	}
}
