package serve

import (
	"context"

	"github.com/qedkit/qed"
)

// warnings has the texts that replace the Message of warnings for clients, by code. The
// Message of these has an error, which can name a server or a file and is for the log.
var warnings = map[string]string{
	"not_saved":         "the server cannot save the conversation now",
	"state_discarded":   "what was saved of the conversation cannot be read, and is not used",
	"memory_incomplete": "the agent remembers less than it should",
	"result_lost":       "a result cannot be loaded",
	"not_in_words":      "the model could not put the rows into words",
	"rows_incomplete":   "statistics rest on the saved rows of a query, because not all of them could be read again",
}

// public returns an event as clients may see it, and logs what they may not. The error
// of a tool stays: the model has seen it too.
func (h *Handler) public(ctx context.Context, turn qed.Turn, e qed.Event) qed.Event {
	switch d := e.Data.(type) {
	case qed.Warning:
		if message, ok := warnings[d.Code]; ok {
			h.opt.Logger.WarnContext(ctx, "serve: a turn has a problem",
				"thread", clip(turn.Thread), "code", d.Code, "error", d.Message)
			d.Message = message
			e.Data = d
		}
	case qed.NodeFinished:
		if d.Error != "" {
			h.opt.Logger.WarnContext(ctx, "serve: a node failed",
				"thread", clip(turn.Thread), "node", clip(e.Path), "error", d.Error)
			d.Error = "the node failed"
			e.Data = d
		}
	}
	return e
}
