// Package retry repeats operations after a transient failure, such as a request
// to a server that is overloaded.
//
// A [Policy] is part of the options of the packages that repeat something.
// Those packages decide which failures are transient.
package retry

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/textproto"
	"regexp"
	"strconv"
	"strings"
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
	p.Attempts = cmp.Or(p.Attempts, standard.Attempts)
	p.Wait = cmp.Or(p.Wait, standard.Wait)
	p.MaxWait = cmp.Or(p.MaxWait, standard.MaxWait)
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
// or a date (RFC 9110, section 10.2.3), or else the end of a rate limit, in the
// headers that model providers and the drafts of the IETF have for it. If limits
// are named that are not used up, only the others count. A date is compared with
// the response's own Date header if there is one, and otherwise with now.
// RetryAfter returns 0 if the server does not say.
//
// header is an http.Header. The type is written out so that this package, and
// package llm with it, do not depend on net/http.
func RetryAfter(header map[string][]string, now time.Time) time.Duration {
	h := textproto.MIMEHeader(header)
	if date, err := parseDate(h.Get("Date")); err == nil {
		now = date
	}
	for _, name := range []string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		if d, ok := number(h.Get(name), time.Millisecond); ok {
			return d
		}
	}
	if value := h.Get("Retry-After"); value != "" {
		return until(value, now)
	}
	return limitReset(h, now)
}

// limitReset returns the time until the latest of the limits that are used up ends.
// Without such a limit it is that of the latest of those whose rest is not known. The
// headers are those of OpenAI, Anthropic, OpenRouter and others, such as
// X-Ratelimit-Reset-Tokens, next to one with Remaining in place of Reset.
func limitReset(h textproto.MIMEHeader, now time.Time) time.Duration {
	var spent, unknown time.Duration
	for name := range h {
		if !strings.Contains(name, "Ratelimit-") || !strings.Contains(name, "-Reset") {
			continue
		}
		d := until(h.Get(name), now)
		switch left, err := strconv.ParseFloat(h.Get(strings.Replace(name, "-Reset", "-Remaining", 1)), 64); {
		case err != nil:
			unknown = max(unknown, d)
		case left <= 0:
			spent = max(spent, d)
		}
	}
	if m := draftLimit.FindStringSubmatch(h.Get("Ratelimit")); m != nil {
		spent = max(spent, until(m[1], now))
	}
	if spent > 0 {
		return spent
	}
	return unknown
}

// draftLimit finds the seconds in the header RateLimit of the drafts, such as
// limit=10, remaining=0, reset=50 or "default";r=0;t=50.
var draftLimit = regexp.MustCompile(`\b(?:reset|t)=([0-9]+)`)

// until returns the time from now until a point in time: a number of seconds, a
// pause that [Pause] reads, a date, or the seconds or milliseconds since 1970.
func until(value string, now time.Time) time.Duration {
	if n, err := strconv.ParseFloat(value, 64); err == nil && n > 1e9 && n < 1e13 {
		at := time.Unix(int64(n), 0)
		if n > 1e11 {
			at = time.UnixMilli(int64(n))
		}
		return min(max(at.Sub(now), 0), maxAfter)
	}
	if d, ok := number(value, time.Second); ok {
		return d
	}
	if d := Pause(value); d > 0 {
		return d
	}
	at, err := parseDate(value)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), maxAfter)
}

// pausePart finds a number with its unit.
var pausePart = regexp.MustCompile(`(?i)([0-9]+(?:\.[0-9]+)?)\s*` +
	`(milliseconds?|ms|minutes?|mins?|m|seconds?|secs?|s|hours?|h|d)?`)

// pauseText is the form of a text that is a pause as a whole.
var pauseText = regexp.MustCompile(`(?i)^\s*((` + pausePart.String()[len("(?i)"):] + `)[\s,]*(and\s+)?)+\.?\s*$`)

// Pause returns the pause that a text names: seconds, such as 2.5, or numbers with
// units, such as 1m30.5s, 20ms or 2 minutes. It returns 0 for another text.
func Pause(text string) time.Duration {
	const longest = 100 // bytes of a pause
	if len(text) > longest || !pauseText.MatchString(text) {
		return 0
	}
	var sum time.Duration
	for _, m := range pausePart.FindAllStringSubmatch(text, -1) {
		unit := time.Second
		switch name := strings.ToLower(m[2]); {
		case strings.HasPrefix(name, "ms"), strings.HasPrefix(name, "milli"):
			unit = time.Millisecond
		case strings.HasPrefix(name, "m"):
			unit = time.Minute
		case strings.HasPrefix(name, "h"):
			unit = time.Hour
		case name == "d":
			unit = 24 * time.Hour
		}
		if d, ok := number(m[1], unit); ok {
			sum += min(d, maxAfter-min(sum, maxAfter))
		}
	}
	return sum
}

// parseDate parses a date in the three formats of RFC 9110, section 5.6.7, or in that
// of RFC 3339.
func parseDate(value string) (t time.Time, err error) {
	for _, layout := range []string{"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC850, time.ANSIC, time.RFC3339} {
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
