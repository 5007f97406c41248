package esclient

import (
	"net/url"
	"sync/atomic"
	"time"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"

	"github.com/qedkit/qed/internal/lists"
)

// nodes returns the nodes of a cluster in turn. It is a connection pool of the
// transport. A node that failed is left out for restTime, unless all nodes failed.
// The transport's own pool would keep a goroutine for each node that failed.
type nodes struct {
	all  []*node
	next atomic.Uint64
}

type node struct {
	*elastictransport.Connection
	failed atomic.Int64 // when, in Unix nanoseconds; 0 if the last request succeeded
}

const restTime = 10 * time.Second

func newNodes(all []*elastictransport.Connection, _ elastictransport.Selector) elastictransport.ConnectionPool {
	p := &nodes{}
	for _, c := range all {
		p.all = append(p.all, &node{Connection: c})
	}
	return p
}

// ConcurrentSafe marks the pool as safe without the transport's lock.
func (p *nodes) ConcurrentSafe() {}

func (p *nodes) Next() (*elastictransport.Connection, error) {
	turn := p.next.Add(1) - 1
	now := time.Now()
	for i := range uint64(len(p.all)) {
		n := p.all[(turn+i)%uint64(len(p.all))]
		if failed := n.failed.Load(); failed == 0 || now.Sub(time.Unix(0, failed)) > restTime {
			return n.Connection, nil
		}
	}
	return p.all[turn%uint64(len(p.all))].Connection, nil
}

func (p *nodes) OnSuccess(c *elastictransport.Connection) error {
	p.mark(c, 0)
	return nil
}

// OnFailure marks a node as failed. The transport also calls it when the caller
// cancels a request; then the node is left out for no reason, which is harmless.
func (p *nodes) OnFailure(c *elastictransport.Connection) error {
	p.mark(c, time.Now().UnixNano())
	return nil
}

func (p *nodes) mark(c *elastictransport.Connection, failed int64) {
	for _, n := range p.all {
		if n.Connection == c {
			n.failed.Store(failed)
		}
	}
}

func (p *nodes) URLs() []*url.URL {
	return lists.Map(p.all, func(n *node) *url.URL { return n.URL })
}
