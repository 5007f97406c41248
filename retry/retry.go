// Package retry repeats operations after a transient failure, such as a request
// to a server that is overloaded.
//
// A [Policy] is part of the options of the packages that repeat something.
// Those packages decide which failures are transient.
package retry

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/textproto"
	"strconv"
	"time"
)

// A Policy says how often an operation is attempted and how long to wait between
// attempts. A field that is zero has the default of the package that uses the
// policy.
type Policy struct {
	// Attempts is the highest number of attempts, the first one included. 1
	// means that nothing is repeated.
	Attempts int

	// Wait is the wait before the second attempt. It doubles with every further
	// attempt. Half of each wait is random, so that many callers do not return
	// at the same time. A negative Wait means no wait.
	Wait time.Duration

	// MaxWait is the longest wait. A server that asks for a longer one is not
	// asked again: its error is returned.
	MaxWait time.Duration
}

// WithDefaults returns p with the fields of standard in place of those that are zero. It
// returns an error if Attempts or MaxWait is negative; name is the option that
// the error names.
func (p Policy) WithDefaults(name string, standard Policy) (Policy, error) {
	if p.Attempts < 0 || p.MaxWait < 0 {
		return p, fmt.Errorf("%s: Attempts and MaxWait cannot be negative; Attempts of 1 means that nothing is repeated", name)
	}
	if p.Attempts == 0 {
		p.Attempts = standard.Attempts
	}
	if p.Wait == 0 {
		p.Wait = standard.Wait
	}
	if p.MaxWait == 0 {
		p.MaxWait = standard.MaxWait
	}
	return p, nil
}

// Delay returns how long to wait after the given attempt, counted from 1. asked
// is the pause that the server asks for, or 0; Delay reports false if that is
// longer than MaxWait. It does not look at Attempts.
func (p Policy) Delay(attempt int, asked time.Duration) (time.Duration, bool) {
	asked = max(asked, 0)
	if asked > p.MaxWait {
		return 0, false
	}
	wait := min(max(p.Wait, 0), p.MaxWait)
	for range attempt - 1 {
		wait += min(wait, p.MaxWait-wait)
	}
	wait = wait/2 + rand.N(wait/2+1)
	return max(wait, asked), true
}

// Next waits before the attempt that follows the given one, counted from 1. It
// reports false at once if there is no further attempt, if the server asks for
// more than MaxWait, or if the context's deadline would end the wait. It also
// reports false when ctx is done while it waits.
func (p Policy) Next(ctx context.Context, attempt int, asked time.Duration) bool {
	if attempt >= p.Attempts {
		return false
	}
	wait, ok := p.Delay(attempt, asked)
	if !ok {
		return false
	}
	if end, has := ctx.Deadline(); has && time.Until(end) < wait {
		return false
	}
	return Sleep(ctx, wait)
}

// Sleep waits for d. It reports false if ctx was done before.
func Sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// maxAfter is the longest wait that [RetryAfter] returns.
const maxAfter = 24 * time.Hour

// RetryAfter returns the pause that a server asks for: the milliseconds of
// Retry-After-Ms, a header of OpenAI, or else Retry-After, which holds seconds
// or a date (RFC 9110, section 10.2.3). A date is compared with the response's
// own Date header if there is one, and otherwise with now. RetryAfter returns 0 if
// the server does not say.
//
// header is an http.Header. The type is written out so that this package, and
// package llm with it, do not depend on net/http.
func RetryAfter(header map[string][]string, now time.Time) time.Duration {
	h := textproto.MIMEHeader(header)
	if d, ok := number(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d
	}
	value := h.Get("Retry-After")
	if d, ok := number(value, time.Second); ok {
		return d
	}
	until, err := parseDate(value)
	if err != nil {
		return 0
	}
	if date, err := parseDate(h.Get("Date")); err == nil {
		now = date
	}
	return min(max(until.Sub(now), 0), maxAfter)
}

// parseDate parses a date in the three formats of RFC 9110, section 5.6.7.
func parseDate(value string) (t time.Time, err error) {
	for _, layout := range []string{"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC850, time.ANSIC} {
		if t, err = time.Parse(layout, value); err == nil {
			return t, nil
		}
	}
	return t, err
}

func number(value string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(n) || n < 0 {
		return 0, false
	}
	if n > float64(maxAfter/unit) {
		return maxAfter, true
	}
	return time.Duration(n * float64(unit)), true
}
