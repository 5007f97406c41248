package mcpkit

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
)

// maxQuestion limits what a client asks, in bytes.
const maxQuestion = 100 << 10

// agentInput is the schema of the arguments of an agent's tool.
var agentInput = json.RawMessage(`{
	"type": "object",
	"properties": {
		"question": {"type": "string", "description": "the question, in plain words; may be left out where there are replies"},
		"conversation_id": {"type": "string", "description": "goes on with the conversation of an earlier answer: its conversation_id"},
		"replies": {
			"type": "array",
			"description": "the answers to the questions of an earlier answer, with its conversation_id",
			"items": {
				"type": "object",
				"properties": {
					"question": {"type": "string", "description": "the id of the question"},
					"value": {"description": "a text; the number or id of an option; for an approval, {\"decision\": \"approve\"}, {\"decision\": \"edit\", \"value\": ...} or {\"decision\": \"reject\", \"reason\": \"...\"}; for a form, an object of its schema"}
				},
				"required": ["question", "value"],
				"additionalProperties": false
			}
		}
	},
	"additionalProperties": false
}`)

type agentArguments struct {
	Question     string      `json:"question"`
	Conversation string      `json:"conversation_id"`
	Replies      []qed.Reply `json:"replies"`
}

// AddAgent adds an agent to an MCP server as one tool, which takes a question, and the
// conversation_id and the replies of one that goes on. name is 1 to 64 letters, digits,
// underscores and dashes; description tells the client's model what can be asked. A tool of
// that name which the server has already is replaced, as the SDK does it.
//
// The answer's text is the text of the result, and the structured content is the
// [qed.Answer] as JSON, with the members of [Reply] beside. An agent that is qed.Durable
// keeps the conversation under [Thread]. A turn's events are told as progress where the
// client wants it told.
//
// What went wrong is told in words that say nothing of the inside.
func AddAgent(server *mcp.Server, name, description string, agent qed.Agent, opt *ServerOptions) error {
	a := &agentServer{server: newServer(opt), name: name, agent: agent}
	switch {
	case server == nil:
		return errors.New("mcpkit: AddAgent needs a server")
	case agent == nil:
		return fmt.Errorf("mcpkit: tool %q has no agent", name)
	}
	check := qed.NewRegistry(&qed.RegistryOptions{MaxResult: 8 * maxQuestion}) // it returns the arguments, with escapes
	// The registry knows what a name is, and checks the arguments as those of any tool.
	err := check.Add(qed.Tool{Name: name, Input: agentInput, Call: func(_ context.Context, arguments json.RawMessage) (json.RawMessage, error) {
		return arguments, nil
	}})
	if err != nil {
		return fmt.Errorf("mcpkit: %w", err)
	}
	a.check = check
	server.AddTool(&mcp.Tool{Name: name, Description: description, InputSchema: agentInput}, a.handle(name, a.answer))
	return nil
}

type agentServer struct {
	*server
	name  string
	agent qed.Agent
	check *qed.Registry // of one tool that returns its arguments

	sessions sessions
}

func (a *agentServer) answer(ctx context.Context, req *mcp.CallToolRequest, caller Caller) (*mcp.CallToolResult, error) {
	in, err := a.arguments(ctx, req)
	if err != nil {
		return nil, err
	}
	known, session := caller != (Caller{}), ""
	if !known {
		session = req.Session.ID()
	}
	stateless := !known && session == "" && req.Extra != nil && req.Extra.Header != nil
	if stateless && in.Conversation != "" {
		return nil, said{"this server keeps no conversations of callers that it does not know; ask without a conversation_id", nil}
	}
	if !known && !stateless {
		session = a.sessions.name(req.Session)
	}
	if !stateless && in.Conversation == "" {
		in.Conversation = rand.Text()
	}
	if len(req.Params.InputResponses) > 0 {
		replies, declined := elicited(req.Params.InputResponses)
		if declined {
			return a.result(Reply{
				Answer: qed.Answer{Text: "The question was put to the user, who did not answer it."}, Conversation: in.Conversation, HowToReply: howToReply,
			})
		}
		in.Question, in.Replies = "", replies
	}
	turn := qed.Turn{User: caller.User, Tenant: caller.Company, Text: in.Question, Replies: in.Replies}
	if !stateless {
		turn.Thread = threadOf(a.name, caller, session, in.Conversation)
	}
	answer, err := a.run(ctx, req, turn)
	if err != nil {
		return nil, err
	}
	if len(answer.Questions) > 0 && a.opt.Elicit {
		if requests := elicitations(req, answer.Questions); requests != nil {
			return &mcp.CallToolResult{InputRequests: requests, RequestState: in.Conversation}, nil
		}
	}
	r := Reply{Answer: answer, Conversation: in.Conversation}
	if len(answer.Questions) > 0 {
		r.HowToReply = howToReply
	}
	return a.result(r)
}

