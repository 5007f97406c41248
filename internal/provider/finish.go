package provider

import (
	"strings"

	"github.com/qedkit/qed/llm"
)

// finished has the reasons with which a reply ends. Every other reason means that it
// is not complete: servers have many for replies that they cut off.
var finished = map[string]llm.FinishReason{
	"stop":          llm.FinishStop,
	"end_turn":      llm.FinishStop,
	"eos":           llm.FinishStop,
	"eos_token":     llm.FinishStop, // TGI
	"stop_sequence": llm.FinishStop,
	"tool_calls":    llm.FinishStop,
	"tool_use":      llm.FinishStop,
	"function_call": llm.FinishStop,

	"length":             llm.FinishLength,
	"length_limit":       llm.FinishLength,
	"max_length":         llm.FinishLength,
	"max_tokens":         llm.FinishLength,
	"max_new_tokens":     llm.FinishLength,
	"max_output_tokens":  llm.FinishLength,
	"token_limit":        llm.FinishLength,
	"model_length":       llm.FinishLength,
	"context_length":     llm.FinishLength,
	contextExceeded:      llm.FinishLength,
	"pause_turn":         llm.FinishLength,
	"max_context_length": llm.FinishLength,

	"refusal":              llm.FinishRefusal,
	"content_filter":       llm.FinishRefusal,
	"content_filtered":     llm.FinishRefusal,
	"safety":               llm.FinishRefusal,
	"image_safety":         llm.FinishRefusal,
	"recitation":           llm.FinishRefusal,
	"blocklist":            llm.FinishRefusal,
	"prohibited_content":   llm.FinishRefusal,
	"spii":                 llm.FinishRefusal,
	"language":             llm.FinishRefusal,
	"sensitive":            llm.FinishRefusal, // Zhipu
	"moderation":           llm.FinishRefusal,
	"guardrail_intervened": llm.FinishRefusal, // Bedrock
}

const contextExceeded = "model_context_window_exceeded"

// failures are the reasons of replies that failed, by their kind.
var failures = map[string]llm.ErrorKind{
	"error":                         llm.ErrUnavailable,
	"network_error":                 llm.ErrUnavailable,
	"internal_error":                llm.ErrUnavailable,
	"malformed_function_call":       llm.ErrInvalidOutput,
	"malformed_tool_call":           llm.ErrInvalidOutput,
	"unexpected_tool_call":          llm.ErrInvalidOutput,
	"too_many_tool_calls":           llm.ErrInvalidOutput,
	"missing_thought_signature":     llm.ErrBadRequest,
	"malformed_response":            llm.ErrInvalidOutput,
	"model_produced_invalid_output": llm.ErrInvalidOutput,
}

// limits are the messages of replies that other limits than that of the tokens cut
// off.
var limits = map[string]string{
	contextExceeded: "the request and the reply exceed the model's context window: send less, or ask for less",
	"model_length":  "the request and the reply exceed the model's context window: send less, or ask for less",
	"pause_turn":    "the provider paused the reply (pause_turn), which it should do only for its own tools",
}

// End sets why the reply ended, in the words of the server. An empty reason is none.
func (d *Draft) End(reason string) {
	if reason == "" {
		return
	}
	word := strings.ReplaceAll(strings.ToLower(reason), "-", "_")
	word = strings.TrimPrefix(word, "finish_reason_")
	d.FinishReason = finished[word]
	d.Limit = limits[word]
	if d.FinishReason != "" {
		return
	}
	d.FinishReason = llm.FinishStop
	d.failed = &llm.Error{
		Kind:     llm.ErrTruncated,
		Provider: d.call.provider,
		Message:  "the server ended the reply with the reason " + d.call.clean(reason) + ", so it is not complete",
	}
	if kind, ok := failures[word]; ok {
		d.failed.Kind = kind
		d.failed.Message = "the server ended the reply with the reason " + d.call.clean(reason)
	}
}
