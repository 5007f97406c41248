package mcpkit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
)

// ServerOptions say how tools are served. Nil and zero fields mean the defaults.
type ServerOptions struct {
	// Caller says who calls, from what the transport knows: the verified token and the
	// headers in req.Extra, both nil where there is no HTTP. The context that it returns
	// is that of the call, so it can hold what the tools need to know of him; a nil one
	// means ctx. Its error refuses the call; it is told to OnError, and to the client that
	// the call is not allowed.
	//
	// Nil means the UserID of the token that auth.RequireBearerToken verified, and nobody
	// where there is none. The arguments of a call and its _meta are the client's: they
	// say nothing of who calls.
	Caller func(ctx context.Context, req *mcp.CallToolRequest) (context.Context, Caller, error)

	// OnError is told of every call that failed, with all that is known, which may be more than the
	// client may know. It is called by several goroutines at once. Nil means nobody.
	OnError func(ctx context.Context, tool string, err error)

	// ToolError returns what the client reads of an error of a registry's tool: of wrong arguments
	// and of failures, of a panic never. Empty means that the call failed, and no more. It is called by
	// several goroutines at once. Nil means the text of the error, as a model of the host's own reads
	// it: set it where a tool may say there what the client must not know, such as the address of a
	// database.
	ToolError func(ctx context.Context, tool string, err error) string

	// Timeout limits a call. 0 means five minutes. A registry's own limits hold as well.
	Timeout time.Duration

	// MaxCalls is how many calls run at the same time. 0 means 16. More are refused, for
	// the client to try again.
	MaxCalls int

	// MaxResult limits the JSON of an agent's answer, in bytes. 0 means 64 KiB. Of a
	// larger one the table is cut first, then what artifacts hold, then the rest;
	// "truncated" says so. What a registry's tools return is limited by the registry.
	MaxResult int

	// Elicit puts an agent's questions to the user of a client that can ask him, before
	// the call returns. A question that no form of plain fields can put, such as one that
	// shows a draft to be edited, is returned all the same.
	Elicit bool
}

// A Caller is who calls a tool of ours: what qed.Turn has as User and Company.
type Caller struct{ User, Company string }

// Thread returns the thread of a caller's conversation with an agent: where the host finds
// it in its store. tool is the name of the agent's tool. Different callers never have the
// same thread.
func Thread(tool string, caller Caller, conversation string) string {
	return threadOf(tool, caller, "", conversation)
}

// threadOf is Thread within a session, where that is all that is known of the caller.
func threadOf(tool string, caller Caller, session, conversation string) string {
	text, _ := json.Marshal([]string{tool, caller.Company, caller.User, session, conversation}) // strings have a JSON form
	return fmt.Sprintf("mcp-%x", sha256.Sum256(text))
}

// A server serves one registry or agent.
type server struct {
	opt   ServerOptions
	slots chan struct{}
}

func newServer(opt *ServerOptions) *server {
	s := &server{}
	if opt != nil {
		s.opt = *opt
	}
	if s.opt.Timeout <= 0 {
		s.opt.Timeout = 5 * time.Minute
	}
	if s.opt.MaxCalls <= 0 {
		s.opt.MaxCalls = 16
	}
	if s.opt.MaxResult <= 0 {
		s.opt.MaxResult = 64 << 10
	}
	s.slots = make(chan struct{}, s.opt.MaxCalls)
	return s
}

// handle makes a handler of one that gets the context of a call that is admitted, and
// returns an error where the call fails: what the client reads is in words of its own, if
// it is a said error.
func (s *server) handle(tool string, do func(context.Context, *mcp.CallToolRequest, Caller) (*mcp.CallToolResult, error)) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (result *mcp.CallToolResult, _ error) {
		defer func() {
			if v := recover(); v != nil { // of a hook of the host's: agents and tools have their own
				result = s.failed(ctx, tool, fmt.Errorf("mcpkit: panic: %v", v))
			}
		}()
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
		default:
			return s.failed(ctx, tool, said{"too many calls run at the same time; try again later", nil}), nil
		}
		ctx, cancel := context.WithTimeout(ctx, s.opt.Timeout)
		defer cancel()
		caller, err := s.caller(&ctx, req)
		if err == nil {
			result, err = do(ctx, req, caller)
		}
		if err != nil {
			return s.failed(ctx, tool, err), nil
		}
		return result, nil
	}
}

