package mcpkit

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
)

// An AgentResult is the structured content of the result of an agent's tool: the
// answer, and what the next call needs.
type AgentResult struct {
	qed.Answer

	// Conversation continues the conversation in the next call. It is empty if the
	// server does not keep the conversation.
	Conversation string `json:"conversation_id,omitempty"`

	// Truncated means that parts of the answer were left out: it
	// is at most 64 KiB.
	Truncated bool `json:"truncated,omitempty"`

	// HowToReply is the instruction for the client's model if the answer has
	// questions.
	HowToReply string `json:"how_to_reply,omitempty"`
}

const howToReply = `Ask your user, then call this tool again with this conversation_id and ` +
	`replies: [{"question": the question's id, "value": ...}]. ` +
	`The value is a text for a question of the kind "text"; the number or the id of a choice for a "choice"; ` +
	`for an "approval" {"decision": "approve"}, {"decision": "edit", "value": ...} or ` +
	`{"decision": "reject", "reason": "..."}; for a "form" an object of its schema.`

var errTooLarge = errors.New("mcpkit: the answer is too large, even when shortened")

func (a *agentServer) result(r AgentResult) (*mcp.CallToolResult, error) {
	structured, err := r.within(maxResult)
	if err != nil {
		return nil, err
	}
	content := []mcp.Content{&mcp.TextContent{Text: prompt.Clip(r.Text, maxResult/2)}}
	if r.HowToReply != "" {
		how := r.HowToReply + " The conversation_id is " + prompt.Quote(r.Conversation) + "."
		content = append(content, &mcp.TextContent{Text: how})
	}
	return &mcp.CallToolResult{Content: content, StructuredContent: structured}, nil
}

// within returns the JSON of r with at most n bytes. It leaves out what it must: first
// rows, then the data of artifacts, then the rest of the proof, then the end of the
// text. Questions are never cut, because half a question cannot be answered.
func (r AgentResult) within(n int) (json.RawMessage, error) {
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
			return nil, errTooLarge
		}
	}
}

// cutTable leaves out half of the rows. It does not change the agent's table.
func (r *AgentResult) cutTable() bool {
	if r.Table == nil || len(r.Table.Rows) == 0 {
		return false
	}
	r.Table = &qed.Table{Columns: r.Table.Columns, Rows: r.Table.Rows[:len(r.Table.Rows)/2], Truncated: true}
	return true
}

// emptyArtifacts leaves out the data of artifacts but not their names.
func (r *AgentResult) emptyArtifacts() bool {
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
