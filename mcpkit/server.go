package mcpkit

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/llm"
)

// ServerOptions are the options of [AddRegistry] and [AddAgent]. Nil and the zero
// value mean the defaults. The functions are called by several goroutines at once.
type ServerOptions struct {
	// Caller returns who calls, from what the transport knows: the verified token and
	// the headers in req.Extra, which are nil without HTTP. It also returns the context
	// of the call, to which it can add values for the tools; nil means ctx. An error
	// refuses the call: OnError gets it, and the client only learns that the call is not
	// allowed.
	//
	// Nil means the UserID of the token that auth.RequireBearerToken verified, or an
	// unknown caller without one. The arguments of a call and its _meta come from the
	// client: they do not identify the caller.
	Caller func(ctx context.Context, req *mcp.CallToolRequest) (context.Context, Caller, error)

	// OnError is called with the complete error of every call that failed. The error
	// may have details that the client must not see. Nil means that errors are not
	// reported.
	OnError func(ctx context.Context, tool string, err error)

	// ErrorText returns the text that the client gets for an error of a registry's tool.
	// It is not called for a panic. If it returns "", the client only learns that the
	// call failed. Nil means the text of the error, which is written for models: set
	// ErrorText if a tool may name there what the client must not see, such as the
	// address of a database.
	ErrorText func(ctx context.Context, tool string, err error) string

	// Timeout limits a call. 0 means five minutes. The limits of a registry apply too.
	Timeout time.Duration
}

func (o *ServerOptions) setDefaults() error {
	return option.Default("mcpkit: ServerOptions.Timeout", &o.Timeout, 5*time.Minute)
}

const (
	maxCalls = 16 // that run at the same time; further ones are refused, and the client can try again

	// maxResult limits the JSON of an agent's answer, in bytes. A larger answer is cut
	// and marked as truncated: first the rows of the table, then the data of artifacts,
	// then the rest.
	maxResult = 64 << 10
)

// A Caller identifies who calls a tool. Its fields become User and Tenant of a
// qed.Turn. The zero value is an unknown caller.
type Caller struct{ User, Tenant string }

// Thread returns the thread of a caller's conversation with an agent, under which the
// agent's store has the conversation. tool is the name of the agent's tool. Different
// callers never have the same thread.
func Thread(tool string, caller Caller, conversation string) string {
	return threadOf(tool, caller, "", conversation)
}

// threadOf is like Thread. session identifies an unknown caller.
func threadOf(tool string, caller Caller, session, conversation string) string {
	text, _ := json.Marshal([]string{tool, caller.Tenant, caller.User, session, conversation}) // never fails
	return fmt.Sprintf("mcp-%x", sha256.Sum256(text))
}

// A server serves one registry or one agent.
type server struct {
	opt   ServerOptions
	slots chan struct{}
}

func newServer(opt *ServerOptions) (*server, error) {
	s := &server{opt: option.Of(opt)}
	if err := s.opt.setDefaults(); err != nil {
		return nil, err
	}
	s.slots = make(chan struct{}, maxCalls)
	return s, nil
}

// handle returns the handler of a tool. do makes a call that is allowed. If it returns
// a clientError, the client gets the text of that error.
func (s *server) handle(
	tool string, do func(context.Context, *mcp.CallToolRequest, Caller) (*mcp.CallToolResult, error),
) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (result *mcp.CallToolResult, _ error) {
		defer func() {
			if v := recover(); v != nil { // of a function in ServerOptions: qed recovers agents and tools
				result = s.failed(ctx, tool, fmt.Errorf("mcpkit: panic: %v", v))
			}
		}()
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
		default:
			return s.failed(ctx, tool, clientError{"too many calls run at the same time; try again later", nil}), nil
		}
		ctx, cancel := context.WithTimeout(ctx, s.opt.Timeout)
		defer cancel()
		ctx, caller, err := s.caller(ctx, req)
		if err != nil {
			return s.failed(ctx, tool, err), nil
		}
		result, err = do(ctx, req, caller)
		if err != nil {
			return s.failed(ctx, tool, err), nil
		}
		return result, nil
	}
}

