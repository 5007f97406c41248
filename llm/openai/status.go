package openai

import (
	"math"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/qedkit/qed/llm"
)

// refused is the error for a reply with a status of failure.
func (c *call) refused(resp *http.Response, body []byte) *llm.Error {
	f := readFault(body)
	e := &llm.Error{
		Kind:       kindOf(resp.StatusCode, f),
		Provider:   provider,
		Status:     resp.StatusCode,
		RetryAfter: retryAfter(resp.Header, time.Now()),
	}
	e.Message = c.words(e.Kind, f)
	if e.Kind == llm.ErrProtocol {
		e.Message = "the server answers with a redirect or the like: does the chat completions API begin at " + c.address() + "?"
	}
	if resp.StatusCode == http.StatusNotFound {
		e.Message += " (is the model " + strconv.Quote(c.model) + " there, and does the API begin at " + c.address() + "?)"
	}
	return e
}

// kindByCode holds the codes and types that say more than the status.
var kindByCode = map[string]llm.Kind{
	"insufficient_quota":         llm.ErrQuota,
	"billing_hard_limit_reached": llm.ErrQuota,
	"billing_not_active":         llm.ErrQuota,
	"rate_limit_exceeded":        llm.ErrRateLimit,
	"context_length_exceeded":    llm.ErrContextLength,
	"string_above_max_length":    llm.ErrContextLength,
	"exceed_context_size_error":  llm.ErrContextLength, // llama.cpp
	"content_filter":             llm.ErrRefusal,
	"content_policy_violation":   llm.ErrRefusal,
	"invalid_api_key":            llm.ErrAuth,
	"invalid_prompt":             llm.ErrRefusal,
	"server_error":               llm.ErrUnavailable,
	"overloaded_error":           llm.ErrUnavailable,
}

// tooLong finds the complaint of servers, vLLM among them, that have no code for it.
var tooLong = regexp.MustCompile(`(?i)maximum context length|context (length|window|size) (is )?exceed|exceeds? the (model's )?(available )?context`)

func kindOf(status int, f fault) llm.Kind {
	for _, word := range []string{f.code, f.kind} {
		if k, ok := kindByCode[word]; ok {
			return k
		}
	}
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return llm.ErrAuth
	case status == http.StatusPaymentRequired:
		return llm.ErrQuota
	case status == http.StatusTooManyRequests:
		return llm.ErrRateLimit
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		return llm.ErrTimeout
	case status == http.StatusRequestEntityTooLarge:
		return llm.ErrContextLength
	case status >= 500, status == 0:
		return llm.ErrUnavailable
	case status >= 400:
		if tooLong.MatchString(f.message) {
			return llm.ErrContextLength
		}
		return llm.ErrBadRequest
	}
	return llm.ErrProtocol
}

// words are what an error says: the server's own, but for a key that it refused, of which it may repeat a part.
func (c *call) words(kind llm.Kind, f fault) string {
	said := c.clean(f.message)
	switch {
	case kind == llm.ErrAuth && c.key == "":
		return "the server wants a key: set Config.APIKey"
	case kind == llm.ErrAuth:
		return "the key in Config.APIKey is wrong, or not allowed to do this"
	case kind == llm.ErrQuota && said == "":
		return "the account has no credit left"
	case said == "":
		return "the server at " + c.address() + " gave no reason"
	}
	return said
}

// maxRetryAfter bounds what a server can ask for.
const maxRetryAfter = 24 * time.Hour

// retryAfter reads how long the server wants to be left alone: milliseconds in OpenAI's own header, else seconds or a
// date, RFC 9110 section 10.2.3. A date counts from the server's own clock where it tells the time.
func retryAfter(h http.Header, now time.Time) time.Duration {
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
