package openai

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/qedkit/qed/llm"
)

// failed says in qed's terms how a call failed. partial is what had arrived.
func (c *call) failed(err error, partial *llm.Response) error {
	e := &llm.Error{Provider: provider, Err: err, Partial: partial}
	var (
		known       *llm.Error
		reported    *ssestream.StreamError
		certificate *tls.CertificateVerificationError
		network     net.Error
	)
	switch ended, stopped := c.caller.Err(), c.ctx.Err(); {
	case errors.Is(ended, context.Canceled):
		return c.cancelled(ended)
	case ended != nil:
		e.Kind, e.Message, e.Err = llm.ErrTimeout, "the context's deadline has passed", ended
	case stopped != nil:
		e.Kind, e.Message, e.Err = llm.ErrTimeout, fmt.Sprintf("no whole reply within %v (Config.Timeout) from %s", c.timeout, c.address()), stopped
	case errors.As(err, &known):
		known.Partial = partial
		return known
	case errors.As(err, &reported):
		known = c.reported(reported.Event.Data)
		known.Partial = partial
		return known
	case errors.Is(err, errReplyTooLarge), errors.Is(err, bufio.ErrTooLong):
		e.Kind, e.Message = llm.ErrProtocol, fmt.Sprintf("the reply is larger than %d MiB", maxReply>>20)
	case errors.As(err, &certificate), errors.Is(err, http.ErrSchemeMismatch):
		e.Kind, e.Message = llm.ErrProtocol, "no TLS connection to "+c.address()+": is its scheme right, and its certificate known here?"
	case errors.As(err, &network) && network.Timeout():
		e.Kind, e.Message = llm.ErrTimeout, "no connection in time to "+c.address()
	case c.replied && brokeOff(err):
		return c.cut(err, partial)
	case c.replied:
		return c.garbled(err, partial)
	default:
		e.Kind, e.Message = llm.ErrUnavailable, c.unreachable(err)
	}
	return e
}

// cancelled matches the context's error, with the caller's reason where there is one.
func (c *call) cancelled(err error) error {
	if cause := context.Cause(c.caller); !errors.Is(cause, err) {
		return fmt.Errorf("llm: %s: %w: %w", provider, err, cause)
	}
	return fmt.Errorf("llm: %s: %w", provider, err)
}

func (c *call) cut(err error, partial *llm.Response) error {
	return &llm.Error{Kind: llm.ErrTruncated, Provider: provider, Message: "the connection ended before the reply did", Err: err, Partial: partial}
}

func (c *call) garbled(err error, partial *llm.Response) error {
	e := c.protocol("the reply cannot be read")
	e.Err, e.Partial = err, partial
	return e
}

// brokeOff reports whether a connection ended early. JSON that ends early came from one that did too.
func brokeOff(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.As(err, &op)
}

func (c *call) unreachable(err error) string {
	remedy := "is the server running, and reachable from here?"
	if c.base.Port() == "11434" {
		remedy = "start Ollama there with `ollama serve`"
	}
	reason := "the connection failed"
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		reason, remedy = "its host name is not known", "is it spelt right, and is there a network?"
	case errors.Is(err, syscall.ECONNREFUSED):
		reason = "nothing listens there"
	}
	return fmt.Sprintf("cannot reach %s, %s: %s", c.address(), reason, remedy)
}

// reported is the error that a server wrote into a reply it had begun as a success.
func (c *call) reported(body []byte) *llm.Error {
	f := readFault(body)
	status := 0
	if n, err := strconv.Atoi(f.code); err == nil && n >= 400 && n < 600 {
		status = n
	}
	e := &llm.Error{Kind: kindOf(status, f), Provider: provider, Status: status}
	e.Message = c.words(e.Kind, f)
	return e
}

// fault is what a server says of an error. Servers agree on little of it.
type fault struct {
	message, kind string
	code          string // a word, or the status again
}

func readFault(body []byte) fault {
	var doc any
	if json.Unmarshal(body, &doc) != nil {
		return fault{}
	}
	if list, ok := doc.([]any); ok && len(list) > 0 { // as Gemini has it
		doc = list[0]
	}
	outer, _ := doc.(map[string]any)
	switch inner := outer["error"].(type) {
	case map[string]any:
		outer = inner
	case string: // as Ollama has it
		return fault{message: inner}
	}
	f := fault{message: text(outer["message"]), kind: text(outer["type"]), code: text(outer["code"])}
	if f.message == "" { // as FastAPI has it
		f.message = text(outer["detail"])
	}
	return f
}

func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return fmt.Sprintf("%g", v)
	}
	return ""
}

// clean makes a server's or a model's words fit to stand in an error: short, on one line, without the key, and
// without what cannot be seen, which a terminal may obey.
func (c *call) clean(s string) string {
	const most = 300
	if c.key != "" {
		s = strings.ReplaceAll(s, c.key, "[key]")
	}
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) }), " ")
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "..."
	}
	return strings.ToValidUTF8(s, "?")
}
