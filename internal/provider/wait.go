package provider

import (
	"net/textproto"
	"regexp"
	"time"

	"github.com/qedkit/qed/retry"
)

// asked returns the pause that the body of an error asks for, or 0.
func (f *serverError) asked() time.Duration {
	if f.wait > 0 {
		return f.wait
	}
	m := waitText.FindStringSubmatch(f.start())
	if m == nil {
		return 0
	}
	return retry.Pause(m[1])
}

// waitText finds the pause in sentences such as "Please try again in 1m2.5s", "Retry your
// request after 10 seconds" and "the limit resets in: 2 minutes".
var waitText = regexp.MustCompile(`(?i)\b(?:again|retry|retrying|resets?|available|allowed|wait)\b[^0-9.]{0,30}\b` +
	`((?:[0-9]+(?:\.[0-9]+)? ?` +
	`(?:milliseconds?|ms|minutes?|mins?|m|seconds?|secs?|s|hours?|h)\b[ ,]*(?:and )?)+|(?:[0-9.]+[hms]+)+)`)

// waitIn returns the pause in the members of an error: Google's RetryInfo, headers that
// OpenRouter repeats, and members with a number of seconds.
func waitIn(v any, depth int) time.Duration {
	const deepest = 5
	if depth > deepest {
		return 0
	}
	switch v := v.(type) {
	case []any:
		for _, one := range v[:min(len(v), maxReasons)] {
			if d := waitIn(one, depth+1); d > 0 {
				return d
			}
		}
	case map[string]any:
		for _, name := range []string{"retryDelay", "retry_after", "retry_after_seconds", "retryAfter", "estimated_time"} {
			if d := retry.Pause(text(v[name])); d > 0 {
				return d
			}
		}
		if d := retry.Pause(text(v["retry_after_ms"]) + "ms"); d > 0 {
			return d
		}
		if headers, ok := v["headers"].(map[string]any); ok {
			h := map[string][]string{}
			for name, value := range headers {
				h[textproto.CanonicalMIMEHeaderKey(name)] = []string{text(value)}
			}
			if d := retry.RetryAfter(h, time.Now()); d > 0 {
				return d
			}
		}
		for _, name := range []string{"error", "details", "metadata", "detail"} {
			if d := waitIn(v[name], depth+1); d > 0 {
				return d
			}
		}
	}
	return 0
}
