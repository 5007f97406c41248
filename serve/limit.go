package serve

import (
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/qedkit/qed/internal/lru"
)

// limits limit what callers may do.
type limits struct {
	opt     *Options
	streams atomic.Int64

	mu     sync.Mutex
	byName *lru.Cache[string, *rate.Limiter]
}

// maxLimiters is how many callers are remembered. The one that was not seen for
// longest is forgotten first, and has its whole burst again.
const maxLimiters = 100_000

func newLimits(opt *Options) *limits {
	return &limits{opt: opt, byName: lru.New[string, *rate.Limiter](maxLimiters, 0)}
}

// stream counts a request that is being answered, until release is called.
func (l *limits) stream() (release func(), err error) {
	if l.streams.Add(1) > int64(l.opt.MaxStreams) {
		l.streams.Add(-1)
		return nil, &httpError{status: http.StatusServiceUnavailable, code: "overloaded",
			message: "too many requests are being answered; try again later", retry: time.Second}
	}
	return func() { l.streams.Add(-1) }, nil
}

// turn counts a turn of a caller. Callers without an id have that of their address.
func (l *limits) turn(r *http.Request, c Caller) error {
	if l.opt.Turns == rate.Inf {
		return nil
	}
	name := c.Tenant + "\x00" + c.User
	if c.User == "" && c.Tenant == "" {
		name, _, _ = net.SplitHostPort(r.RemoteAddr)
	}
	l.mu.Lock()
	limiter, ok := l.byName.Get(name)
	if !ok {
		limiter = rate.NewLimiter(l.opt.Turns, l.opt.Burst)
		l.byName.Add(name, limiter)
	}
	l.mu.Unlock()
	now := time.Now()
	reserved := limiter.ReserveN(now, 1)
	wait := reserved.DelayFrom(now)
	if wait == 0 {
		return nil
	}
	reserved.CancelAt(now)
	return &httpError{status: http.StatusTooManyRequests, code: "rate_limit",
		message: "too many messages in a short time; try again later", retry: wait}
}
