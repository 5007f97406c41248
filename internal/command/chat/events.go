package chat

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/question"
)

// Event prints an event of a turn.
func (p *Printer) Event(e qed.Event) {
	switch d := e.Data.(type) {
	case qed.RouteDecision:
		p.step(cyan, "route", d.Route+because(d.Reason))
	case qed.TablesSelected:
		p.step(cyan, "tables", strings.Join(d.Tables, ", ")+because(d.Reason))
	case qed.JoinPlanned:
		p.planned = append(p.planned, d.Joins...)
		for i, join := range d.Joins {
			p.step(cyan, labelOnce("path", i), join)
		}
		for _, tie := range d.Ties {
			p.step(cyan, "or", tie)
		}
	case qed.QueryWritten:
		if d.Reason != "" {
			p.step(yellow, "correct", fmt.Sprintf("attempt %d", d.Attempt-1))
		}
		p.step(cyan, "model", layout(d.Query))
	case qed.QueryRewritten:
		p.rewritten, p.views = true, d.Views
		p.step(green, "secured", layout(d.Query))
	case qed.NodeFinished:
		if p.rewritten && path.Base(e.Path) == "validate" {
			p.rewritten = false
			views := suffix("; read through ", p.views)
			p.step(green, "valid", "the policy allows every table, column and function"+views)
		}
	case qed.QueryEstimated:
		p.step(yellow, "cost", fmt.Sprintf("the database expects to read about %.0f rows", d.Rows))
	case qed.QueryRefused:
		p.rewritten = false
		p.step(red, "refused", d.Message)
		if len(d.Candidates) > 0 {
			p.step(dim, "", "did you mean: "+strings.Join(d.Candidates, ", "))
		}
	case qed.QueryExecuted:
		more := ""
		if d.Truncated {
			more = ", and there are more"
		}
		p.step(green, "ran", fmt.Sprintf("%s in %s%s", Count(d.Rows, "row"), millis(d.Millis), more))
	case qed.QueryEmpty:
		shown := 0
		for _, predicate := range d.Empty.Predicates {
			if predicate.Verdict != dates.Proved {
				p.step(yellow, labelOnce("empty", shown), predicate.String())
				shown++
			}
		}
	case qed.IntentClassified:
		p.step(cyan, "intent", string(d.Intent)+suffix(" of ", d.Tasks)+because(d.Reason))
	case qed.QuestionRewritten:
		p.step(cyan, "rewritten", d.Question)
	case qed.Planned:
		p.tools = slices.ContainsFunc(d.Tasks, func(t qed.PlanTask) bool { return t.Tool != "" })
		p.step(cyan, "plan", Count(len(d.Tasks), "task")+because(d.Reason))
		for _, t := range d.Tasks {
			p.step(dim, "", planned(t))
		}
	case qed.TaskStarted:
		p.step(cyan, "task", d.Key+": "+d.Description)
	case qed.TaskFinished:
		p.taskFinished(d)
	case qed.Page:
		p.step(green, "page", fmt.Sprintf("%d: %s", d.Number, Count(len(d.Table.Rows), "row")))
	case qed.Retrieved:
		p.step(cyan, "search", d.Query)
		p.step(green, "found", Count(len(d.Citations), "passage")+locations(d.Citations))
	case qed.Token:
		switch {
		case d.Channel != qed.ChannelFinal:
		case d.Discard:
			p.end()
		default:
			p.say(d.Content)
		}
	case qed.QuestionClosed:
		if d.Intent != question.IntentAbort { // the answer to an abort says so itself
			p.step(dim, "closed", "the question needs no reply any more"+because(d.Reason))
		}
	case qed.Warning:
		label := "warning"
		if d.Code == "not_saved" {
			label = "not saved"
		}
		p.step(red, label, d.Message)
	}
}

func planned(t qed.PlanTask) string {
	by := ""
	if t.Tool != "" {
		by = " by " + t.Tool
	}
	after := ""
	if len(t.After) > 0 {
		after = " (after " + strings.Join(t.After, ", ") + ")"
	}
	status := ""
	if t.Status != "" && t.Status != qed.TodoPending {
		status = ", " + string(t.Status)
	}
	return t.Key + by + ": " + t.Description + after + status
}

func (p *Printer) taskFinished(d qed.TaskFinished) {
	switch {
	case d.Error != "":
		p.step(red, "failed", d.Key+": "+d.Error)
	case d.Interrupted:
		p.step(yellow, "waiting", d.Key+": for your reply")
	case d.Cached:
		p.step(green, "reused", fmt.Sprintf("%s: %s from before", d.Key, Count(d.Rows, "result")))
	case p.tools && d.Rows == 0: // most tools return no rows
		p.step(green, "done", fmt.Sprintf("%s in %s", d.Key, millis(d.Millis)))
	default:
		p.step(green, "found", fmt.Sprintf("%s: %s in %s", d.Key, Count(d.Rows, "result"), millis(d.Millis)))
	}
}

// Memory prints what a thread remembers.
func (p *Printer) Memory(text string) { p.step(dim, "memory", text) }

func locations(citations []qed.Citation) string {
	return suffix(": ", lists.Map(citations, func(c qed.Citation) string { return c.Location }))
}

// suffix returns the list after a separator, and nothing for an empty list.
func suffix(separator string, list []string) string {
	if len(list) == 0 {
		return ""
	}
	return separator + strings.Join(list, ", ")
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

// Count returns a number with a noun, such as "3 rows".
func Count(n int, what string) string {
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
