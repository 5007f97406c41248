package chat

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/database"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/sqldb"
)

// Printer prints turns for a person: with colours on a terminal, and without them
// in a pipe or when NO_COLOR is set. Every text passes through [Visible].
type Printer struct {
	out       io.Writer
	colours   bool
	openLine  bool     // tokens of the answer, or the prompt, are on the last line
	answered  bool     // tokens of the answer were printed in this turn
	rewritten bool     // the last query was rewritten, and not refused since
	views     []string // that the rewritten query reads
	tools     bool     // the last plan calls tools
	planned   []string // the joins that were planned in this turn

	thread string
	table  *qed.Table // the last table that was printed for the thread
}

// NewPrinter returns a Printer that writes to out.
func NewPrinter(out io.Writer) *Printer {
	return &Printer{out: out, colours: IsTerminal(out) && os.Getenv("NO_COLOR") == ""}
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull) // a character device, too
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

// Source prints the name of a database, notes about it, and what is wrong with its
// policy or with the account that reads it, each finding with its fix.
func (p *Printer) Source(name string, notes []string, findings []sqldb.Finding) {
	fmt.Fprintln(p.out, p.paint(bold, command.Visible(name)))
	for _, line := range notes {
		fmt.Fprintln(p.out, p.paint(dim, command.Visible(line)))
	}
	const shown = 10
	for _, f := range findings[:min(shown, len(findings))] {
		label := "account"
		if database.OfPolicy(f) {
			label = "policy"
		}
		p.step(red, label, f.Message)
		if f.Fix != "" {
			p.step(dim, "", "fix: "+f.Fix+";")
		}
	}
	if hidden := len(findings) - shown; hidden > 0 {
		p.step(dim, "", "and "+Count(hidden, "more finding"))
	}
}

// Note prints a message of the program itself.
func (p *Printer) Note(format string, args ...any) {
	fmt.Fprintln(p.out, p.paint(yellow, command.Visible(fmt.Sprintf(format, args...))))
}

func (p *Printer) prompt() {
	fmt.Fprint(p.out, "\n", p.paint(bold, "> "))
	p.openLine = true
}

// typed prints the line that was read, unless the terminal has echoed it.
func (p *Printer) typed(line string, echoed bool) {
	p.openLine = false
	if !echoed {
		fmt.Fprintln(p.out, command.Visible(line))
	}
}

// Question prints a message of the user that was not typed at the prompt.
func (p *Printer) Question(q string) {
	fmt.Fprintf(p.out, "\n%s\n", p.paint(bold, "? "+command.Visible(q)))
}

// step prints a label and a text; further lines are aligned below the first.
func (p *Printer) step(code, label, text string) {
	p.line()
	lines := strings.Split(command.Visible(text), "\n")
	fmt.Fprintf(p.out, "  %s %s\n", p.paint(code, fmt.Sprintf("%-9s", label)), lines[0])
	for _, line := range lines[1:] {
		fmt.Fprintf(p.out, "  %9s %s\n", "", line)
	}
}

// say prints the next part of the answer.
func (p *Printer) say(text string) {
	if !p.openLine {
		fmt.Fprintf(p.out, "  %s ", p.paint(bold, fmt.Sprintf("%-9s", "answer")))
		p.openLine, p.answered = true, true
	}
	fmt.Fprint(p.out, strings.ReplaceAll(command.Visible(text), "\n", "\n"+strings.Repeat(" ", 12)))
}

// line ends the line of the answer or of the prompt.
func (p *Printer) line() {
	if p.openLine {
		fmt.Fprintln(p.out)
		p.openLine = false
	}
}

// begin prepares for a turn on a thread.
func (p *Printer) begin(thread string) {
	if thread == "" || thread != p.thread {
		p.thread, p.table = thread, nil
	}
}

// end ends a turn, whose answer may be incomplete.
func (p *Printer) end() {
	p.line()
	p.answered = false
}

