package qed

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"unicode/utf8"

	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/internal/runlog"
	"github.com/qedkit/qed/store"
)

var (
	// ErrUnresolved reports that an at-most-once call was started, and that its
	// outcome is unknown. See [Settle].
	ErrUnresolved = errors.New("qed: the outcome of a call is unknown")

	// ErrNondeterministic reports that a call of a resumed run differs from the
	// call that is recorded at the same position.
	ErrNondeterministic = errors.New("qed: the resumed run differs from what is recorded")
)

// Step calls fn and records its result, so that a resumed run does not call it
// again. Step is for calls that are expensive but safe to repeat: if the
// process dies after the call and before its result is recorded, a resumed run
// makes the call again. Use [StepOnce] for calls that must not be made twice, such
// as a payment.
//
// A call is identified by its position in the program's order: the node, the
// visit of the node, and how often name was used there. So call Step on the
// node's own goroutine, or in [Each], whose items have keys. in is the input,
// any value with a JSON form. If the input of a resumed run differs from the
// recorded one, the error matches [ErrNondeterministic]. To avoid that, use
// [Now] instead of time.Now, and sort keys.
//
// The result goes through JSON, the first time as well. Its type must not lose
// anything there, like the state of a graph. An error becomes a [*CallError]
// and is recorded too; the node's next attempt calls fn again. A cancelled call
// is not recorded.
//
// Outside a durable run Step only calls fn.
func Step[T any](ctx context.Context, name string, in any, fn func(context.Context) (T, error)) (T, error) {
	sc := scopeOf(ctx)
	if sc.place == nil {
		return fn(ctx)
	}
	return recorded(ctx, sc, recording{name: name, in: in}, fn)
}

// StepOnce is like [Step], for at-most-once calls. The call is recorded before
// fn is called as well. If the process dies in between, it is not known whether
// fn did its work: the error matches [ErrUnresolved] until the outcome is
// recorded with [Settle], or a new turn begins. If the store fails, fn is not
// called, and the error matches [ErrNotRecorded]. A failure is final, unless it
// is marked with [SafeToRetry].
func StepOnce[T any](ctx context.Context, name string, in any, fn func(context.Context) (T, error)) (T, error) {
	sc := scopeOf(ctx)
	if sc.place == nil {
		return fn(ctx)
	}
	return recorded(ctx, sc, recording{name: name, in: in, once: true}, fn)
}

// WithNamespace returns a context whose calls are recorded under name, within
// the namespace around it if there is one. They are then independent of the
// node, the visit and the turn. It is for work that has an identity, such as
// the task of a plan: what the work did is found and not done again, in this
// turn and in later turns of the thread.
//
// A name is used for one piece of work in a thread, so most names contain an
// id. Slashes separate the parts of a name.
//
// Outside a durable run WithNamespace returns ctx.
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
	once    bool   // at most once

	// pay is called before the call is made. If it returns an error the call is
	// not made. Nil does nothing.
	pay func() error

	// cost returns what the call spent, by its value; by nil if it failed. It is
	// for a call that is found and not made. Nil means that it spent nothing.
	cost func(value any) budget.Limits
}

// maxInput is how large an input is recorded, in bytes of JSON.
const maxInput = 16 << 10

// input returns the JSON of the input, or nil if it is too large.
func (c *recording) input() json.RawMessage {
	var raw json.RawMessage
	if text, ok := c.in.(string); ok && json.Valid([]byte(text)) {
		raw = json.RawMessage(text)
	} else {
		raw, _ = json.Marshal(c.in) // hashOf found that it has a JSON form
	}
	if len(raw) > maxInput {
		return nil
	}
	return raw
}

