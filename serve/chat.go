package serve

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/question"
)

// chatFormat is the format of /internal/chat/stream.
type chatFormat struct{}

type chatRequest struct {
	Input struct {
		ID       string           `json:"id"`
		Message  string           `json:"message"`
		Language string           `json:"language"`
		Replies  []question.Reply `json:"replies"`
	} `json:"input"`
	Conversation struct {
		ID      string  `json:"id"`
		User    *string `json:"user_id"`
		Company *string `json:"company_id"`
	} `json:"conversation"`
}

func (chatFormat) read(_ *Handler, c Caller, body []byte) (*request, error) {
	var in chatRequest
	if err := decode(body, &in); err != nil {
		return nil, err
	}
	user, company := in.Conversation.User, in.Conversation.Company
	switch {
	case c.Backend:
		c = Caller{User: deref(user), Tenant: deref(company)}
	case user != nil && *user != c.User, company != nil && *company != c.Tenant:
		return nil, &Error{Status: http.StatusForbidden, Code: "wrong_caller",
			Message: "user_id and company_id must be those of the caller, or be left out. A server that trusts the " +
				"service in front of it takes them from the body: set Backend of serve.Caller, or in qed-serve " +
				"QED_SERVE_TOKEN or, for a service on this machine, the flag -trust-local"}
	}
	turn := qed.Turn{
		Thread: in.Conversation.ID, ID: in.Input.ID,
		Text: in.Input.Message, Language: in.Input.Language, Replies: in.Input.Replies,
	}
	return &request{turn: turn, caller: c, encoder: &chatEncoder{}}, nil
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func (chatFormat) encoder(string, string) (encoder, http.Header) { return &chatEncoder{}, nil }

type chatEncoder struct{ text text }

type chatRoute struct {
	Event string `json:"event"`
	qed.RouteDecision
}

type chatTool struct {
	Event string `json:"event"`
	qed.ToolStarted
}

type chatToken struct {
	Event string `json:"event"`
	qed.Token
}

type chatError struct {
	Event   string    `json:"event"`
	Message string    `json:"message"`
	Code    string    `json:"code,omitempty"`
	RetryAt time.Time `json:"retry_at,omitzero"`
}

type chatComplete struct {
	Event     string              `json:"event"`
	Stats     chatStats           `json:"stats"`
	Text      string              `json:"final_answer"`
	Data      []json.RawMessage   `json:"final_structured_data"` // null if there is no table
	Truncated bool                `json:"truncated,omitempty"`
	Questions []question.Question `json:"questions,omitempty"`

	// The proof has the form that it has in a [qed.Answer].
	Partial       bool               `json:"partial"`
	PartialReason string             `json:"partial_reason,omitempty"`
	NotFound      bool               `json:"not_found,omitempty"`
	Queries       []qed.Query        `json:"queries,omitempty"`
	Citations     []qed.Citation     `json:"citations,omitempty"`
	Documents     []qed.Document     `json:"documents,omitempty"`
	Figures       []qed.Figure       `json:"figures,omitempty"`
	Unproved      []string           `json:"unproved,omitempty"`
	Audit         *qed.CitationAudit `json:"audit,omitempty"`
	Dates         []dates.Reading    `json:"dates,omitempty"`
	Used          *qed.Used          `json:"used,omitempty"`
}

type chatStats struct {
	Tokens       int     `json:"tokens"`
	InputTokens  int     `json:"input_tokens"`
	OutputTokens int     `json:"output_tokens"`
	Calls        int     `json:"calls"`
	Cost         float64 `json:"cost,omitempty"`
	Millis       int64   `json:"millis"`
}

func (*chatEncoder) start(*frames) {}

func (c *chatEncoder) event(f *frames, e qed.Event) {
	switch d := e.Data.(type) {
	case qed.RouteDecision:
		f.add(chatRoute{"route_decision", d})
		if d.Route != "" { // clients of this format see the agent of a route as a tool
			f.add(chatTool{"tool_start", qed.ToolStarted{Tool: d.Route + "_agent"}})
		}
	case qed.ToolStarted:
		f.add(chatTool{"tool_start", d})
	case qed.Token:
		c.text.token(d)
		f.add(chatToken{"token", d})
	case qed.Completed:
		a := d.Answer
		if rest := c.text.rest(a); rest != "" {
			f.add(chatToken{"token", qed.Token{Channel: qed.ChannelFinal, Content: rest}})
		}
		done := chatComplete{
			Event: "complete", Text: a.Text, Data: objects(a.Table), Questions: a.Questions,
			Truncated: a.Table != nil && a.Table.Truncated,
			Stats: chatStats{
				Tokens: a.Usage.InputTokens + a.Usage.OutputTokens, InputTokens: a.Usage.InputTokens,
				OutputTokens: a.Usage.OutputTokens, Calls: a.Usage.Calls, Cost: a.Usage.Cost, Millis: d.Millis,
			},
			Partial: a.Partial, PartialReason: a.PartialReason, NotFound: a.NotFound,
			Queries: a.Queries, Citations: a.Citations, Documents: a.Documents,
			Figures: a.Figures, Unproved: a.Unproved, Audit: a.Audit, Dates: a.Dates, Used: a.Used,
		}
		f.add(done)
	case qed.Failed:
		f.add(chatError{"error", d.Message, d.Code, d.RetryAt})
	}
}
