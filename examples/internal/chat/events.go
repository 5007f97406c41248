package chat

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/qedkit/qed"
)

// Event shows what happened.
func (p *Printer) Event(e qed.Event) {
	switch d := e.Data.(type) {
	case qed.RouteDecision:
		if e.Path == "" { // graphs tell theirs too
			p.step(cyan, "route", d.Route+because(d.Reason))
		}
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
		if p.secured && path.Base(e.Path) == "validate" {
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
	case qed.IntentClassified:
		p.step(cyan, "intent", string(d.Intent)+of(d.Tasks)+because(d.Reason))
	case qed.QuestionRewritten:
		p.step(cyan, "meant", d.Question)
	case qed.Planned:
		p.tools = slices.ContainsFunc(d.Tasks, func(s qed.PlanTask) bool { return s.Tool != "" })
		p.step(cyan, "plan", count(len(d.Tasks), "step")+because(d.Reason))
		for _, step := range d.Tasks {
			p.step(dim, "", step.Key+by(step.Tool)+": "+step.Description+after(step.After))
		}
	case qed.TaskStarted:
		p.step(cyan, "step", d.Key+": "+d.Description)
	case qed.TaskFinished:
		p.finished(d)
	case qed.Page:
		p.step(green, "page", fmt.Sprintf("%d: %s", d.Number, count(len(d.Table.Rows), "row")))
	case qed.Retrieved:
		p.step(cyan, "search", d.Query)
		p.step(green, "found", count(len(d.Citations), "passage")+places(d.Citations))
	case qed.Token:
		if d.Channel == qed.ChannelFinal {
			p.say(d.Content)
		}
	default:
		p.kept(d)
	}
}

// finished shows how a step of a plan ended.
func (p *Printer) finished(d qed.TaskFinished) {
	switch {
	case d.Error != "":
		p.step(red, "failed", d.Key+": "+d.Error)
	case d.Interrupted:
		p.step(yellow, "waits", d.Key+": for an answer of yours")
	case d.Cached:
		p.step(green, "known", fmt.Sprintf("%s: %s, found before", d.Key, count(d.Rows, "result")))
	case p.tools && d.Rows == 0: // most tools find no rows
		p.step(green, "done", fmt.Sprintf("%s in %s", d.Key, millis(d.Millis)))
	default:
		p.step(green, "found", fmt.Sprintf("%s: %s in %s", d.Key, count(d.Rows, "result"), millis(d.Millis)))
	}
}

func of(keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	return " of " + strings.Join(keys, ", ")
}

func by(tool string) string {
	if tool == "" {
		return ""
	}
	return " by " + tool
}

func after(keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	return " (after " + strings.Join(keys, ", ") + ")"
}

// kept shows what becomes of the conversation.
func (p *Printer) kept(d qed.EventData) {
	switch d := d.(type) {
	case qed.QuestionClosed:
		if d.Intent != qed.IntentAbort { // who wants nothing more is told so
			p.step(dim, "closed", "the question is open no more"+because(d.Reason))
		}
	case qed.SaveFailed:
		p.step(red, "not kept", d.Message)
	case qed.StateDiscarded:
		p.step(red, "afresh", d.Reason)
	case qed.MemoryIncomplete:
		p.step(red, "memory", d.Message)
	}
}

// places lists where sources are.
func places(sources []qed.Citation) string {
	var all []string
	for _, s := range sources {
		all = append(all, s.Location)
	}
	if all == nil {
		return ""
	}
	return ": " + strings.Join(all, ", ")
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
