package mcpkit

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
)

// A Reply is the structured content of an agent's result: its answer, and how to go on.
type Reply struct {
	qed.Answer

	Conversation string `json:"conversation_id,omitempty"` // for the next call; empty where the server keeps none
	Truncated    bool   `json:"truncated,omitempty"`       // something of the answer was left out, as it is too large
	HowToReply   string `json:"how_to_reply,omitempty"`    // where the answer asks something
}

const howToReply = `Ask your user, then call this tool again with this conversation_id and replies: [{"question": the question's id, "value": ...}]. ` +
	`The value is a text for a question of the kind "text"; the number or the id of an option for a "choice"; for an "approval" ` +
	`{"decision": "approve"}, {"decision": "edit", "value": ...} or {"decision": "reject", "reason": "..."}; for a "form" an object of its schema.`

var errNoRoom = errors.New("mcpkit: the answer is too large, whatever is left out of it; see ServerOptions.MaxResult")

// result returns a reply as the client gets it.
func (a *agentServer) result(r Reply) (*mcp.CallToolResult, error) {
	structured, err := r.within(a.opt.MaxResult)
	if err != nil {
		return nil, err
	}
	content := []mcp.Content{&mcp.TextContent{Text: prompt.Clip(r.Text, a.opt.MaxResult/2)}}
	if r.HowToReply != "" {
		content = append(content, &mcp.TextContent{Text: r.HowToReply + " The conversation_id is " + prompt.Quote(r.Conversation) + "."})
	}
	return &mcp.CallToolResult{Content: content, StructuredContent: structured}, nil
}

// within returns the JSON of r, and leaves out what it must so that it has at most n
// bytes: first rows, then what artifacts hold, then the rest of the proof, then the end of
// the text. Questions stay whole: half of one cannot be answered.
func (r Reply) within(n int) (json.RawMessage, error) {
	cuts := []func() bool{
		r.cutTable,
		r.emptyArtifacts,
		func() bool { had := r.Citations != nil; r.Citations = nil; return had },
		func() bool { had := r.Queries != nil; r.Queries = nil; return had },
		func() bool { had := r.Artifacts != nil; r.Artifacts = nil; return had },
		func() bool { had := r.Table != nil; r.Table = nil; return had },
		func() bool {
			long := len(r.Text) > 100
			r.Text = prompt.Clip(r.Text, len(r.Text)/2)
			return long
		},
	}
	for {
		text, err := json.Marshal(r)
		if err != nil || len(text) <= n {
			return text, err
		}
		r.Truncated = true
		for len(cuts) > 0 && !cuts[0]() {
			cuts = cuts[1:]
		}
		if len(cuts) == 0 {
			return nil, errNoRoom
		}
	}
}

// cutTable leaves out half of the table's rows. The agent's own table stays as it is.
func (r *Reply) cutTable() bool {
	if r.Table == nil || len(r.Table.Rows) == 0 {
		return false
	}
	r.Table = &qed.Table{Columns: r.Table.Columns, Rows: r.Table.Rows[:len(r.Table.Rows)/2], Truncated: true}
	return true
}

// emptyArtifacts leaves out what artifacts hold, and keeps their names.
func (r *Reply) emptyArtifacts() bool {
	full := func(a qed.Artifact) bool { return len(a.Data) > 0 }
	if !slices.ContainsFunc(r.Artifacts, full) {
		return false
	}
	r.Artifacts = slices.Clone(r.Artifacts)
	for i := range r.Artifacts {
		r.Artifacts[i].Data = nil
	}
	return true
}
