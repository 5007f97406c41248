package qed

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/qedkit/qed/internal/strictjson"
	"github.com/qedkit/qed/store"
)

// ErrGraphChanged says that a run cannot go on because its graph is another than it was when the run began.
var ErrGraphChanged = errors.New("qed: the graph has changed")

// A Checkpoint is the state of a graph as a run left it, for [CompileOptions.Migrate].
type Checkpoint struct {
	Version     string          // CompileOptions.Version of the graph that the run began with
	Fingerprint string          // of that graph: its nodes, its ways and the type of its state
	Node        string          // the last node that succeeded
	Step        int             // how many nodes were visited
	State       json.RawMessage // after Node
}

// fingerprint is the same for graphs that can read each other's states and agree on what comes after which node.
func (r *Runner[S]) makeFingerprint(version string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q %q\n", r.name, version)
	for _, s := range r.steps {
		fmt.Fprintf(&b, "%q %q %q %q\n", s.name, s.node.next, s.targets, s.branches)
	}
	describe(&b, reflect.TypeFor[S](), map[reflect.Type]bool{})
	sum := sha256.Sum256([]byte(b.String()))
	return fmt.Sprintf("%x", sum[:8])
}

// describe writes how a t looks in JSON.
func describe(b *strings.Builder, t reflect.Type, seen map[reflect.Type]bool) {
	b.WriteString(t.Kind().String())
	if seen[t] {
		b.WriteString(t.String())
		return
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Map:
		describe(b, t.Key(), seen)
		describe(b, t.Elem(), seen)
	case reflect.Slice, reflect.Array, reflect.Pointer:
		describe(b, t.Elem(), seen)
	case reflect.Struct:
		if hasCodec(t) {
			b.WriteString(t.String())
			return
		}
		for f := range t.Fields() {
			fmt.Fprintf(b, "(%s %q ", f.Name, f.Tag.Get("json"))
			describe(b, f.Type, seen)
			b.WriteByte(')')
		}
	}
}

// commit records the state after a node.
func (r *Runner[S]) commit(p *place, at, count int, s *S) error {
	w := writers.Get().(*stateWriter)
	defer writers.Put(w)
	w.Reset()
	w.WriteString(r.steps[at].stamp)
	w.Write(strconv.AppendInt(w.AvailableBuffer(), int64(count), 10))
	w.WriteString(`,"state":`)
	if err := w.json.Encode(s); err != nil {
		return fmt.Errorf("the state cannot be kept: %w", err)
	}
	w.Truncate(w.Len() - 1) // the encoder ends with a newline
	w.WriteByte('}')
	err := p.log.record(store.Record{Kind: store.Checkpoint, Address: p.address, Data: bytes.Clone(w.Bytes())})
	if err == errLost {
		return nil
	}
	return err
}

// A stateWriter is a buffer that JSON is written into.
type stateWriter struct {
	bytes.Buffer
	json *json.Encoder
}

var writers = sync.Pool{New: func() any {
	w := &stateWriter{}
	w.json = json.NewEncoder(&w.Buffer)
	return w
}}

// stamp is how the data of a state's record begin, after a node.
func (r *Runner[S]) makeStamp(node, version string) string {
	head, _ := json.Marshal(struct { // strings have a JSON form
		Fingerprint string `json:"fingerprint"`
		Version     string `json:"version,omitempty"`
		Node        string `json:"node"`
	}{r.fingerprint, version, node})
	return string(head[:len(head)-1]) + `,"step":`
}

// resume returns where a run goes on whose state was recorded at p, with that state in s; otherwise it begins at Start.
func (r *Runner[S]) resume(ctx context.Context, p *place, s *S) (at, count int, err error) {
	rec, err := p.state()
	if err != nil || rec == nil {
		return 0, 0, err
	}
	return r.restore(ctx, rec, s)
}

