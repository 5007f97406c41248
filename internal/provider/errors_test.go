package provider

import (
	"net/http"
	"testing"
	"time"

	"github.com/qedkit/qed/llm"
)

// The texts of servers for a request that is too long, and texts that are similar.
func TestContextLength(t *testing.T) {
	for text, want := range map[string]llm.ErrorKind{
		"Input is too long for requested model.":                                                                                                                               llm.ErrContextLength,
		"too many tokens: total number of tokens in the prompt cannot exceed 4081":                                                                                             llm.ErrContextLength,
		"The input token count (337807) exceeds the maximum number of tokens allowed (65536).":                                                                                 llm.ErrContextLength,
		"Prompt too long: 9000 tokens exceeds max_kv_size 8192":                                                                                                                llm.ErrContextLength,
		"Invalid request: Your request exceeded model token limit: 8192":                                                                                                       llm.ErrContextLength,
		"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]":                                                                                llm.ErrContextLength,
		"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 200 `max_new_tokens`":                                     llm.ErrContextLength,
		"Input validation error: `inputs` must have less than 4095 tokens. Given: 5000":                                                                                        llm.ErrContextLength,
		"The decoder prompt (length 5000) is longer than the maximum model length of 4096.":                                                                                    llm.ErrContextLength,
		"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens":                                                                               llm.ErrContextLength,
		"This model's maximum prompt length is 131072 but the request contains 537812 tokens.":                                                                                 llm.ErrContextLength,
		"Requested token count exceeds the model's maximum context length of 4096 tokens.":                                                                                     llm.ErrContextLength,
		"The input (5000 tokens) is longer than the model's context length (4096 tokens).":                                                                                     llm.ErrContextLength,
		"length of prompt_tokens (163280) must be less than max_seq_len (32768).":                                                                                              llm.ErrContextLength,
		"Please reduce the length of the messages or completion.":                                                                                                              llm.ErrContextLength,
		"Prompt contains 40000 tokens, too large for model with 32768 maximum context length":                                                                                  llm.ErrContextLength,
		"prompt token count of 140000 exceeds the limit of 128000":                                                                                                             llm.ErrContextLength,
		"The number of tokens to keep from the initial prompt is greater than the context length.":                                                                             llm.ErrContextLength,
		"prompt too long; exceeded max context length by 12 tokens":                                                                                                            llm.ErrContextLength,
		"the input length exceeds the context length":                                                                                                                          llm.ErrContextLength,
		"invalid params, context window exceeds limit (2013)":                                                                                                                  llm.ErrContextLength,
		"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.":          llm.ErrContextLength,
		"the max input characters is 20000":                                                                                                                                    llm.ErrContextLength,
		"Total tokens of image and text exceed max message tokens":                                                                                                             llm.ErrContextLength,
		"Unable to submit request because the input token count is 5000 but model only supports up to 4096. Reduce the input token count and try again.":                       llm.ErrContextLength,
		"Malformed input request: expected maxLength: 200000, actual: 250000, please reformat your input and try again.":                                                       llm.ErrContextLength,
		"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length":                                                                   llm.ErrContextLength,
		"the number of input tokens 5000 cannot exceed the total tokens limit 4096 for this model":                                                                             llm.ErrContextLength,
		"You passed 5000 input tokens and requested 200 output tokens. However, the model's context length is only 4096 tokens. Please reduce the length of the input prompt.": llm.ErrContextLength,
		"litellm.ContextWindowExceededError: This model's maximum context length is 4096 tokens.":                                                                              llm.ErrContextLength,
		"The model's token count is right":                                                                                                                                     llm.ErrBadRequest,
		"this model only supports up to 4 stop sequences":                                                                                                                      llm.ErrBadRequest,
		"Prompt exceeds max length":                                                       llm.ErrContextLength,
		"total message token length exceed model limit":                                   llm.ErrContextLength,
		"litellm.ContextWindowExceededError: AnthropicException":                          llm.ErrContextLength,
		"ThrottlingException: Too many tokens, please wait before trying again.":          llm.ErrRateLimit,
		"Content Exists Risk":                                                             llm.ErrRefusal,
		"API key not valid. Please pass a valid API key.":                                 llm.ErrAuth,
		"Arrearage: make sure your account is in good standing":                           llm.ErrQuota,
		"the content of a message is not valid":                                           llm.ErrBadRequest,
		"the balance of tool calls and results is wrong":                                  llm.ErrBadRequest,
		"the request exceeds the available context size. try increasing the context size": llm.ErrContextLength,

		"context deadline exceeded":                                                         llm.ErrBadRequest,
		"Client.Timeout exceeded while awaiting headers (context canceled)":                 llm.ErrBadRequest,
		"Input should be a valid string":                                                    llm.ErrBadRequest,
		"tools.0.input_schema must be an object":                                            llm.ErrBadRequest,
		"max_tokens is too large: 9000. This model supports at most 4096 completion tokens": llm.ErrBadRequest,
		"max_tokens: 9 > 8, which is the maximum":                                           llm.ErrBadRequest,
		"messages: at least one message is required":                                        llm.ErrBadRequest,
		"tool name exceeds the maximum length of 64":                                        llm.ErrBadRequest,
		"temperature must be less than 2":                                                   llm.ErrBadRequest,
		"stop sequences: too many, at most 4":                                               llm.ErrBadRequest,
		"image exceeds 5 MB maximum":                                                        llm.ErrBadRequest,

		"Failed to call a function. Please adjust your prompt.":                         llm.ErrInvalidOutput,
		"error parsing tool call: raw='{\"a\":' err=unexpected end of JSON input":       llm.ErrInvalidOutput,
		"Failed to parse tool call arguments as JSON: [json.exception.parse_error.101]": llm.ErrInvalidOutput,
		"got exception: Unexpected empty grammar stack after accepting piece: (472)":    llm.ErrInvalidOutput, // llama.cpp
		"Tool call validation failed: parameters for tool x did not match schema":       llm.ErrInvalidOutput,
	} {
		if got := kindOf(400, serverError{message: text}); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	grammar := serverError{message: "Unexpected empty grammar stack after accepting piece: (629)", kind: "server_error", code: "500"}
	if got := kindOf(500, grammar); got != llm.ErrInvalidOutput { // llama.cpp
		t.Errorf("a reply that breaks the grammar: got %q", got)
	}
	if got := kindOf(500, serverError{message: "the request exceeds the available context size"}); got != llm.ErrContextLength {
		t.Errorf("with status 500: got %q", got)
	}
	if got := kindOf(429, serverError{message: "Too many tokens, please wait before trying again."}); got != llm.ErrRateLimit {
		t.Errorf("with status 429: got %q", got)
	}
}

// What a status or a code alone would say wrongly.
func TestKinds(t *testing.T) {
	for _, test := range []struct {
		status int
		f      serverError
		want   llm.ErrorKind
	}{
		{400, serverError{code: "invalid_prompt", message: "prompt tokens (330095) exceed model maximum (278528)"}, llm.ErrContextLength},
		{400, serverError{code: "invalid_prompt", message: "Invalid prompt: flagged"}, llm.ErrRefusal},
		{400, serverError{code: "data_inspection_failed", message: "Output data may be bad."}, llm.ErrRefusal},
		{403, serverError{code: "403", message: `Your chosen model requires moderation and your input was flagged for "violence".`}, llm.ErrRefusal},
		{403, serverError{message: "Country, region, or territory not supported"}, llm.ErrAuth},
		{429, serverError{code: "1113", message: "Insufficient balance or no resource package. Please recharge."}, llm.ErrQuota},
		{429, serverError{kind: "exceeded_current_quota_error", message: "recharge"}, llm.ErrQuota},
		{429, serverError{message: "You exceeded your current quota. Please retry in 44s."}, llm.ErrRateLimit},
		{500, serverError{message: "BedrockException: Too many tokens, please wait before trying again."}, llm.ErrRateLimit},
		{498, serverError{code: "capacity_exceeded", message: "Flex tier capacity exceeded"}, llm.ErrUnavailable},
		{500, serverError{message: "the log of the server says: invalid api key, insufficient balance"}, llm.ErrUnavailable},
	} {
		if got := kindOf(test.status, test.f); got != test.want {
			t.Errorf("%d, %+v: got %q, want %q", test.status, test.f, got, test.want)
		}
	}
}

// A refused key is not repeated, but any other reason is said.
func TestAuthMessage(t *testing.T) {
	const refused = "the key in Options.APIKey is wrong or lacks a permission"
	c := &Call{Server: &Server{Key: "sk-abcdefgh"}}
	for message, want := range map[string]string{
		"Country, region, or territory not supported": refused + ": Country, region, or territory not supported",
		"Incorrect API key provided: sk-abcd****":     refused, "invalid x-api-key": refused, "abcd...efgh is unknown": refused, "": refused,
	} {
		if got := c.message(llm.ErrAuth, serverError{message: message}); got != want {
			t.Errorf("%q: got %q", message, got)
		}
	}
}

func TestAskedPause(t *testing.T) {
	for body, want := range map[string]time.Duration{
		`{"error":{"message":"Rate limit reached. Please try again in 6.3s. Visit x"}}`:                                6300 * time.Millisecond,
		`{"error":{"message":"Please try again in 20ms."}}`:                                                            20 * time.Millisecond,
		`{"error":{"message":"Please try again in 1m2.5s."}}`:                                                          62500 * time.Millisecond,
		`{"error":{"message":"Please retry after 10 seconds."}}`:                                                       10 * time.Second,
		`{"error":{"message":"Please retry in 19.513s."}}`:                                                             19513 * time.Millisecond,
		`{"error":{"message":"Wait 2 minutes and 3 seconds"}}`:                                                         123 * time.Second,
		`{"message":"rate limited, please wait for 30 seconds"}`:                                                       30 * time.Second,
		`[{"error":{"code":429,"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"19s"}]}}]`: 19 * time.Second,
		`{"error":{"message":"x","metadata":{"headers":{"X-RateLimit-Reset":"4102444800000","Retry-After":"5"}}}}`:     5 * time.Second,
		`{"message":"x","retry_after":1.5}`:                                                                            1500 * time.Millisecond,
		`{"error":{"message":"Rate limit exceeded, please try again 20 seconds later."}}`:                              20 * time.Second,
		`{"error":{"message":"Please retry in 1h2m3.5s."}}`:                                                            time.Hour + 2*time.Minute + 3500*time.Millisecond,
		`{"error":{"message":"The limit resets in: 12m 5s"}}`:                                                          12*time.Minute + 5*time.Second,
		`{"error":{"message":"Retry your request in 8 seconds."}}`:                                                     8 * time.Second,
		`{"error":{"message":"slow","retry_after_ms":1500}}`:                                                           1500 * time.Millisecond,
		`{"error":"Model x is currently loading","estimated_time":20.0}`:                                               20 * time.Second,
		`{"error":{"message":"Try again. You sent 30 requests in 3 seconds"}}`:                                         0,
		`{"error":{"message":"retry limit of 3 reached after 2 seconds"}}`:                                             0,
		`{"error":{"message":"try again in a while"}}`:                                                                 0,
		`{"error":{"message":"you sent 5 messages in 3 seconds"}}`:                                                     0,
		`{"error":{"message":"try again in 5 models"}}`:                                                                0,
	} {
		f := parseServerError([]byte(body))
		if got := f.asked(); got != want {
			t.Errorf("%s: got %v, want %v", body, got, want)
		}
	}
}

func TestReasons(t *testing.T) {
	for body, want := range map[string]string{
		`{"detail":[{"type":"missing","loc":["body","messages",0,"content"],"msg":"Field required"},{"loc":["body","model"],"msg":"too short"}]}`: "body.messages.0.content: Field required; body.model: too short",
		`{"detail":"Not found"}`:                 "Not found",
		`{"detail":{"message":"no such model"}}`: "no such model",
		`{"object":"error","message":{"detail":[{"loc":["body"],"msg":"bad"}]},"type":"invalid_request_error"}`:                                                       "body: bad",
		`{"errors":[{"message":"one"},{"message":"two"}]}`:                                                                                                            "one; two",
		`{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"Prompt exceeds max length\"}}","provider_name":"x"}}}`: "Provider returned error: Prompt exceeds max length",
		`{"error":{"message":"Provider returned error","metadata":{"raw":"busy"}}}`:                                                                                   "Provider returned error: busy",
		`{"error":{"message":"Provider returned error","metadata":{"provider_name":"x"}}}`:                                                                            "Provider returned error",
		`{"success":false,"errors":[{"code":5007,"message":"No such model"}]}`:                                                                                        "No such model",
		`{"error":"text"}`:                "text",
		`{"error":{"message":"inner"}}`:   "inner",
		`"only a text"`:                   "only a text",
		`{"detail":[]}`:                   "",
		`{"detail":[[[[[[["deep"]]]]]]]}`: "",
		`[]`:                              "",
	} {
		if got := parseServerError([]byte(body)).message; got != want {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
}

func TestMaskedKeys(t *testing.T) {
	for _, test := range []struct{ text, key, want string }{
		{"the key k is wrong", "k", "the key [key] is wrong"},
		{"unknown key", "k", "unknown key"},
		{"key=k, k_2 k", "k", "key=[key], k_2 [key]"},
		{"skabcdefgh1x", "abcdefgh1", "sk[key]x"},
		{"no key", "", "no key"},
	} {
		if got := masked(test.text, test.key); got != test.want {
			t.Errorf("%q without %q: got %q, want %q", test.text, test.key, got, test.want)
		}
	}
}

func TestIsLoading(t *testing.T) {
	for text, want := range map[string]bool{
		"Loading model": true, "The model is currently loading": true, "Model meta/llama is currently loading": true, "model is still being loaded": true,
		"The model is overloaded": false, "no workers": false, "failed to load model": false,
	} {
		if got := isLoading(&llm.Error{Status: http.StatusServiceUnavailable, Message: text}); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}
