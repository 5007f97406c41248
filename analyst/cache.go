package analyst

import (
	"sync"

	"github.com/qedkit/qed"
)

// maxCached is how many results of queries are kept.
const maxCached = 32

// A cache has the results of the last statements. It is for data that does not change:
// that of a session with its own data, and that of one turn. It is safe for concurrent
// use.
type cache struct {
	mu     sync.Mutex
	tables map[string]qed.Table // by the statement that ran
	order  []string             // of the statements, the oldest first
}

func newCache() *cache { return &cache{tables: map[string]qed.Table{}} }

func (c *cache) get(statement string) (qed.Table, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, ok := c.tables[statement]
	return t, ok
}

func (c *cache) put(statement string, t qed.Table) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.tables[statement]; !ok {
		c.order = append(c.order, statement)
	}
	c.tables[statement] = t
	if len(c.order) > maxCached {
		delete(c.tables, c.order[0])
		c.order = c.order[1:]
	}
}
