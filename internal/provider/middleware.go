package provider

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"regexp"
	"time"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/retry"
)

const (
	maxReply = 32 << 20 // bytes of a reply, streamed or not
	maxError = 64 << 10 // bytes that are read of an error response
)

// EventStream is the media type of a streamed reply, and the Accept header of a
// request for one.
const EventStream = "text/event-stream"

// Middleware is installed in the SDK of a provider. It limits the size of a
// reply, because an SDK reads every body to its end. It reads error responses
// itself, because an SDK loses their status if the body has an unexpected form.
//
// A request is sent again while the server loads its model.
func (c *Call) Middleware(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	resp, err := c.send(req, next)
	for loaded := time.Now().Add(c.load); err != nil && c.waitForModel(req, err, loaded); {
		resp, err = c.send(req, next)
	}
	if err != nil {
		return nil, err
	}
	c.replied = true
	want := "application/json"
	if req.Header.Get("Accept") == EventStream {
		want = EventStream
	}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if media == "text/html" || media == "application/json" && want != media {
		defer resp.Body.Close()
		body, _ := io.ReadAll(io.LimitReader(resp.Body, maxError))
		if media != "text/html" && parseServerError(body).message != "" {
			return nil, c.ReportedError(body)
		}
		return nil, c.ProtocolError("the server sent " + media + " instead of " + want)
	}
	resp.Header.Set("Content-Type", want) // some servers send text/plain, or nothing
	resp.Body = http.MaxBytesReader(nil, resp.Body, maxReply)
	return resp, nil
}

// send sends a request once. A response that is no success is an error.
func (c *Call) send(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	resp, err := next(req)
	if err != nil || resp.StatusCode >= 200 && resp.StatusCode <= 299 {
		return resp, err
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxError)) // the status is enough if reading fails
	return nil, c.statusError(resp, body)
}

// loadPause is the pause between two requests while a model is loaded.
const loadPause = 500 * time.Millisecond

// waitForModel reports whether err says that a model is being loaded, after a pause.
// The time of the call begins anew, because the model has not begun to reply.
func (c *Call) waitForModel(req *http.Request, err error, loaded time.Time) bool {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || !isLoading(e) || !time.Now().Add(loadPause).Before(loaded) || req.GetBody == nil {
		return false
	}
	body, err := req.GetBody()
	if err != nil || !retry.Sleep(c.Ctx, loadPause) {
		return false
	}
	req.Body = body
	c.restart()
	return true
}

// isLoading reports whether a server has no model yet.
func isLoading(e *llm.Error) bool {
	return e.Status == http.StatusServiceUnavailable && loadingText.MatchString(e.Message)
}

// loadingText has the texts of llama.cpp, TGI, vLLM and Hugging Face.
var loadingText = regexp.MustCompile(`(?i)\bloading (the )?model|` +
	`model\b.{0,80}\b(is|still) (currently |still |being )*load(ing|ed)|still loading`)

// ProtocolError returns the error for a server that does not follow the
// provider's protocol.
func (c *Call) ProtocolError(message string) *llm.Error {
	return &llm.Error{
		Kind:     llm.ErrProtocol,
		Provider: c.provider,
		Message:  message + ": is the base URL of " + c.api + " " + c.address() + "?",
	}
}
