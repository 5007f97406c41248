package mcpkit

import (
	"crypto/rand"
	"runtime"
	"sync"
	"weak"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sessions names sessions, some of which have no ID: sessions over standard input
// and output, and those of an mcp.SSEHandler. The zero value is ready to use.
type sessions struct {
	mu    sync.Mutex
	named map[weak.Pointer[mcp.ServerSession]]string
}

// name returns the ID of a session, or a secret name that lasts as long as the
// session.
func (s *sessions) name(session *mcp.ServerSession) string {
	if id := session.ID(); id != "" {
		return id
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := weak.Make(session)
	if name, ok := s.named[key]; ok {
		return name
	}
	if s.named == nil {
		s.named = map[weak.Pointer[mcp.ServerSession]]string{}
	}
	name := "unnamed " + rand.Text()
	s.named[key] = name
	runtime.AddCleanup(session, s.forget, key)
	return name
}

func (s *sessions) forget(key weak.Pointer[mcp.ServerSession]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.named, key)
}
