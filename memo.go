package qed

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/qedkit/qed/store"
)

var (
	// ErrUnresolved says that a call that must not be repeated was begun, and nobody knows what became of it.
	ErrUnresolved = errors.New("qed: the outcome is not known")

	// ErrNondeterministic says that a run that goes on asks for something else than what is recorded there.
	ErrNondeterministic = errors.New("qed: the run goes another way than before")
)

// Step calls fn and records what it returns, so that a run that goes on does not call it again. It is for what costs time or money
// and does no harm when it is done twice: where a process dies after the call and before the record, it is.
//
// Calls are told apart by where they are in the program's order: by the node, the visit, and how often name was used there.
// So call Memo on the node's own goroutine, or in [Each], whose items have keys. in is the input, any value that JSON holds: when a
// run goes on and the input is another than it was, the error matches [ErrNondeterministic]. [Now] in place of time.Now, and sorted keys, avoid that.
//
// The value goes through JSON, the first time as well, and its type must not lose anything there, as with the state of a graph. An error
// becomes a [*CallError] and is recorded too; a node's next attempt calls fn again. A cancelled call is not recorded.
//
// Outside a durable run Memo calls fn and nothing else.
func Step[T any](ctx context.Context, name string, in any, fn func(context.Context) (T, error)) (T, error) {
	sc := scopeOf(ctx)
	if sc.place == nil {
		return fn(ctx)
	}
	return recorded(ctx, sc, recording{name: name, in: in}, fn)
}

// StepOnce is like [Step], for what must not be done twice: it is recorded before fn is called as well. Where a process died in between, nobody
// knows whether fn did its work: the error matches [ErrUnresolved], until somebody found out and told by [Resolve], or a new turn begins. Where the store
// fails, fn is not called, and the error matches [ErrNotRecorded]. A failure is final, unless it is a [SafeToRetry].
func StepOnce[T any](ctx context.Context, name string, in any, fn func(context.Context) (T, error)) (T, error) {
	sc := scopeOf(ctx)
	if sc.place == nil {
		return fn(ctx)
	}
	return recorded(ctx, sc, recording{name: name, in: in, once: true}, fn)
}

// WithNamespace returns a context in which what is recorded has an address of its own: name, within the Scope around it if there is one. So it does
// not depend on the node, the visit and the turn. It is for a piece of work that has an identity, such as the task of a plan: whatever way
// leads to it, in this turn or a later one of the thread, what it did is found and not done again. Two pieces of work
// must not have the same name in a thread, so names have an id in them, mostly. Slashes separate the parts of a name.
//
// Outside a durable run it returns ctx.
func WithNamespace(ctx context.Context, name string) context.Context {
	sc := scopeOf(ctx)
	if sc.place == nil {
		return ctx
	}
	return &scope{ctx, sc.path, sc.frame, sc.place.scoped(name)}
}

// A recording says which call is recorded, and how.
type recording struct {
	name    string
	address string // the name in addresses; empty means name
	in      any    // a string that is JSON stands for itself
	once    bool

	// pay is called before the call is made, and its error is why it is not. Nil does nothing.
	pay func() error
}

// input is what the log has of the input itself.
func (c *recording) input() json.RawMessage {
	if text, ok := c.in.(string); ok && json.Valid([]byte(text)) {
		return clipInput(json.RawMessage(text))
	}
	raw, err := json.Marshal(c.in)
	if err != nil {
		return nil
	}
	return clipInput(raw)
}

func clipInput(raw json.RawMessage) json.RawMessage {
	if len(raw) > maxInput {
		return nil
	}
	return raw
}

const maxInput = 16 << 10

// recorded makes a call, or finds what became of it.
func recorded[T any](ctx context.Context, sc *scope, c recording, fn func(context.Context) (T, error)) (v T, err error) {
	p := sc.place
	if err := p.ready(); err != nil {
		return v, err
	}
	if err := keepable[T](); err != nil {
		return v, fmt.Errorf("qed: %s: what it returns %w", c.name, err)
	}
	in, err := hashOf(c.in)
	if err != nil {
		return v, fmt.Errorf("qed: %s: its input cannot be recorded: %w", c.name, err)
	}
	if c.address == "" {
		c.address = escape(c.name)
	}
	own := p.child(c.address)
	leave, err := own.alone(ctx)
	if err != nil {
		return v, err
	}
	defer leave()
	found, err := own.lookUp(&c, in)
	if err != nil {
		return v, err
	}
	if found != nil {
		if found.Error != nil {
			return v, found.Error.callError(c.name, own.address, c.once)
		}
		if v, err = fromJSON[T](c.name, found.Value); err != nil {
			err = fmt.Errorf("%w: %w", store.ErrCorrupt, err)
		}
		return v, err
	}
	if c.pay != nil {
		if err := c.pay(); err != nil {
			return v, err
		}
	}
	if c.once {
		data, err := json.Marshal(calledData{in, c.name, c.input()})
		if err != nil {
			return v, fmt.Errorf("qed: %s: its input cannot be recorded: %w", c.name, err)
		}
		switch err := own.record(store.Called, data); {
		case err == errLost:
			return v, fmt.Errorf("%w: %s", ErrNotRecorded, c.name)
		case err != nil:
			return v, err
		}
	}
	v, err = fn(&scope{ctx, sc.path, sc.frame, own})
	return returns(ctx, own, &c, in, v, err)
}