// arguments returns what a client asks.
func (a *agentServer) arguments(ctx context.Context, req *mcp.CallToolRequest) (agentArguments, error) {
	var in agentArguments
	if len(req.Params.Arguments) > 2*maxQuestion {
		return in, said{"the arguments are too large", nil}
	}
	checked, err := a.call(ctx, a.check, llm.ToolCall{Name: a.name, Arguments: req.Params.Arguments})
	if err != nil {
		return in, err
	}
	// Strings have the form of the schema, and any value is a reply's.
	if err := json.Unmarshal(checked.StructuredContent.(json.RawMessage), &in); err != nil {
		return in, said{"the arguments cannot be read", err}
	}
	if req.Params.RequestState != "" {
		in.Conversation = req.Params.RequestState // the caller's own, whatever it says: see Thread
	}
	switch {
	case strings.TrimSpace(in.Question) == "" && len(in.Replies) == 0:
		return in, said{"a question is needed, or replies to those of an earlier answer", nil}
	case len(in.Question) > maxQuestion:
		return in, said{fmt.Sprintf("the question is longer than %d bytes", maxQuestion), nil}
	case len(in.Conversation) > 256:
		return in, said{"the conversation_id is longer than 256 bytes", nil}
	case len(in.Replies) > 0 && in.Conversation == "":
		return in, said{"replies need the conversation_id of the answer that asked", nil}
	}
	return in, nil
}

// run answers a turn, and tells the client how far it is.
func (a *agentServer) run(ctx context.Context, req *mcp.CallToolRequest, turn qed.Turn) (qed.Answer, error) {
	report := reporter(ctx, req)
	code := ""
	for event, err := range a.agent.Run(ctx, turn) {
		if failed, ok := event.Data.(qed.Failed); ok {
			code = failed.Code
		}
		if err != nil {
			if text := failures[code]; text != "" {
				err = said{text, err}
			}
			return qed.Answer{}, err
		}
		if done, ok := event.Data.(qed.Completed); ok {
			return done.Answer, nil
		}
		report(event)
	}
	return qed.Answer{}, qed.ErrNoAnswer
}

// failures are what a client is told, by the code of a qed.Failed.
var failures = map[string]string{
	"busy":        "a question of this conversation is being answered; try again when it is",
	"foreign":     "there is no such conversation",
	"conflict":    "another call went on with this conversation; ask again",
	"not_open":    "this conversation has no open question; ask without replies",
	"reply":       "the reply cannot be used; see the question's kind, options and schema",
	"unknown":     "it is not known what became of an action of this conversation; somebody must find out first",
	"budget":      "the question costs more than is allowed; ask for less",
	"no_question": "a question is needed",
	"canceled":    "the call was cancelled",
	"timeout":     "the call took too long",
}

// reporter returns what tells a client of events, as progress.
func reporter(ctx context.Context, req *mcp.CallToolRequest) func(qed.Event) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func(qed.Event) {}
	}
	sent := 0
	return func(event qed.Event) {
		message := progressMessage(event.Data)
		if message == "" || sent == maxProgress {
			return
		}
		sent++
		// Best effort: a client that is gone has its call cancelled.
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: float64(sent), Message: clean(message, 200),
		})
	}
}

// progressMessage says what happened, or nothing where that is of no use for who waits.
func progressMessage(data qed.EventData) string {
	switch d := data.(type) {
	case qed.Planned:
		return fmt.Sprintf("planned %d steps", len(d.Tasks))
	case qed.TaskStarted:
		return d.Description
	case qed.ToolStarted:
		return "calls " + d.Tool
	case qed.QueryExecuted:
		return fmt.Sprintf("a query found %d rows", d.Rows)
	case qed.QueryCorrected:
		return "corrects a query"
	case qed.Retrieved:
		return fmt.Sprintf("found %d passages", len(d.Citations))
	}
	return ""
}

// elicitations returns the questions as a client's user is asked them, or nil where they
// cannot be put so: not all are plain, or the client cannot ask, or it was asked already
// and knows only one round.
func elicitations(req *mcp.CallToolRequest, questions []qed.Question) mcp.InputRequestMap {
	capabilities := req.ClientCapabilities()
	if capabilities == nil || capabilities.Elicitation == nil || capabilities.Elicitation.Form == nil && capabilities.Elicitation.URL != nil {
		return nil
	}
	if req.ProtocolVersion() < "2026-07-28" && len(req.Params.InputResponses) > 0 {
		return nil // the SDK calls again once, for a client that does not do it itself
	}
	requests := mcp.InputRequestMap{}
	for _, q := range questions {
		value := map[string]any{"type": "string"}
		switch q.Kind {
		case qed.TextQuestion:
			value["minLength"] = 1
		case qed.ChoiceQuestion:
			ids, texts := make([]any, len(q.Choices)), make([]any, len(q.Choices))
			for i, o := range q.Choices {
				ids[i], texts[i] = o.ID, o.Text
			}
			value["enum"], value["enumNames"] = ids, texts
		case qed.ApprovalQuestion:
			value["enum"] = []any{string(qed.DecisionApprove), string(qed.DecisionReject)}
		default:
			return nil
		}
		requests[q.ID] = &mcp.ElicitParams{
			Mode: "form", Message: clean(q.String(), 4000),
			RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"value": value}, "required": []any{"value"}},
		}
	}
	return requests
}

// elicited returns what a client's user replied. It reports true where he did not.
func elicited(responses mcp.InputResponseMap) (replies []qed.Reply, declined bool) {
	for _, id := range slices.Sorted(maps.Keys(responses)) {
		r, ok := responses[id].(*mcp.ElicitResult)
		if !ok || r.Action != "accept" {
			return nil, true
		}
		value, err := json.Marshal(r.Content["value"])
		if err != nil || string(value) == "null" {
			return nil, true
		}
		replies = append(replies, qed.Reply{Question: id, Value: value})
	}
	return replies, false
}
