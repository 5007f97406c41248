package main

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/command/chat"
)

// A watched agent prints what it does, next to what the terminal prints anyway.
type watched struct {
	qed.Agent
	show *chat.Printer
}

func (w watched) Run(ctx context.Context, turn qed.Turn) iter.Seq2[qed.Event, error] {
	return func(yield func(qed.Event, error) bool) {
		for event, err := range w.Agent.Run(ctx, turn) {
			w.print(event)
			if !yield(event, err) {
				return
			}
		}
	}
}

func (w watched) print(event qed.Event) {
	switch d := event.Data.(type) {
	case qed.CustomEvent:
		var step struct{ Step, Of, Tokens int }
		if d.Kind == "step_start" && json.Unmarshal(d.JSON, &step) == nil {
			w.show.Step("step", fmt.Sprintf("%d of at most %d, %d tokens so far", step.Step, step.Of, step.Tokens))
		}
	case qed.ToolStarted:
		w.show.Step("tool", d.Tool+": "+purpose(d.Arguments))
	case qed.ToolFinished:
		w.show.Hint(result(d))
	}
}

// purpose returns what a call is for.
func purpose(arguments json.RawMessage) string {
	var in struct {
		Query, Reason, Title, Finding string
		Columns                       []string
	}
	if json.Unmarshal(arguments, &in) != nil {
		return ""
	}
	switch {
	case in.Query != "":
		return in.Reason + "\n" + in.Query
	case in.Finding != "":
		return in.Finding
	case in.Title != "":
		return in.Title
	case len(in.Columns) > 0:
		return strings.Join(in.Columns, ", ")
	}
	return "all columns"
}

// result returns how a call ended. The result of an event is cut after some bytes, so
// it is read piece by piece.
func result(d qed.ToolFinished) string {
	if d.Error != "" {
		return d.Error
	}
	var said []string
	decoder := json.NewDecoder(strings.NewReader(d.Result))
	for {
		name, err := decoder.Token()
		if err != nil {
			break
		}
		switch name {
		case "error", "hint", "text":
			value, err := decoder.Token()
			if err != nil {
				break
			}
			if text, ok := value.(string); ok {
				said = append(said, text)
			}
		}
	}
	return strings.Join(append([]string{fmt.Sprintf("done in %d ms", d.Millis)}, said...), "; ")
}