func (s *server) caller(ctx *context.Context, req *mcp.CallToolRequest) (Caller, error) {
	if s.opt.Caller == nil {
		if req.Extra != nil && req.Extra.TokenInfo != nil {
			return Caller{User: req.Extra.TokenInfo.UserID}, nil
		}
		return Caller{}, nil
	}
	own, caller, err := s.opt.Caller(*ctx, req)
	if err != nil {
		return Caller{}, said{"the call is not allowed", err}
	}
	if own != nil {
		*ctx = own
	}
	return caller, nil
}

// A said error has a text for the client. The cause is the host's.
type said struct {
	text  string
	cause error
}

func (e said) Error() string {
	if e.cause == nil {
		return "mcpkit: " + e.text
	}
	if whole := e.cause.Error(); strings.HasPrefix(whole, e.text) {
		return "mcpkit: " + whole
	}
	return fmt.Sprintf("mcpkit: %s: %v", e.text, e.cause)
}

func (e said) Unwrap() error { return e.cause }

// failed tells the host of an error, and the client what he may know of it.
func (s *server) failed(ctx context.Context, tool string, err error) *mcp.CallToolResult {
	if s.opt.OnError != nil {
		s.opt.OnError(ctx, tool, err)
	}
	text := failedText
	if e, ok := errors.AsType[said](err); ok {
		text = e.text
	} else if errors.Is(err, context.DeadlineExceeded) {
		text = "the call took too long"
	}
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// AddRegistry adds the tools of a registry to an MCP server, under their names. A call
// goes through [qed.Registry.Do]: arguments are validated, the result and the time are
// limited, and a panic is an error.
//
// The client gets a tool's JSON as text, and as structured content where it is an object.
// A tool's error is one that a model may read, so the client gets its text, as it is, unless
// [ServerOptions.ToolError] says otherwise; of a panic it gets nothing. Nobody can be asked: where
// a tool would, the call fails and says so. To have its questions put, serve an agent.
//
// A tool that the server has already is replaced, as the SDK does it. A schema whose type
// is not "object" is an error, and then nothing is added.
func AddRegistry(server *mcp.Server, registry *qed.Registry, opt *ServerOptions) error {
	if server == nil || registry == nil {
		return errors.New("mcpkit: AddRegistry needs a server and a registry")
	}
	s := newServer(opt)
	specs := registry.Specs()
	for i, spec := range specs {
		if spec.InputSchema == nil {
			specs[i].InputSchema = json.RawMessage(`{"type":"object","additionalProperties":false}`)
			continue
		}
		var root struct{ Type any }
		if err := json.Unmarshal(spec.InputSchema, &root); err != nil || root.Type != "object" {
			return fmt.Errorf(`mcpkit: tool %q: MCP needs an input schema of the type "object"`, spec.Name)
		}
	}
	for _, spec := range specs {
		server.AddTool(
			&mcp.Tool{Name: spec.Name, Description: spec.Description, InputSchema: spec.InputSchema},
			s.handle(spec.Name, func(ctx context.Context, req *mcp.CallToolRequest, _ Caller) (*mcp.CallToolResult, error) {
				return s.call(ctx, registry, llm.ToolCall{Name: spec.Name, Arguments: req.Params.Arguments})
			}))
	}
	return nil
}

// toolError is what a client reads of a tool's error.
func (s *server) toolError(ctx context.Context, tool string, err error) string {
	text := err.Error()
	switch before, _, asked := strings.Cut(text, qed.ErrCannotInterrupt.Error()); {
	case s.opt.ToolError != nil:
		text = s.opt.ToolError(ctx, tool, err)
	case asked && errors.Is(err, qed.ErrCannotInterrupt): // the rest is advice for the host
		text = before + "nobody can be asked here; say more exactly what is meant"
	}
	if text = clean(text, maxErrorText); text == "" {
		return failedText
	}
	return text
}

const failedText = "the call failed"

// call makes a call of a registry's tool.
func (s *server) call(ctx context.Context, registry *qed.Registry, call llm.ToolCall) (*mcp.CallToolResult, error) {
	if string(bytes.TrimSpace(call.Arguments)) == "null" {
		call.Arguments = nil // as some clients say that there are none
	}
	results, err := registry.Do(ctx, call)
	if err != nil {
		return nil, err
	}
	r := results[0]
	if r.Err != nil {
		if _, panicked := errors.AsType[*qed.PanicError](r.Err); panicked {
			return nil, said{"the tool failed", r.Err}
		}
		return nil, said{s.toolError(ctx, call.Name, r.Err), r.Err}
	}
	result := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(r.Output)}}}
	var object map[string]json.RawMessage
	if json.Unmarshal(r.Output, &object) == nil && object != nil {
		result.StructuredContent = r.Output
	}
	return result, nil
}
