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

	"github.com/qedkit/qed/llm"
)

// exchange is one line of a cassette: what was asked, and what came.
type exchange struct {
	Key      string        `json:"key"`
	Request  *llm.Request  `json:"request"`
	Response *llm.Response `json:"response,omitempty"`
	Failure  *failure      `json:"failure,omitempty"`
}

// failure is an [llm.Error] without what is behind it.
type failure struct {
	Kind       llm.Kind      `json:"kind"`
	Provider   string        `json:"provider,omitempty"`
	Status     int           `json:"status,omitempty"`
	RetryAfter time.Duration `json:"retry_after,omitempty"`
	Message    string        `json:"message,omitempty"`
	Partial    *llm.Response `json:"partial,omitempty"`
}

// Record returns a model that asks m and writes each exchange to the file at path, one line of JSON each. A file that
// is there already is replaced. Failures of m are written when they are an [*llm.Error]; other ones pass.
//
// The file holds all that was said, in both directions, and neither keys nor headers: it never sees them.
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
		key, err := req.Key()
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
			x.Failure = &failure{e.Kind, e.Provider, e.Status, e.RetryAfter, e.Message, e.Partial}
		default:
			return nil, err
		}
		if werr := write(x); werr != nil {
			return nil, fmt.Errorf("llmtest: cassette: %w", werr)
		}
		return resp, err
	}), nil
}

// Replay returns a model that answers from the file that [Record] wrote. See [ReplayFrom].
func Replay(path string) (llm.Model, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("llmtest: cassette: %w", err)
	}
	defer file.Close()
	return ReplayFrom(file)
}

// ReplayFrom returns a model that answers from the lines that [Record] wrote. A request that was recorded several
// times gets its replies in their order, and the last one from then on. One that was not recorded gets an error that
// matches [ErrUnexpected]; nothing is sent anywhere. A malformed cassette is an error that names the line.
func ReplayFrom(r io.Reader) (llm.Model, error) {
	tape := &tape{byKey: map[string][]exchange{}}
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
			tape.byKey[x.Key] = append(tape.byKey[x.Key], x)
			tape.all = append(tape.all, x)
		}
		if err == io.EOF {
			return tape, nil
		}
	}
}

func readExchange(line []byte) (exchange, error) {
	var x exchange
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&x); err != nil {
		return x, err
	}
	if d.More() {
		return x, errors.New("it holds more than one exchange")
	}
	if x.Request == nil || (x.Response == nil) == (x.Failure == nil) {
		return x, errors.New("an exchange is a request, and a response or a failure")
	}
	key, err := x.Request.Key()
	if err != nil {
		return x, err
	}
	if key != x.Key {
		return x, fmt.Errorf("the key is not that of request %q: record it again", x.Request.Name)
	}
	return x, nil
}

type tape struct {
	all []exchange

	mu    sync.Mutex
	byKey map[string][]exchange
}

func (t *tape) Generate(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, ended(err)
	}
	key, err := req.Key()
	if err != nil {
		return nil, err
	}
	x, ok := t.next(key)
	if !ok {
		return nil, t.miss(req)
	}
	said := x.Response
	if x.Failure != nil {
		said = x.Failure.Partial
	}
	if said != nil {
		if err := speak(ctx, said.Message.Content, stream); err != nil {
			return nil, err
		}
		said = new(*said)
		said.Message.ToolCalls = cloneCalls(said.Message.ToolCalls)
	}
	if f := x.Failure; f != nil {
		return nil, &llm.Error{Kind: f.Kind, Provider: f.Provider, Status: f.Status, RetryAfter: f.RetryAfter, Message: f.Message, Partial: said}
	}
	return said, nil
}

func (t *tape) next(key string) (exchange, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.byKey[key]
	if len(list) == 0 {
		return exchange{}, false
	}
	if len(list) > 1 {
		t.byKey[key] = list[1:]
	}
	return list[0], true
}

// miss is the error for a request that is not on the tape. A prompt that was changed is the usual reason, so it names
// what was recorded under the same name.
func (t *tape) miss(req *llm.Request) error {
	near := "nothing was recorded under that name"
	for _, x := range t.all {
		if x.Request.Name == req.Name {
			near = "recorded under that name is one that ends in " + lastMessage(x.Request)
			break
		}
	}
	return fmt.Errorf("%w: request %q, which ends in %s, is not on the cassette (%s): record it again",
		ErrUnexpected, req.Name, lastMessage(req), near)
}
