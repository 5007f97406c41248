package llm

import (
	"bytes"
	"container/list"
	"context"
	"slices"
	"sync"
)

// Cache keeps the last n replies, and answers a request that is sent again ([Request.Key]) without asking the model.
// Such a reply has no Usage, and is streamed as one piece. Failures are not kept.
// Two equal requests at the same time both reach the model. Each model that is wrapped has replies of its own.
// It panics when n is less than 1.
func Cache(n int) Middleware {
	if n < 1 {
		panic("llm: Cache needs room for at least one reply")
	}
	return func(m Model) Model {
		c := &cache{room: n, order: list.New(), entries: map[string]*list.Element{}}
		return ModelFunc(func(ctx context.Context, req *Request, stream func(Delta)) (*Response, error) {
			key, err := req.Key()
			if err != nil {
				return m.Generate(ctx, req, stream) // the model says better what is wrong with it
			}
			if err := ctx.Err(); err != nil {
				return nil, ended(ctx)
			}
			if resp := c.get(key); resp != nil {
				if stream != nil && resp.Message.Content != "" {
					stream(Delta{Text: resp.Message.Content})
				}
				resp.Usage = Usage{}
				return resp, nil
			}
			resp, err := m.Generate(ctx, req, stream)
			if err == nil {
				c.put(key, resp)
			}
			return resp, err
		})
	}
}

// cache holds replies, the least recently used last. Replies are copied in and out: their callers own them.
type cache struct {
	room int

	mu      sync.Mutex
	order   *list.List // of entry
	entries map[string]*list.Element
}

type entry struct {
	key  string
	resp *Response
}

func (c *cache) get(key string) *Response {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(entry).resp.clone()
}

func (c *cache) put(key string, resp *Response) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[key]; e != nil {
		c.order.Remove(e)
	}
	c.entries[key] = c.order.PushFront(entry{key, resp.clone()})
	if c.order.Len() > c.room {
		oldest := c.order.Remove(c.order.Back()).(entry)
		delete(c.entries, oldest.key)
	}
}

func (r *Response) clone() *Response {
	c := *r
	c.Message.ToolCalls = slices.Clone(r.Message.ToolCalls)
	for i := range c.Message.ToolCalls {
		call := &c.Message.ToolCalls[i]
		call.Arguments = bytes.Clone(call.Arguments)
	}
	return &c
}
