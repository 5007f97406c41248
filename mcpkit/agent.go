package mcpkit

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
)

// maxArguments limits the arguments of a client, in bytes. The agent limits the
// question.
const maxArguments = 200 << 10

// agentInput is the schema of the arguments of an agent's tool.
var agentInput = json.RawMessage(`{
	"type": "object",
	"properties": {
		"question": {"type": "string", "description": "the question, in natural language; not needed with replies"},
		"conversation_id": {"type": "string", "description": "the conversation_id of an earlier answer, to continue its conversation"},
		"replies": {
			"type": "array",
			"description": "replies to the questions of an earlier answer; needs its conversation_id",
			"items": {
				"type": "object",
				"properties": {
					"question": {"type": "string", "description": "the id of the question"},
					"value": {"description": "a text; the number or id of a choice; for an approval, {\"decision\": \"approve\"}, {\"decision\": \"edit\", \"value\": ...} or {\"decision\": \"reject\", \"reason\": \"...\"}; for a form, an object of its schema"}
				},
				"required": ["question", "value"],
				"additionalProperties": false
			}
		}
	},
	"additionalProperties": false
}`)

type agentArguments struct {
	Question     string           `json:"question"`
	Conversation string           `json:"conversation_id"`
	Replies      []question.Reply `json:"replies"`
}

// AddAgent adds an agent to an MCP server as one tool. Its arguments are a
// question, the conversation_id of an earlier answer, and replies to the
// questions of that answer. name must be 1 to 64 letters, digits, underscores
// and dashes; description describes for the client's model what can be asked. A
// tool of the same name is replaced, as in the SDK. A nil opt means the
// defaults.
//
// The text of the result is the text of the answer. Its structured content is an
// [AgentResult]. An agent made with qed.Durable keeps the conversation under the
// thread that [Thread] returns. Events of the turn become progress notifications if
// the client asks for them.
//
// The client gets the text of [qed.Failed] for each kind of failure, without internal
// details.
func AddAgent(server *mcp.Server, name, description string, agent qed.Agent, opt *ServerOptions) error {
	switch {
	case server == nil:
		return errors.New("mcpkit: AddAgent needs a server")
	case agent == nil:
		return fmt.Errorf("mcpkit: tool %q has no agent", name)
	}
	s, err := newServer(opt)
	if err != nil {
		return err
	}
	// The registry checks the name of the tool and the arguments. Its result is the
	// arguments, which escapes make longer.
	check := qed.NewRegistry(&qed.RegistryOptions{MaxResult: 4 * maxArguments})
	echo := func(_ context.Context, arguments json.RawMessage) (json.RawMessage, error) { return arguments, nil }
	if err := check.Add(qed.Tool{Name: name, Input: agentInput, Call: echo}); err != nil {
		return fmt.Errorf("mcpkit: %w", err)
	}
	a := &agentServer{server: s, name: name, agent: agent, check: check}
	server.AddTool(&mcp.Tool{Name: name, Description: description, InputSchema: agentInput}, a.handle(name, a.answer))
	return nil
}

type agentServer struct {
	*server
	name  string
	agent qed.Agent
	check *qed.Registry // has one tool, which returns its arguments

	sessions sessions
}

func (a *agentServer) answer(
	ctx context.Context, req *mcp.CallToolRequest, caller Caller,
) (*mcp.CallToolResult, error) {
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
		return nil, clientError{"this server keeps no conversations of unknown callers; ask without a conversation_id", nil}
	}
	if !known && !stateless {
		session = a.sessions.name(req.Session)
	}
	if !stateless && in.Conversation == "" {
		in.Conversation = rand.Text()
	}
	turn := qed.Turn{User: caller.User, Tenant: caller.Tenant, Text: in.Question, Replies: in.Replies}
	if !stateless {
		turn.Thread = threadOf(a.name, caller, session, in.Conversation)
	}
	answer, err := a.run(ctx, req, turn)
	if err != nil {
		return nil, err
	}
	r := AgentResult{Answer: answer, Conversation: in.Conversation}
	if len(answer.Questions) > 0 {
		r.HowToReply = howToReply
	}
	return a.result(r)
}

// arguments returns the arguments of a call after checking them.
func (a *agentServer) arguments(ctx context.Context, req *mcp.CallToolRequest) (agentArguments, error) {
	var in agentArguments
	if len(req.Params.Arguments) > maxArguments {
		return in, clientError{"the arguments are too large", nil}
	}
	checked, err := a.call(ctx, a.check, llm.ToolCall{Name: a.name, Arguments: req.Params.Arguments})
	if err != nil {
		return in, err
	}
	if err := json.Unmarshal(checked.StructuredContent.(json.RawMessage), &in); err != nil {
		return in, clientError{"the arguments cannot be read", err}
	}
	switch {
	case strings.TrimSpace(in.Question) == "" && len(in.Replies) == 0:
		return in, clientError{"a question is needed, or replies to the questions of an earlier answer", nil}
	case len(in.Conversation) > 256:
		return in, clientError{"the conversation_id is longer than 256 bytes", nil}
	case len(in.Replies) > 0 && in.Conversation == "":
		return in, clientError{"replies need the conversation_id of the answer with the questions", nil}
	}
	return in, nil
}

// run answers a turn and reports its progress to the client.
func (a *agentServer) run(ctx context.Context, req *mcp.CallToolRequest, turn qed.Turn) (qed.Answer, error) {
	report := reporter(ctx, req)
	for event, err := range a.agent.Run(ctx, turn) {
		if failed, ok := event.Data.(qed.Failed); ok && failed.Code != "" {
			err = clientError{failed.Message, err}
		}
		if err != nil {
			return qed.Answer{}, err
		}
		if done, ok := event.Data.(qed.Completed); ok {
			return done.Answer, nil
		}
		report(event)
	}
	return qed.Answer{}, qed.ErrNoAnswer
}

// maxProgress is how many events of a call are sent as progress.
const maxProgress = 100

// reporter returns a function that sends events to a client as progress.
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
		// The error is ignored: if the client is gone, its call is cancelled.
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: float64(sent), Message: clean(message, 200),
		})
	}
}

// progressMessage returns the text of an event for a user who waits, or "" if the
// event is not shown.
func progressMessage(data qed.EventData) string {
	switch d := data.(type) {
	case qed.Planned:
		return fmt.Sprintf("planned %d tasks", len(d.Tasks))
	case qed.TaskStarted:
		return d.Description
	case qed.ToolStarted:
		return "calls " + d.Tool
	case qed.QueryExecuted:
		return fmt.Sprintf("a query found %d rows", d.Rows)
	case qed.QueryWritten:
		if d.Reason != "" {
			return "corrects a query"
		}
	case qed.Retrieved:
		return fmt.Sprintf("found %d passages", len(d.Citations))
	}
	return ""
}