// returns records what became of a call, and returns it as it will be found.
func returns[T any](ctx context.Context, own *place, c *recording, in string, v T, err error) (T, error) {
	var zero T
	if err = own.settle(spoken(err)); err != nil {
		notDone, _ := errors.AsType[*notDoneError](err)
		switch {
		case errors.Is(err, ErrInterrupted):
			return zero, own.stopped(c, in, err)
		case notDone != nil && c.once:
			// The mark is about this call, and not about one that it is part of.
			return zero, own.stopped(c, in, unmarked{err})
		case errors.Is(err, ErrCannotInterrupt) && !c.once:
			return zero, err
		case endsTurn(err), cancelled(ctx) != nil, cancelled(own.log.ctx) != nil:
			return zero, err
		}
		f := failureOf(err)
		data, jsonErr := json.Marshal(returnedData{In: in, Attempt: own.attempt, Error: f})
		if jsonErr != nil {
			return zero, err
		}
		f.Message = asInJSON(f.Message)
		if err := own.record(store.Returned, data); err != nil && err != errLost {
			return zero, err
		}
		return zero, f.callError(c.name, own.address, c.once)
	}
	value, err := json.Marshal(v)
	if err != nil {
		return zero, fmt.Errorf("qed: %s: what it returned cannot be recorded: %w", c.name, err)
	}
	data := make([]byte, 0, len(value)+len(in)+40)
	data = append(data, `{"in":"`...)
	data = append(data, in...)
	data = append(data, `","attempt":`...)
	data = strconv.AppendInt(data, int64(own.attempt), 10)
	data = append(data, `,"value":`...)
	data = append(append(data, value...), '}')
	if err := own.record(store.Returned, data); err != nil && err != errLost {
		return zero, err
	}
	if err := cancelled(own.log.ctx); err != nil {
		return zero, err // it is recorded, and found when the run goes on
	}
	return fromJSON[T](c.name, value)
}

// asInJSON returns s as it is read again.
func asInJSON(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s { // every byte that is no character becomes one that says so
		b.WriteRune(r)
	}
	return b.String()
}

// stopped records that a call was left before it did its work, so that it is made when the run goes on. It returns why.
func (p *place) stopped(c *recording, in string, why error) error {
	if !c.once {
		return why
	}
	data, err := json.Marshal(returnedData{In: in, Attempt: p.attempt, Stopped: true})
	if err != nil {
		return err
	}
	if err := p.record(store.Returned, data); err != nil && err != errLost {
		return err
	}
	return why
}

func fromJSON[T any](name string, value json.RawMessage) (T, error) {
	var v, zero T
	if err := json.Unmarshal(value, &v); err != nil {
		return zero, fmt.Errorf("qed: %s: what it returned cannot be read: %w", name, err)
	}
	return v, nil
}

// record appends a record about p, and makes it known.
func (p *place) record(kind store.Kind, data []byte) error {
	return p.log.record(store.Record{Kind: kind, Address: p.address, Data: data})
}

// lookUp returns what became of a call, or nil when it is to be made.
func (p *place) lookUp(c *recording, in string) (*returnedData, error) {
	j := p.log
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.readScope(p.scope); err != nil {
		return nil, err
	}
	k := j.known[p.address]
	if k == nil {
		return nil, nil
	}
	var found *returnedData
	for i := range k.returns {
		r := &k.returns[i]
		switch {
		case r.seq <= p.since:
		case r.Error != nil && r.seq < j.run && !c.once: // in an earlier run: this one tries again
		case r.In != in:
			return nil, fmt.Errorf("%w: the input of %s (%s) is another than it was; use qed.Now for the time, and sort what has no order",
				ErrNondeterministic, c.name, p.address)
		case r.Error == nil && found == nil, r.Error != nil && (c.once || r.Attempt == p.attempt):
			found = &r.returnedData
		}
	}
	if found == nil && k.called > p.since && c.once {
		j.unknown = append(j.unknown, c.name)
		return nil, fmt.Errorf("%w: %s was begun and did not return; find out what it did, and tell by Settle, or begin a new turn", ErrUnresolved, c.name)
	}
	return found, nil
}

// endsTurn reports whether err is one that is never recorded nor told a model.
func endsTurn(err error) bool {
	for _, target := range []error{ErrInterrupted, ErrUnresolved, ErrNondeterministic, store.ErrConflict, ErrBudget, ErrGraphChanged, ErrToolAbandoned} {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

// hashOf returns a hash of v's JSON, in which maps are sorted.
func hashOf(v any) (string, error) {
	if v == nil {
		return "", nil
	}
	text, ok := v.(string)
	raw := []byte(text)
	if !ok {
		var err error
		if raw, err = json.Marshal(v); err != nil {
			return "", err
		}
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:12]), nil
}

// keepables has for each type what checkState found wrong with it.
var keepables sync.Map

// keepable says what of a T would be lost in JSON.
func keepable[T any]() error {
	t := reflect.TypeFor[T]()
	if known, ok := keepables.Load(t); ok {
		err, _ := known.(error)
		return err
	}
	err := errors.Join(checkState[T]()...)
	keepables.Store(t, err)
	return err
}

// compact returns raw without spaces, as it is compared.
func compact(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}
