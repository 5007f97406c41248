package provider

import (
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/qedkit/qed/llm"
)

const (
	maxReply = 32 << 20 // bytes of a reply, streamed or not
	maxError = 64 << 10 // bytes of an error that are read
)

// EventStream is the media type of a streamed reply. A request for one has it as its Accept header.
const EventStream = "text/event-stream"

var errReplyTooLarge = errors.New("the reply is too large")

// Guard stands between a provider's library and the server, as the library's middleware. Such a library reads every
// body to its end, and gives up an error's status where its body is not what it expects.
func (c *Call) Guard(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	resp, err := next(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer resp.Body.Close()
		// An error that is cut off still has its status.
		body, _ := io.ReadAll(io.LimitReader(resp.Body, maxError))
		return nil, c.refused(resp, body)
	}
	c.replied = true
	wants := "application/json"
	if req.Header.Get("Accept") == EventStream {
		wants = EventStream
	}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if media == "text/html" || media == "application/json" && wants != media {
		resp.Body.Close()
		return nil, c.Protocol("the server sent " + media + ", not " + wants)
	}
	resp.Header.Set("Content-Type", wants) // some servers send text/plain, or nothing
	resp.Body = &cappedBody{resp.Body, maxReply}
	return resp, nil
}

// cappedBody fails where a body goes on for too long, instead of ending.
type cappedBody struct {
	io.ReadCloser
	left int
}

func (b *cappedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errReplyTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// Protocol is the error for a server that does not speak the provider's protocol.
func (c *Call) Protocol(message string) *llm.Error {
	return &llm.Error{
		Kind:     llm.ErrProtocol,
		Provider: c.provider,
		Message:  message + ": does " + c.api + " begin at " + c.address() + "?",
	}
}
