// Package backoff has what everything that tries again needs: to wait, and to read
// how long a server wants to be left alone.
package backoff

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"time"
)

// SleepWithin is [Sleep], but does not begin a wait that the context's deadline would end.
func SleepWithin(ctx context.Context, d time.Duration) bool {
	if end, ok := ctx.Deadline(); ok && time.Until(end) < d {
		return false
	}
	return Sleep(ctx, d)
}

// Sleep waits, and reports whether it waited to the end.
func Sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// maxRetryAfter bounds what a server can ask for.
const maxRetryAfter = 24 * time.Hour

// RetryAfter reads how long the server wants to be left alone: milliseconds in a
// header of OpenAI's own, else seconds or a date, RFC 9110 section 10.2.3. A date counts
// from the server's own clock where it tells the time, else from now. It is 0 where the
// server does not say.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if d, ok := number(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d
	}
	value := h.Get("Retry-After")
	if d, ok := number(value, time.Second); ok {
		return d
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	return min(max(until.Sub(now), 0), maxRetryAfter)
}

func number(value string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(n) || n < 0 {
		return 0, false
	}
	if n > float64(maxRetryAfter/unit) {
		return maxRetryAfter, true
	}
	return time.Duration(n * float64(unit)), true
}
