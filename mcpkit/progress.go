package mcpkit

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/qedkit/qed"
)

// Progress is the progress of a call as the server reports it: the JSON of a
// [qed.CustomEvent] of the kind "mcp_progress". A report that arrives together with
// the result may be lost.
type Progress struct {
	Tool     string  `json:"tool"` // the server's name of the tool
	Progress float64 `json:"progress"`
	Total    float64 `json:"total,omitempty"`   // 0 if it is not known
	Message  string  `json:"message,omitempty"` // the server's text, cut after 500 bytes
}

// maxProgress is how many reports of one call become events.
const maxProgress = 100

// progress maps the reports of a server to calls. The zero value is ready to use.
type progress struct {
	mu    sync.Mutex
	last  int64
	calls map[string]*reportedCall // by token
}

type reportedCall struct {
	ctx     context.Context // of the call: events are emitted with it
	tool    string
	reports int
}

// expect returns the token of a call. The token is valid until forget is called.
func (p *progress) expect(ctx context.Context, tool string) (token string, forget func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	token = strconv.FormatInt(p.last, 10)
	if p.calls == nil {
		p.calls = map[string]*reportedCall{}
	}
	p.calls[token] = &reportedCall{ctx: ctx, tool: tool}
	return token, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.calls, token)
	}
}

// report emits a report of the server in the run of its call.
func (p *progress) report(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
	token, _ := req.Params.ProgressToken.(string)
	p.mu.Lock()
	call := p.calls[token]
	if call == nil || call.reports == maxProgress {
		p.mu.Unlock()
		return
	}
	call.reports++
	p.mu.Unlock()
	text, err := json.Marshal(Progress{
		Tool: call.tool, Progress: req.Params.Progress, Total: req.Params.Total, Message: clean(req.Params.Message, 500),
	})
	if err == nil {
		qed.Emit(call.ctx, qed.CustomEvent{Kind: "mcp_progress", JSON: text})
	}
}
