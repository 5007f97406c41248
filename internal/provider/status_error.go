package provider

import (
	"cmp"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/retry"
)

// statusError returns the error for a response whose status is not 2xx.
func (c *Call) statusError(resp *http.Response, body []byte) *llm.Error {
	f := parseServerError(body)
	e := &llm.Error{
		Kind:       kindOf(resp.StatusCode, f),
		Provider:   c.provider,
		Status:     resp.StatusCode,
		RetryAfter: retry.RetryAfter(resp.Header, time.Now()),
	}
	if e.RetryAfter == 0 {
		e.RetryAfter = f.asked()
	}
	e.Message = c.message(e.Kind, f)
	switch {
	case e.Kind == llm.ErrProtocol: // a redirect, for example
		e.Message = c.ProtocolError("the server sent an unexpected status").Message
	case resp.StatusCode == http.StatusNotFound:
		e.Message += " (does the server have the model " + strconv.Quote(c.Model) +
			", and is its base URL " + c.address() + "?)"
	}
	return e
}

// kindByCode maps codes and types that are more precise than the status. All
// providers share it, because gateways forward the errors of other providers.
var kindByCode = map[string]llm.ErrorKind{
	"rate_limit_exceeded":              llm.ErrRateLimit,
	"context_length_exceeded":          llm.ErrContextLength,
	"string_above_max_length":          llm.ErrContextLength,
	"exceed_context_size_error":        llm.ErrContextLength, // llama.cpp
	"model_max_prompt_tokens_exceeded": llm.ErrContextLength, // GitHub
	"tool_use_failed":                  llm.ErrInvalidOutput, // Groq, as the next two
	"json_validate_failed":             llm.ErrInvalidOutput,
	"output_parse_failed":              llm.ErrInvalidOutput,
	"capacity_exceeded":                llm.ErrUnavailable,
	"content_filter":                   llm.ErrRefusal,
	"content_policy_violation":         llm.ErrRefusal,
	"invalid_api_key":                  llm.ErrAuth,
	"invalid_prompt":                   llm.ErrRefusal,
	"overloaded_error":                 llm.ErrUnavailable,
}

// statusByType maps error types to the status that an error inside a stream lacks.
var statusByType = map[string]int{
	"invalid_request_error": http.StatusBadRequest,
	"authentication_error":  http.StatusUnauthorized,
	"permission_error":      http.StatusForbidden,
	"not_found_error":       http.StatusNotFound,
	"request_too_large":     http.StatusRequestEntityTooLarge,
	"rate_limit_error":      http.StatusTooManyRequests,
	"timeout_error":         http.StatusGatewayTimeout,
	"server_error":          http.StatusInternalServerError,
}

// Messages of errors that have no code.
var (
	// Something of the request, and that it is too long. The deadline of a context is no
	// length, and the limit of the reply alone (max_tokens) is the caller's mistake.
	tooLong = regexp.MustCompile(`(?i)` + strings.Join([]string{
		`\b(prompt|input|message|text|request)s?( is| are)? too (long|large)|too many tokens`,
		`\b(context[ _](length|window|size|limit)|prompt|input|sequence)s?\b.{0,80}` +
			`(exceed|overflow|too (long|large)|longer|must (be|have) (less|<)|out of range)`,
		`exceed.{0,60}\b(context (length|window|size|limit)|prompt|input|token limit)`,
		`(longer|larger|greater|more) than the .{0,40}\b(context|input|prompt|model)\b`,
		`\b(maximum|max)[ _](context|prompt|input|sequence|message|model|seq|kv)[ _](length|len|size|tokens|characters)`,
		`\btoken (length|count|limit)s?\b.{0,40}exceed|context_?window_?exceeded|input length (should|and)|reduce the length of the|context (window of|overflow)|context length of only`,
		`\b(prompt|input)( token)? (count|length) (is|of) .{0,40}only supports|expected maxlength`,
	}, "|"))
	malformed = regexp.MustCompile(`(?i)(pars\w*|invalid|malformed|decod\w*) (the )?(model('s)? )?(tool|function)[ _]calls?\b|` +
		`failed to call a function|tool call validation failed|empty grammar stack|failed to parse (input|output|the reply) at pos`)
	noCredit = regexp.MustCompile(`(?i)credit balance is too low|reached your specified (workspace )?API usage limits|` +
		`insufficient (account )?balance|account is (suspended|in arrears)|in good standing|exceeded_current_quota`)
	spent     = regexp.MustCompile(`^insufficient_quota$|^billing_|^credit_balance|_(usage|spend)_limit_`) // a code or a type
	throttled = regexp.MustCompile(`(?i)\bthrottl(ed|ing)|too many requests|please wait before`)
	unsafe    = regexp.MustCompile(`(?i)content exists risk|inappropriate content|(input|prompt|content) was flagged|` +
		`content (management )?policy|data_inspection_failed`)
	badKey = regexp.MustCompile(`(?i)\bapi[ _]key (is )?(not valid|invalid|expired)|(invalid|expired) api[ _]key`)
)

func kindOf(status int, f serverError) llm.ErrorKind {
	for _, word := range []string{f.code, f.kind} {
		if k, ok := kindByCode[word]; ok && (k != llm.ErrRefusal || !tooLong.MatchString(f.start())) {
			return k
		}
		if spent.MatchString(word) {
			return llm.ErrQuota
		}
	}
	status = cmp.Or(status, statusByType[f.kind])
	message := f.code + " " + f.kind + ": " + f.start()
	switch {
	case status < 500 && unsafe.MatchString(message):
		return llm.ErrRefusal
	case status < 500 && noCredit.MatchString(message):
		return llm.ErrQuota
	case status < 500 && badKey.MatchString(message):
		return llm.ErrAuth
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return llm.ErrAuth
	case status == http.StatusPaymentRequired:
		return llm.ErrQuota
	case status == http.StatusTooManyRequests, throttled.MatchString(message):
		return llm.ErrRateLimit
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		return llm.ErrTimeout
	case status == http.StatusRequestEntityTooLarge:
		return llm.ErrContextLength
	case tooLong.MatchString(message):
		return llm.ErrContextLength
	case malformed.MatchString(message):
		return llm.ErrInvalidOutput
	case status >= 500, status == 0:
		return llm.ErrUnavailable
	case status >= 400:
		return llm.ErrBadRequest
	}
	return llm.ErrProtocol
}

// aboutKey matches messages that may repeat a part of a key.
var aboutKey = regexp.MustCompile(`(?i)key|token|secret|credential|bearer|authoriz|authent|\*\*|\.\.\.|\bsk-`)

// message returns the message of an error: that of the server, except for a key
// that it rejected, because the message may repeat a part of the key.
func (c *Call) message(kind llm.ErrorKind, f serverError) string {
	message := c.clean(f.message)
	switch {
	case kind == llm.ErrAuth && c.Key == "":
		return "the server requires a key: set Options.APIKey"
	case kind == llm.ErrAuth && message != "" && !aboutKey.MatchString(message):
		return "the key in Options.APIKey is wrong or lacks a permission: " + message
	case kind == llm.ErrAuth:
		return "the key in Options.APIKey is wrong or lacks a permission"
	case kind == llm.ErrQuota && message == "":
		return "the account has no credit left"
	case kind == llm.ErrInvalidOutput:
		return "the server could not read the model's reply: " + message
	case message == "":
		return "the server at " + c.address() + " gave no reason"
	}
	return message
}
