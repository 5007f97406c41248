package mcpkit

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/qedkit/qed"
)

// Progress is how far a server says that a call is: the JSON of an event of the host's
// own, a [qed.CustomEvent] of the kind "mcp_progress". What comes together with the result may
// not be told.
type Progress struct {
	Tool     string  `json:"tool"` // as the server calls it
	Progress float64 `json:"progress"`
	Total    float64 `json:"total,omitempty"`   // 0 where it is not known
	Message  string  `json:"message,omitempty"` // the server's words, cut after 500 bytes
}

// maxProgress is how often a server may tell of one call.
const maxProgress = 100

// A progress knows the calls of which a server may tell. The zero value knows none.
type progress struct {
	mu    sync.Mutex
	last  int64
	calls map[string]*told
}

type told struct {
	ctx   context.Context // the call's: it says where the events go
	tool  string
	times int
}

// expect returns the token of a call. It is forgotten when forget is called.
func (p *progress) expect(ctx context.Context, tool string) (token string, forget func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	token = strconv.FormatInt(p.last, 10)
	if p.calls == nil {
		p.calls = map[string]*told{}
	}
	p.calls[token] = &told{ctx: ctx, tool: tool}
	return token, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.calls, token)
	}
}

// told tells the run of a call what the server says of it.
func (p *progress) told(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
	token, _ := req.Params.ProgressToken.(string)
	p.mu.Lock()
	t := p.calls[token]
	if t == nil || t.times == maxProgress {
		p.mu.Unlock()
		return
	}
	t.times++
	p.mu.Unlock()
	text, err := json.Marshal(Progress{t.tool, req.Params.Progress, req.Params.Total, clean(req.Params.Message, 500)})
	if err == nil {
		qed.Emit(t.ctx, qed.CustomEvent{Kind: "mcp_progress", JSON: text})
	}
}