// recorded returns the recorded result of a call, or makes the call and records
// its result.
func recorded[T any](
	ctx context.Context, sc *scope, c recording, fn func(context.Context) (T, error),
) (v T, err error) {
	p := sc.place
	if err := p.ready(); err != nil {
		return v, err
	}
	if err := checkJSON[T](); err != nil {
		return v, fmt.Errorf("qed: %s: its result %w", c.name, err)
	}
	in, err := hashOf(c.in)
	if err != nil {
		return v, fmt.Errorf("qed: %s: its input cannot be recorded: %w", c.name, err)
	}
	c.address = cmp.Or(c.address, escape(c.name))
	own := p.child(c.address)
	leave, err := own.exclusive(ctx)
	if err != nil {
		return v, err
	}
	defer leave()
	found, err := own.result(&c, in)
	switch {
	case err != nil:
		return v, err
	case found != nil && found.Error != nil:
		own.replayed(ctx, &c, found, nil)
		return v, found.Error.callError(c.name, own.address, c.once)
	case found != nil:
		if v, err = fromJSON[T](c.name, found.Value); err != nil {
			err = fmt.Errorf("%w: %w", store.ErrCorrupt, err)
		}
		own.replayed(ctx, &c, found, v)
		return v, err
	}
	if c.pay != nil {
		if err := c.pay(); err != nil {
			return v, err
		}
	}
	if c.cost != nil {
		own.paid()
	}
	if c.once {
		if err := own.recordCall(&c, in); err != nil {
			return v, err
		}
	}
	v, err = fn(&scope{ctx, sc.path, sc.frame, own})
	if err = own.settle(spoken(err)); err != nil {
		var zero T
		return zero, own.recordError(ctx, &c, in, err)
	}
	value, err := own.recordValue(&c, in, v)
	if err == nil {
		err = cancelled(own.log.ctx) // the result is recorded, and found when the run is resumed
	}
	if err != nil {
		var zero T
		return zero, err
	}
	return fromJSON[T](c.name, value)
}

// recordCall records that an at-most-once call is about to be made.
func (p *place) recordCall(c *recording, in string) error {
	data, err := encode(calledData{in, c.name, c.input()})
	if err != nil {
		return fmt.Errorf("qed: %s: its input cannot be recorded: %w", c.name, err)
	}
	err = p.log.record(store.Record{Kind: store.Called, Address: p.address, Data: data})
	if err != runlog.ErrLost {
		return err
	}
	// The record may have been saved, although the store failed: the end of the
	// run says that the call was not made.
	if err := p.recordResult(c, returnedData{In: in, Attempt: p.attempt, Stopped: true}); err != nil {
		return err
	}
	return fmt.Errorf("%w: %s", ErrNotRecorded, c.name)
}

// recordError records that a call failed, and returns the error of the call.
func (p *place) recordError(ctx context.Context, c *recording, in string, err error) error {
	result := returnedData{In: in, Attempt: p.attempt}
	safe, _ := errors.AsType[*notDoneError](err)
	switch {
	case errors.Is(err, ErrInterrupted):
		if !c.once {
			return err
		}
		result.Stopped = true
	case safe != nil && c.once:
		// The mark is about this call, and not about one that it is part of.
		err, result.Stopped = unmarked{err}, true
	case errors.Is(err, ErrCannotInterrupt) && !c.once:
		return err
	case endsTurn(err), cancelled(ctx) != nil, cancelled(p.log.ctx) != nil:
		return err
	default:
		result.Error = failureOf(err)
		result.Error.Message = asInJSON(result.Error.Message)
		err = result.Error.callError(c.name, p.address, c.once)
	}
	if failed := p.recordResult(c, result); failed != nil {
		return failed
	}
	return err
}

// recordValue records what a call returned, and returns the JSON of it. A value
// that cannot be recorded makes the call one that failed: its outcome is known.
func (p *place) recordValue(c *recording, in string, v any) (value json.RawMessage, err error) {
	result := returnedData{In: in, Attempt: p.attempt, Spent: p.log.spentSoFar()}
	var data json.RawMessage
	if value, err = encode(v); err == nil {
		data, err = result.encodeWith(value)
	}
	if err == nil {
		result.Value = value
		return value, p.recordReturned(c, data, &result)
	}
	result.Error = failureOf(fmt.Errorf("its result cannot be recorded: %w", err))
	result.Error.Message = asInJSON(result.Error.Message)
	if err := p.recordResult(c, result); err != nil {
		return nil, err
	}
	return nil, result.Error.callError(c.name, p.address, c.once)
}

