package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/internal/terminal"
	"github.com/qedkit/qed/sqldb"
)

// printer shows a turn to a person: with colours on a terminal, plain when
// piped or when NO_COLOR is set.
type printer struct {
	out      io.Writer
	colours  bool
	speaking bool // tokens of the answer are on the line
	secured  bool // the last statement was rewritten, and not refused since
}

func newPrinter(out io.Writer) *printer {
	p := &printer{out: out}
	if f, ok := out.(*os.File); ok && os.Getenv("NO_COLOR") == "" {
		info, err := f.Stat()
		p.colours = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

func (p *printer) paint(code, text string) string {
	if !p.colours {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p *printer) source(s *source) {
	fmt.Fprintln(p.out, p.paint(bold, s.name))
	for _, line := range s.notes {
		fmt.Fprintln(p.out, p.paint(dim, terminal.Visible(line)))
	}
	p.findings(s.findings)
}

const shownFindings = 10

// findings lists what is wrong with an account, each with its cure.
func (p *printer) findings(all []sqldb.Finding) {
	for _, f := range all[:min(shownFindings, len(all))] {
		p.step(red, "account", f.Message)
		if f.Cure != "" {
			p.step(dim, "", "cure: "+f.Cure+";")
		}
	}
	if hidden := len(all) - shownFindings; hidden > 0 {
		p.step(dim, "", "and "+count(hidden, "more finding"))
	}
}

func (p *printer) note(format string, args ...any) {
	fmt.Fprintln(p.out, p.paint(yellow, terminal.Visible(fmt.Sprintf(format, args...))))
}

func (p *printer) prompt() { fmt.Fprint(p.out, "\n", p.paint(bold, "> ")) }

func (p *printer) question(q string) {
	fmt.Fprintf(p.out, "\n%s\n", p.paint(bold, "? "+terminal.Visible(q)))
}

// step prints a label and what belongs to it, further lines below the first.
func (p *printer) step(code, label, text string) {
	lines := strings.Split(terminal.Visible(text), "\n")
	fmt.Fprintf(p.out, "  %s %s\n", p.paint(code, fmt.Sprintf("%-9s", label)), lines[0])
	for _, line := range lines[1:] {
		fmt.Fprintf(p.out, "  %9s %s\n", "", line)
	}
}

// event shows what happened. Everything in an event may come from a model or a
// database: terminal.Visible keeps it from steering the terminal.
func (p *printer) event(e qed.Event) {
	switch d := e.Data.(type) {
	case qed.TablesSelected:
		p.step(cyan, "tables", strings.Join(d.Tables, ", ")+because(d.Reason))
	case qed.JoinPlanned:
		for i, join := range d.Joins {
			p.step(cyan, labelOnce("path", i), join)
		}
		for _, tie := range d.Ties {
			p.step(cyan, "or", tie)
		}
	case qed.QueryWritten:
		p.step(cyan, "model", d.Query)
	case qed.QueryRewritten:
		p.secured = true
		p.step(green, "secured", d.Query)
		if len(d.Views) > 0 {
			p.step(dim, "", "through "+strings.Join(d.Views, ", "))
		}
	case qed.NodeFinished:
		if p.secured && e.Path == "validate" {
			p.secured = false
			p.step(green, "valid", "every table, column and function is one that may be read")
		}
	case qed.QueryRefused:
		p.secured = false
		p.step(red, "refused", d.Message)
		if len(d.Candidates) > 0 {
			p.step(dim, "", "perhaps: "+strings.Join(d.Candidates, ", "))
		}
	case qed.QueryCorrected:
		p.step(yellow, "correct", fmt.Sprintf("attempt %d", d.Attempt))
	case qed.QueryExecuted:
		more := ""
		if d.Truncated {
			more = ", and there are more"
		}
		p.step(green, "ran", fmt.Sprintf("%s in %s%s", count(d.Rows, "row"), millis(d.Millis), more))
	case qed.Token:
		if d.Channel == qed.ChannelFinal {
			p.say(d.Content)
		}
	}
}

func labelOnce(label string, i int) string {
	if i > 0 {
		return ""
	}
	return label
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + reason + ")"
}

func (p *printer) say(text string) {
	if !p.speaking {
		fmt.Fprintf(p.out, "  %s ", p.paint(bold, fmt.Sprintf("%-9s", "answer")))
		p.speaking = true
	}
	fmt.Fprint(p.out, strings.ReplaceAll(terminal.Visible(text), "\n", "\n"+strings.Repeat(" ", 12)))
}

// hush ends the line of the answer, which may have broken off.
func (p *printer) hush() {
	if p.speaking {
		fmt.Fprintln(p.out)
		p.speaking = false
	}
}

const shownRows = 10

// answer ends a turn: the line of the answer, then the rows it speaks of.
func (p *printer) answer(a qed.Answer) {
	p.hush()
	if a.Partial && !strings.Contains(a.Text, a.PartialReason) {
		p.step(yellow, "partial", a.PartialReason)
	}
	if a.Table != nil && len(a.Table.Rows) > 0 {
		few := *a.Table
		few.Rows = few.Rows[:min(shownRows, len(few.Rows))]
		var text strings.Builder
		few.WriteText(&text)
		p.step(dim, "rows", strings.TrimRight(text.String(), "\n"))
		if hidden := len(a.Table.Rows) - len(few.Rows); hidden > 0 {
			p.step(dim, "", "and "+count(hidden, "more row"))
		}
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func millis(n int64) string {
	if n == 0 {
		return "under 1 ms"
	}
	return fmt.Sprintf("%d ms", n)
}
