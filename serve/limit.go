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

type limits struct {
	opt     *Options
	streams atomic.Int64

	mu       sync.Mutex
	byName   *lru.Cache[string, *rate.Limiter]
	byCaller map[string]int // how many requests of a caller are being answered
}

// maxLimiters is how many callers are remembered. The one that was not seen for
// longest is forgotten first, and has its whole burst again.
const maxLimiters = 100_000

func newLimits(opt *Options) *limits {
	return &limits{opt: opt, byName: lru.New[string, *rate.Limiter](maxLimiters, 0), byCaller: map[string]int{}}
}

// stream counts a request that is being answered, until release is called.
func (l *limits) stream() (release func(), err error) {
	if l.streams.Add(1) > int64(l.opt.MaxStreams) {
		l.streams.Add(-1)
		return nil, &Error{Status: http.StatusServiceUnavailable, Code: "overloaded",
			Message: "too many requests are being answered; try again later", Retry: time.Second}
	}
	return func() { l.streams.Add(-1) }, nil
}

// answer counts a request of a caller that is being answered, until release is called.
func (l *limits) answer(r *http.Request, c Caller) (release func(), err error) {
	name := limitedName(r, c)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byCaller[name] >= l.opt.CallerStreams {
		return nil, &Error{Status: http.StatusTooManyRequests, Code: "too_many_streams",
			Message: "too many of your requests are being answered: wait until one has ended", Retry: time.Second}
	}
	l.byCaller[name]++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.byCaller[name]--; l.byCaller[name] == 0 {
			delete(l.byCaller, name)
		}
	}, nil
}

// limitedName returns the name under which a caller's requests are counted: that of
// the address if the caller has no id.
func limitedName(r *http.Request, c Caller) string {
	if c.User == "" && c.Tenant == "" {
		host, _, _ := net.SplitHostPort(r.RemoteAddr)
		return host
	}
	return c.Tenant + "\x00" + c.User
}

func (l *limits) turn(r *http.Request, c Caller) error {
	if l.opt.Turns == rate.Inf {
		return nil
	}
	name := limitedName(r, c)
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
	return &Error{Status: http.StatusTooManyRequests, Code: "rate_limit",
		Message: "too many messages in a short time; try again later", Retry: wait}
}