// paid reports whether the budgets within the run have counted the call at p
// already. From then on they have.
func (p *place) paid() (already bool) {
	rs := p.log
	rs.mu.Lock()
	defer rs.mu.Unlock()
	k := rs.at(p.address)
	already, k.paid = k.paid, true
	return already
}

// replayed counts what a call spent that is found in the log. Another attempt
// of the node may find it again. A call that an earlier run made in a namespace is
// not spent by this one.
func (p *place) replayed(ctx context.Context, c *recording, found *returned, value any) {
	if c.cost != nil && found.seq >= p.log.run && !p.paid() {
		p.log.meter.Replayed(ctx, c.cost(value))
	}
}

// recordResult records how a call ended.
func (p *place) recordResult(c *recording, result returnedData) error {
	result.Spent = p.log.spentSoFar()
	data, err := encode(result)
	if err != nil {
		return err
	}
	return p.recordReturned(c, data, &result)
}

// recordReturned records the end of a call, also if the run is cancelled. data is
// the JSON of result.
func (p *place) recordReturned(c *recording, data json.RawMessage, result *returnedData) error {
	rs := p.log
	rs.mu.Lock()
	defer rs.mu.Unlock()
	with := (*runlog.Log).Later
	if c.once {
		with = (*runlog.Log).AppendOrKeep
	}
	recs := []store.Record{{Kind: store.Returned, Address: p.address, Data: data}}
	switch err := with(rs.log, recs...); err {
	case nil:
		rs.learnReturned(&recs[0], result)
	case runlog.ErrLost:
	default:
		return err
	}
	return nil
}

// asInJSON returns s as it is after a round trip through JSON.
func asInJSON(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s)) // every invalid byte becomes U+FFFD
}

func fromJSON[T any](name string, value json.RawMessage) (T, error) {
	var v, zero T
	if err := json.Unmarshal(value, &v); err != nil {
		return zero, fmt.Errorf("qed: %s: its recorded result cannot be read: %w", name, err)
	}
	return v, nil
}

// result returns the recorded result of a call, or nil if the call is to be
// made.
func (p *place) result(c *recording, in string) (*returned, error) {
	rs := p.log
	rs.mu.Lock()
	defer rs.mu.Unlock()
	k, err := rs.find(p)
	if err != nil || k == nil {
		return nil, err
	}
	var found *returned
	for i := range k.returns {
		r := &k.returns[i]
		switch {
		case r.seq <= p.since:
		case r.Error != nil && r.seq < rs.run && !c.once: // in an earlier run: this one tries again
		case r.In != in:
			return nil, fmt.Errorf("%w: the input of %s (%s) has changed; use qed.Now for the time, and sort maps and sets",
				ErrNondeterministic, c.name, p.address)
		case r.Error == nil && found == nil, r.Error != nil && (c.once || r.Attempt == p.attempt):
			found = r
		}
	}
	if found == nil && c.once && k.called > p.since {
		rs.unresolved = append(rs.unresolved, c.name)
		return nil, fmt.Errorf("%w: %s was started and did not return; "+
			"find out what it did and call Settle, or begin a new turn", ErrUnresolved, c.name)
	}
	return found, nil
}

// endsTurn reports whether err is one that is never recorded as the result of a
// call, nor shown to a model.
func endsTurn(err error) bool {
	for _, target := range []error{
		ErrInterrupted, ErrUnresolved, ErrNondeterministic, store.ErrConflict, budget.ErrExceeded, ErrGraphChanged,
		ErrToolAbandoned,
	} {
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
	return hashOfJSON(raw), nil
}

// hashOfJSON is hashOf for what is JSON.
func hashOfJSON(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:12])
}

// checkedTypes has the result of checkJSON by type.
var checkedTypes sync.Map

// checkJSON returns an error that says what of a T would be lost in JSON.
func checkJSON[T any]() error {
	t := reflect.TypeFor[T]()
	if known, ok := checkedTypes.Load(t); ok {
		err, _ := known.(error)
		return err
	}
	err := errors.Join(checkState[T]()...)
	checkedTypes.Store(t, err)
	return err
}