// caller returns the context of a call and its caller.
func (s *server) caller(ctx context.Context, req *mcp.CallToolRequest) (context.Context, Caller, error) {
	if s.opt.Caller == nil {
		if req.Extra != nil && req.Extra.TokenInfo != nil {
			return ctx, Caller{User: req.Extra.TokenInfo.UserID}, nil
		}
		return ctx, Caller{}, nil
	}
	own, caller, err := s.opt.Caller(ctx, req)
	if err != nil {
		return ctx, Caller{}, clientError{"the call is not allowed", err}
	}
	own = cmp.Or(own, ctx)
	return own, caller, nil
}

// A clientError has a text for the client. Only the application gets the cause.
type clientError struct {
	text  string
	cause error
}

func (e clientError) Error() string {
	if e.cause == nil {
		return "mcpkit: " + e.text
	}
	if whole := e.cause.Error(); strings.HasPrefix(whole, e.text) {
		return "mcpkit: " + whole
	}
	return fmt.Sprintf("mcpkit: %s: %v", e.text, e.cause)
}

func (e clientError) Unwrap() error { return e.cause }

// failed reports an error to the application and returns the result for the client.
func (s *server) failed(ctx context.Context, tool string, err error) *mcp.CallToolResult {
	if s.opt.OnError != nil {
		s.opt.OnError(ctx, tool, err)
	}
	text := failedText
	if e, ok := errors.AsType[clientError](err); ok {
		text = e.text
	} else if errors.Is(err, context.DeadlineExceeded) {
		text = "the call took too long"
	}
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// AddRegistry adds the tools of a registry to an MCP server, under their names. Calls
// are made with [qed.Registry.Do]: arguments are validated, the result and the time
// are limited, and a panic is an error.
//
// The client gets the JSON of a tool's result as text, and as structured content if it
// is an object. It gets the text of a tool's error, which is written for models,
// unless [ServerOptions.ErrorText] is set; it gets no details of a panic. A tool that
// asks the user fails. Serve an agent if the user must be asked.
//
// A tool that the server has already is replaced, as in the SDK. If the schema of a
// tool's arguments does not have the type "object", AddRegistry returns an error and
// adds nothing.
func AddRegistry(server *mcp.Server, registry *qed.Registry, opt *ServerOptions) error {
	if server == nil || registry == nil {
		return errors.New("mcpkit: AddRegistry needs a server and a registry")
	}
	if err := registry.Err(); err != nil {
		return err
	}
	s, err := newServer(opt)
	if err != nil {
		return err
	}
	specs := registry.Specs()
	for i, spec := range specs {
		if spec.InputSchema == nil {
			specs[i].InputSchema = json.RawMessage(`{"type":"object","additionalProperties":false}`)
			continue
		}
		var root struct{ Type any }
		if err := json.Unmarshal(spec.InputSchema, &root); err != nil || root.Type != "object" {
			return fmt.Errorf(`mcpkit: tool %q: MCP requires an input schema with the type "object"`, spec.Name)
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

// errorText returns the text that the client gets for a tool's error.
func (s *server) errorText(ctx context.Context, tool string, err error) string {
	text := err.Error()
	if s.opt.ErrorText != nil {
		text = s.opt.ErrorText(ctx, tool, err)
	} else if errors.Is(err, qed.ErrCannotInterrupt) {
		// The text of ErrCannotInterrupt is advice for the application.
		if before, _, found := strings.Cut(text, qed.ErrCannotInterrupt.Error()); found {
			text = before + "the user cannot be asked here: make the arguments more precise"
		}
	}
	if text = clean(text, maxErrorText); text == "" {
		return failedText
	}
	return text
}

const failedText = "the call failed"

func (s *server) call(ctx context.Context, registry *qed.Registry, call llm.ToolCall) (*mcp.CallToolResult, error) {
	if string(bytes.TrimSpace(call.Arguments)) == "null" {
		call.Arguments = nil // some clients send null for no arguments
	}
	results, err := registry.Do(ctx, call)
	if err != nil {
		return nil, err
	}
	r := results[0]
	if r.Err != nil {
		if _, panicked := errors.AsType[*qed.PanicError](r.Err); panicked {
			return nil, clientError{"the tool failed", r.Err}
		}
		return nil, clientError{s.errorText(ctx, call.Name, r.Err), r.Err}
	}
	result := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(r.Output)}}}
	var object map[string]json.RawMessage
	if json.Unmarshal(r.Output, &object) == nil && object != nil {
		result.StructuredContent = r.Output
	}
	return result, nil
}