// Answer prints the answer that ends a turn, then its unproved numbers, its rows, citations and
// artifacts, or the questions that interrupt it.
func (p *Printer) Answer(a qed.Answer) {
	if len(a.Questions) == 0 && !p.answered && a.Text != "" {
		p.say(a.Text)
	}
	p.end()
	if a.Partial && !strings.Contains(a.Text, a.PartialReason) {
		p.step(yellow, "partial", a.PartialReason)
	}
	if len(a.Unproved) > 0 {
		p.step(yellow, "unproved", "not in the data: "+strings.Join(a.Unproved, ", "))
	}
	p.joins(a.Queries)
	p.checks(a.Queries)
	for _, q := range a.Queries {
		if q.Verified != nil {
			p.step(green, "verified", "as "+q.Verified.String())
		}
	}
	for i, line := range a.Used.Lines() {
		p.step(dim, labelOnce("used", i), line)
	}
	p.rows(a.Table)
	for i, c := range a.Citations {
		p.step(dim, labelOnce("sources", i), fmt.Sprintf("[%d] %s (%s)", i+1, c.Title, c.Location))
	}
	for _, artifact := range a.Artifacts {
		p.step(dim, "artifact", artifact.Name+" ("+artifact.MediaType+")")
	}
	p.Questions(a.Questions)
}

// joins prints the joins of the queries that ran which were not planned.
func (p *Printer) joins(queries []qed.Query) {
	n := 0
	for _, q := range queries {
		for _, j := range q.JoinPath {
			text, reversed := j.String(), qed.Join{Left: j.Right, Right: j.Left, Condition: j.Condition}.String()
			if !slices.ContainsFunc(p.planned, func(line string) bool {
				join, _, _ := strings.Cut(line, " (")
				return join == text || join == reversed
			}) {
				p.step(cyan, labelOnce("joined", n), text)
				n++
			}
		}
	}
	p.planned = nil
}

// checks prints what the queries compute, and what was found out about that.
func (p *Printer) checks(queries []qed.Query) {
	for _, q := range queries {
		if q.Meaning != "" {
			p.step(dim, "meaning", q.Meaning)
		}
		for i, line := range q.Checked {
			p.step(cyan, labelOnce("checked", i), line)
		}
	}
}

// rows prints the first rows of a table, unless it is the table printed last.
func (p *Printer) rows(t *qed.Table) {
	if t == nil || len(t.Rows) == 0 {
		return
	}
	if p.table != nil && reflect.DeepEqual(p.table, t) {
		p.step(dim, "rows", "the same "+Count(len(t.Rows), "row")+" as before")
		return
	}
	p.table = t
	const shown = 10
	few := *t
	few.Rows = few.Rows[:min(shown, len(few.Rows))]
	var text strings.Builder
	few.WriteText(&text)
	lines := strings.Split(strings.TrimRight(text.String(), "\n"), "\n")
	if len(few.Rows) < len(t.Rows) {
		total := Count(len(t.Rows), "row")
		if t.Truncated {
			total = "more than " + total
		}
		lines[len(lines)-1] = fmt.Sprintf("(the first %d of %s)", len(few.Rows), total)
	}
	p.step(dim, "rows", strings.Join(lines, "\n"))
}

// Step prints a step of a turn: what it is, and a text about it.
func (p *Printer) Step(label, text string) { p.step(cyan, label, text) }

// Hint prints a line that belongs to the step before it.
func (p *Printer) Hint(text string) { p.step(dim, "", text) }

// Questions prints the questions that wait for a reply of the user.
func (p *Printer) Questions(questions []question.Question) {
	for _, q := range questions {
		lines := strings.Split(q.String(), "\n")
		isPlan := func(line string) bool { return strings.HasPrefix(line, `{"tasks":`) } // the text lists the tasks
		if q.Kind == question.KindApproval {
			lines = append(lines, usertext.HowToApprove(context.Background(), usertext.LanguageOf(q.Text)))
		}
		p.step(yellow, "question", strings.Join(slices.DeleteFunc(lines, isPlan), "\n"))
	}
}
