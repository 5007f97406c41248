package provider

import (
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/qedkit/qed/internal/backoff"
	"github.com/qedkit/qed/llm"
)

// refused is the error for a reply with a status of failure.
func (c *Call) refused(resp *http.Response, body []byte) *llm.Error {
	f := readFault(body)
	e := &llm.Error{
		Kind:       kindOf(resp.StatusCode, f),
		Provider:   c.provider,
		Status:     resp.StatusCode,
		RetryAfter: backoff.RetryAfter(resp.Header, time.Now()),
	}
	e.Message = c.words(e.Kind, f)
	if e.Kind == llm.ErrProtocol {
		e.Message = "the server answers with a redirect or the like: does " + c.api + " begin at " + c.address() + "?"
	}
	if resp.StatusCode == http.StatusNotFound {
		e.Message += " (is the model " + strconv.Quote(c.Model) + " there, and does the API begin at " + c.address() + "?)"
	}
	return e
}

// kindByCode holds the codes and types that say more than the status. Gateways pass on those of other providers.
var kindByCode = map[string]llm.Kind{
	"insufficient_quota":                llm.ErrQuota,
	"billing_hard_limit_reached":        llm.ErrQuota,
	"billing_not_active":                llm.ErrQuota,
	"billing_error":                     llm.ErrQuota,
	"credit_balance_exhausted":          llm.ErrQuota,
	"organization_usage_limit_exceeded": llm.ErrQuota,
	"organization_spend_limit_exceeded": llm.ErrQuota,
	"project_spend_limit_exceeded":      llm.ErrQuota,
	"enforced_spend_limit_reached":      llm.ErrQuota,
	"rate_limit_exceeded":               llm.ErrRateLimit,
	"context_length_exceeded":           llm.ErrContextLength,
	"string_above_max_length":           llm.ErrContextLength,
	"exceed_context_size_error":         llm.ErrContextLength, // llama.cpp
	"content_filter":                    llm.ErrRefusal,
	"content_policy_violation":          llm.ErrRefusal,
	"invalid_api_key":                   llm.ErrAuth,
	"invalid_prompt":                    llm.ErrRefusal,
	"server_error":                      llm.ErrUnavailable,
	"overloaded_error":                  llm.ErrUnavailable,
}

// statusByType holds the types that stand for a status, for an error within a stream, which has none.
var statusByType = map[string]int{
	"invalid_request_error": http.StatusBadRequest,
	"authentication_error":  http.StatusUnauthorized,
	"permission_error":      http.StatusForbidden,
	"not_found_error":       http.StatusNotFound,
	"request_too_large":     http.StatusRequestEntityTooLarge,
	"rate_limit_error":      http.StatusTooManyRequests,
	"timeout_error":         http.StatusGatewayTimeout,
}

// Complaints that servers have no code for.
var (
	tooLong = regexp.MustCompile(`(?i)prompt is too long|maximum context length|context (length|window|size) (is )?exceed|` +
		`exceeds? (the (model's )?(available )?)?context`)
	noCredit = regexp.MustCompile(`(?i)credit balance is too low|reached your specified (workspace )?API usage limits`)
)

func kindOf(status int, f fault) llm.Kind {
	for _, word := range []string{f.code, f.kind} {
		if k, ok := kindByCode[word]; ok {
			return k
		}
	}
	if status == 0 {
		status = statusByType[f.kind]
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
	case status >= 400 && tooLong.MatchString(f.message):
		return llm.ErrContextLength
	case status >= 400 && noCredit.MatchString(f.message):
		return llm.ErrQuota
	case status >= 400:
		return llm.ErrBadRequest
	}
	return llm.ErrProtocol
}

// words are what an error says: the server's own, but for a key that it refused, of which it may repeat a part.
func (c *Call) words(kind llm.Kind, f fault) string {
	said := c.clean(f.message)
	switch {
	case kind == llm.ErrAuth && c.Key == "":
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