// restore returns the step that a state was recorded after, with the state in s.
func (r *Runner[S]) restore(ctx context.Context, rec *store.Record, s *S) (at, count int, err error) {
	c, err := r.checkpoint(ctx, rec)
	if err != nil {
		return 0, 0, err
	}
	at = -1
	for i := range r.steps {
		if r.steps[i].name == c.Node {
			at = i
		}
	}
	if at < 0 || c.Step < 0 {
		return 0, 0, fmt.Errorf("%w: %s has no node %q to go on after as step %d", ErrGraphChanged, r.name, c.Node, c.Step)
	}
	fresh, err := readState[S](c.State)
	if err != nil {
		return 0, 0, fmt.Errorf("%w: number %d, the state of %s: %w", store.ErrCorrupt, rec.Seq, r.name, err)
	}
	*s = fresh
	return at, c.Step, nil
}

// checkpoint reads a state's record, and has it migrated where it is another graph's.
func (r *Runner[S]) checkpoint(ctx context.Context, rec *store.Record) (Checkpoint, error) {
	var d stateData
	if err := rec.Decode(&d); err != nil {
		return Checkpoint{}, err
	}
	c := Checkpoint{d.Version, d.Fingerprint, d.Node, d.Step, d.State}
	if c.Fingerprint == r.fingerprint {
		return c, nil
	}
	if r.migrate == nil {
		return c, fmt.Errorf("%w: the run was begun by version %q (%s) of %s, and this is %q (%s); begin a new turn, or give CompileOptions.Migrate",
			ErrGraphChanged, c.Version, c.Fingerprint, r.name, r.version, r.fingerprint)
	}
	c, err := migrate(ctx, r.migrate, c)
	if err != nil {
		return c, fmt.Errorf("%w: the migration of %s from version %q failed: %w", ErrGraphChanged, r.name, d.Version, err)
	}
	return c, nil
}

func migrate(ctx context.Context, f func(context.Context, Checkpoint) (Checkpoint, error), c Checkpoint) (_ Checkpoint, err error) {
	defer recoverInto(&err)
	return f(ctx, c)
}

func readState[S any](raw json.RawMessage) (s S, err error) {
	defer recoverInto(&err)
	err = strictjson.Decode(raw, &s)
	return s, err
}

// state returns the record of the graph's state at p, or nil.
func (p *place) state() (*store.Record, error) {
	j := p.log
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.readScope(p.scope); err != nil {
		return nil, err
	}
	if k := j.known[p.address]; k != nil && k.state != nil && k.state.Seq > p.since {
		return k.state, nil
	}
	return nil, nil
}

// stateBefore returns the record of the state that the graph at p was in when the run was replied to, or nil.
func (p *place) stateBefore() (*store.Record, error) {
	j := p.log
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.readScope(p.scope); err != nil {
		return nil, err
	}
	k := j.known[p.address]
	switch {
	case k == nil || k.state == nil:
		return nil, nil
	case k.state.Seq < j.replied:
		return k.state, nil
	}
	return k.before, nil
}

// repliedWithin reports whether one of the last replies is to a question that was asked below a path.
func (j *journal) repliedWithin(path string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, k := range j.known {
		if k.question == nil || k.replied < j.replied {
			continue
		}
		if asked := k.question.Path; path == "" && asked != "" || strings.HasPrefix(asked, path+"/") {
			return true
		}
	}
	return false
}

// earlier returns the state that an earlier turn of the thread left the graph at an address in, or the zero S.
func (r *Runner[S]) earlier(ctx context.Context, j *journal, address string, run *int64) (s S, err error) {
	rec, err := j.lastState(address)
	if err != nil || rec == nil {
		return s, err
	}
	*run = rec.Run
	c, err := r.checkpoint(ctx, rec)
	if err == nil {
		s, err = readState[S](c.State)
	}
	if err != nil {
		// What was said still counts: only what the graph made of it is gone.
		j.startFresh(fmt.Errorf("the state of %s from an earlier turn cannot be used: %w", r.name, err))
		var zero S
		return zero, nil
	}
	return s, nil
}
