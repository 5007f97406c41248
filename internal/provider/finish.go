package provider

import (
	"regexp"
	"strings"

	"github.com/qedkit/qed/llm"
)

// finished matches the reasons with which a reply is complete. Every other reason means
// that it is not: servers have many for replies that they cut off.
var finished = regexp.MustCompile(`^(stop(_(sequence|token|word|string))?|end_?of_?(text|turn|sequence)|end_turn|eos(_token)?|` +
	`completed?|(tool|function)_?(calls?|use))$`)

// What the other reasons have in common, across servers.
var (
	reachedLimit = regexp.MustCompile(`length|limit|^max_|context|^pause_turn$`)
	declined     = regexp.MustCompile(`refus|filter|safety|recitation|block|prohibited|spii|language|sensitive|moderation|guardrail|armor|toxic`)
	badReply     = regexp.MustCompile(`malformed|invalid|unexpected|too_many`)
	badRequest   = regexp.MustCompile(`missing`) // of a thought signature (Gemini)
	serverFailed = regexp.MustCompile(`error`)
)

// limitMessage returns the message of a reply that another limit than that of its tokens
// cut off, or "".
func limitMessage(reason string) string {
	switch {
	case strings.Contains(reason, "context_window"), reason == "model_length":
		return "the request and the reply exceed the model's context window: send less, or ask for less"
	case reason == "pause_turn":
		return "the provider paused the reply (pause_turn), which it should do only for its own tools"
	}
	return ""
}

// End sets why the reply ended, in the words of the server. An empty reason is none.
func (d *Draft) End(reason string) {
	if reason == "" {
		return
	}
	word := strings.ReplaceAll(strings.ToLower(reason), "-", "_")
	word = strings.TrimPrefix(word, "finish_reason_")
	d.Limit = limitMessage(word)
	d.FinishReason = llm.FinishStop
	failed := &llm.Error{Provider: d.call.provider, Message: "the server ended the reply with the reason " + d.call.clean(reason)}
	switch {
	case finished.MatchString(word):
		return
	case badReply.MatchString(word):
		failed.Kind = llm.ErrInvalidOutput
	case badRequest.MatchString(word):
		failed.Kind = llm.ErrBadRequest
	case reachedLimit.MatchString(word):
		d.FinishReason = llm.FinishLength
		return
	case declined.MatchString(word):
		d.FinishReason = llm.FinishRefusal
		return
	case serverFailed.MatchString(word):
		failed.Kind = llm.ErrUnavailable
	default:
		failed.Kind = llm.ErrTruncated
		failed.Message += ", so it is not complete"
	}
	d.failed = failed
}
