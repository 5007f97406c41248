package llmtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/qedkit/qed/internal/strictjson"
	"github.com/qedkit/qed/llm"
)

// exchange is one line of a cassette.
type exchange struct {
	Key      string        `json:"key"`
	Request  *llm.Request  `json:"request"`
	Response *llm.Response `json:"response,omitempty"`
	Failure  *failure      `json:"failure,omitempty"`
}

// failure is an [llm.Error] without its Err.
type failure struct {
	Kind       llm.ErrorKind `json:"kind"`
	Provider   string        `json:"provider,omitempty"`
	Status     int           `json:"status,omitempty"`
	RetryAfter time.Duration `json:"retry_after,omitempty"`
	Message    string        `json:"message,omitempty"`
	Partial    *llm.Response `json:"partial,omitempty"`
}

// Record returns a model that calls m and writes each request with its reply to the
// file at path, as one line of JSON. An existing file is replaced. An [*llm.Error]
// is written as well; other errors are only returned.
//
// The file holds the whole conversation, but no keys and no headers.
func Record(m llm.Model, path string) (llm.Model, error) {
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return nil, fmt.Errorf("llmtest: cassette: %w", err)
	}
	var mu sync.Mutex
	write := func(x exchange) error {
		line, err := json.Marshal(x)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = file.Write(append(line, '\n'))
		return errors.Join(err, file.Close())
	}
	return llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		key, err := req.Hash()
		if err != nil {
			return nil, err
		}
		x := exchange{Key: key, Request: req}
		resp, err := m.Generate(ctx, req, stream)
		var e *llm.Error
		switch {
		case err == nil:
			x.Response = resp
		case errors.As(err, &e) && ctx.Err() == nil:
			x.Failure = &failure{
				Kind: e.Kind, Provider: e.Provider, Status: e.Status,
				RetryAfter: e.RetryAfter, Message: e.Message, Partial: e.Partial,
			}
		default:
			return nil, err
		}
		if writeErr := write(x); writeErr != nil {
			return nil, fmt.Errorf("llmtest: cassette: %w", writeErr)
		}
		return resp, err
	}), nil
}

// Replay returns a model that answers from a file that [Record] wrote. See
// [ReplayFrom].
func Replay(path string) (llm.Model, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("llmtest: cassette: %w", err)
	}
	defer file.Close()
	return ReplayFrom(file)
}

// ReplayFrom returns a model that answers from the lines that [Record] wrote. It
// sends nothing.
//
//   - A request that was recorded several times gets its replies in order, and
//     then the last one again and again.
//   - The error for a request that was not recorded matches [ErrUnexpected].
//   - ReplayFrom returns an error with the line number if a line is malformed.
func ReplayFrom(r io.Reader) (llm.Model, error) {
	c := &cassette{byKey: map[string][]exchange{}}
	lines := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("llmtest: cassette: %w", err)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			x, err := readExchange(line)
			if err != nil {
				return nil, fmt.Errorf("llmtest: cassette, line %d: %w", n, err)
			}
			c.byKey[x.Key] = append(c.byKey[x.Key], x)
			c.all = append(c.all, x)
		}
		if err == io.EOF {
			return c, nil
		}
	}
}

func readExchange(line []byte) (exchange, error) {
	var x exchange
	if err := strictjson.Decode(line, &x); err != nil {
		return x, err
	}
	if x.Request == nil || (x.Response == nil) == (x.Failure == nil) {
		return x, errors.New("an exchange must have a request, and either a response or a failure")
	}
	key, err := x.Request.Hash()
	if err != nil {
		return x, err
	}
	if key != x.Key {
		return x, fmt.Errorf("the key does not match request %q: record it again", x.Request.Name)
	}
	return x, nil
}

type cassette struct {
	all []exchange

	mu    sync.Mutex
	byKey map[string][]exchange
}

func (c *cassette) Generate(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, contextError(err)
	}
	key, err := req.Hash()
	if err != nil {
		return nil, err
	}
	x, ok := c.next(key)
	if !ok {
		return nil, c.missingError(req)
	}
	resp := x.Response
	if x.Failure != nil {
		resp = x.Failure.Partial
	}
	if resp != nil {
		if err := streamText(ctx, resp.Message.Content, stream); err != nil {
			return nil, err
		}
		resp = new(*resp)
		resp.Message = resp.Message.Clone()
	}
	if f := x.Failure; f != nil {
		return nil, &llm.Error{
			Kind: f.Kind, Provider: f.Provider, Status: f.Status,
			RetryAfter: f.RetryAfter, Message: f.Message, Partial: resp,
		}
	}
	return resp, nil
}

func (c *cassette) next(key string) (exchange, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.byKey[key]
	if len(list) == 0 {
		return exchange{}, false
	}
	if len(list) > 1 {
		c.byKey[key] = list[1:]
	}
	return list[0], true
}

// missingError returns the error for a request that was not recorded. The usual
// reason is a changed prompt, so it quotes a recorded request with the same name.
func (c *cassette) missingError(req *llm.Request) error {
	near := "no request with that name was recorded"
	for _, x := range c.all {
		if x.Request.Name == req.Name {
			near = "a recorded one with that name ends in " + lastMessage(x.Request)
			break
		}
	}
	return fmt.Errorf("%w: request %q, which ends in %s, is not on the cassette (%s): record it again",
		ErrUnexpected, req.Name, lastMessage(req), near)
}
