package qed

import (
	"crypto/sha256"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/strictjson"
	"github.com/qedkit/qed/store"
)

// checkState returns what of an S would be lost or refused in JSON. It checks the
// type, because a single value does not show it.
func checkState[S any]() []error {
	t := reflect.TypeFor[S]()
	c := stateChecker{seen: map[reflect.Type]bool{}}
	c.check(t, t.String())
	return c.problems
}

type stateChecker struct {
	seen     map[reflect.Type]bool
	problems []error
}

func (c *stateChecker) problem(where, what string) {
	c.problems = append(c.problems, fmt.Errorf("cannot be saved as JSON: %s %s", where, what))
}

func (c *stateChecker) check(t reflect.Type, where string) {
	if c.seen[t] {
		return
	}
	c.seen[t] = true
	if t.Kind() == reflect.Struct {
		if name, ok := borrowsCodec(t); ok {
			c.problem(where, fmt.Sprintf("has the JSON of its embedded %s alone; give that field a name", name))
			return
		}
	}
	if t.Kind() != reflect.Interface && hasCodec(t) {
		return
	}
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
	case reflect.Slice, reflect.Array:
		c.check(t.Elem(), where+"[]")
	case reflect.Map:
		if !isKey(t.Key()) {
			c.problem(where, fmt.Sprintf("has keys of type %s", t.Key()))
		}
		c.check(t.Elem(), where+"[]")
	case reflect.Pointer:
		switch t.Elem().Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			c.problem(where, fmt.Sprintf("is a %s, whose null is ambiguous", t))
		}
		c.check(t.Elem(), where)
	case reflect.Struct:
		c.checkFields(t, where, map[string]string{}, nil)
	default:
		c.problem(where, fmt.Sprintf("is of type %s", t))
	}
}

// checkFields checks the fields of t and of the structs that it embeds. names has
// the fields found so far, by their JSON names: of two with one name, at least one
// is lost.
func (c *stateChecker) checkFields(t reflect.Type, where string, names map[string]string, outer []reflect.Type) {
	outer = append(outer, t)
	for f := range t.Fields() {
		at := where + "." + f.Name
		tag, tagged := f.Tag.Lookup("json")
		name, _, _ := strings.Cut(tag, ",")
		if f.Anonymous && name == "" {
			inner := f.Type
			if inner.Kind() == reflect.Pointer && f.IsExported() {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct && !hasCodec(inner) && !slices.Contains(outer, inner) {
				c.checkFields(inner, at, names, outer)
				continue
			}
		}
		switch {
		case tagged && tag == "-":
			c.problem(at, `is left out because of its tag "-"`)
			continue
		case !f.IsExported():
			c.problem(at, "is not exported")
			continue
		case name == "":
			name = f.Name
		}
		if other, taken := names[name]; taken {
			c.problem(at, fmt.Sprintf("has the name %q in JSON, like %s", name, other))
		}
		names[name] = at
		c.check(f.Type, at)
	}
}

// borrowsCodec reports whether t has an embedded type with its own JSON methods
// next to other fields. Go promotes the methods, which then encode only that type.
func borrowsCodec(t reflect.Type) (string, bool) {
	if t.NumField() > 1 {
		for f := range t.Fields() {
			if f.Anonymous && hasCodec(f.Type) && f.Type.Kind() != reflect.Interface {
				return f.Name, true
			}
		}
	}
	return "", false
}

var (
	jsonMarshaler   = reflect.TypeFor[json.Marshaler]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textMarshaler   = reflect.TypeFor[encoding.TextMarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// hasCodec reports whether t encodes and decodes its own JSON or text.
func hasCodec(t reflect.Type) bool {
	p := t
	if t.Kind() != reflect.Pointer {
		p = reflect.PointerTo(t)
	}
	return p.Implements(jsonMarshaler) && p.Implements(jsonUnmarshaler) ||
		p.Implements(textMarshaler) && p.Implements(textUnmarshaler)
}

func isKey(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return true
	}
	return t.Implements(textMarshaler) && reflect.PointerTo(t).Implements(textUnmarshaler)
}

// ErrGraphChanged reports that a run cannot be resumed because its graph was
// changed since the run began.
var ErrGraphChanged = errors.New("qed: the graph has changed")

// makeFingerprint returns a hash that is the same for graphs that can read each
// other's states and have the same edges.
func (r *Runner[S]) makeFingerprint() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q\n", r.name)
	for _, s := range r.steps {
		fmt.Fprintf(&b, "%q %q %q %q\n", s.name, s.node.next, s.targets, s.branches)
	}
	describe(&b, reflect.TypeFor[S](), map[reflect.Type]bool{})
	sum := sha256.Sum256([]byte(b.String()))
	return fmt.Sprintf("%x", sum[:8])
}

// describe writes the JSON form of a t.
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
	data, err := encode(&stateData[*S]{r.fingerprint, r.steps[at].name, count, s})
	if err != nil {
		return fmt.Errorf("the state cannot be saved: %w", err)
	}
	return p.log.recordLater(store.Record{Kind: store.Checkpoint, Address: p.address, Data: data})
}

// resume sets s to the state that was recorded at p, and returns the step after
// which the run is resumed. If there is no state it returns the start.
func (r *Runner[S]) resume(p *place, s *S) (at, count int, err error) {
	rec, err := p.state()
	if err != nil || rec == nil {
		return 0, 0, err
	}
	return r.restore(rec, s)
}

// restore sets s to a recorded state, and returns the step after which it was
// recorded.
func (r *Runner[S]) restore(rec *store.Record, s *S) (at, count int, err error) {
	c, err := r.checkpoint(rec)
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
		return 0, 0, fmt.Errorf("%w: %s has no node %q to resume after at step %d", ErrGraphChanged, r.name, c.Node, c.Step)
	}
	fresh, err := readState[S](c.State)
	if err != nil {
		return 0, 0, fmt.Errorf("%w: number %d, the state of %s: %w", store.ErrCorrupt, rec.Seq, r.name, err)
	}
	*s = fresh
	return at, c.Step, nil
}

// checkpoint decodes a state's record, which must be of the same graph.
func (r *Runner[S]) checkpoint(rec *store.Record) (stateData[json.RawMessage], error) {
	var c stateData[json.RawMessage]
	if err := rec.Decode(&c); err != nil {
		return c, err
	}
	if c.Fingerprint != r.fingerprint {
		return c, fmt.Errorf("%w: the run was begun by another version of %s (%s, and this is %s); begin a new turn",
			ErrGraphChanged, r.name, c.Fingerprint, r.fingerprint)
	}
	return c, nil
}

func readState[S any](raw json.RawMessage) (s S, err error) {
	defer recoverInto(&err)
	err = strictjson.Decode(raw, &s)
	return s, err
}

// state returns the record of the graph's state at p, or nil.
func (p *place) state() (*store.Record, error) {
	rs := p.log
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if err := rs.findState(p.address); err != nil {
		return nil, err
	}
	k, err := rs.find(p)
	if err != nil || k == nil || k.state == nil || k.state.Seq <= p.since {
		return nil, err
	}
	return k.state, nil
}

// stateBefore returns the record of the state that the graph at p had when the
// run was replied to, or nil.
func (p *place) stateBefore() (*store.Record, error) {
	rs := p.log
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if err := rs.findState(p.address); err != nil {
		return nil, err
	}
	k, err := rs.find(p)
	switch {
	case err != nil || k == nil || k.state == nil:
		return nil, err
	case k.state.Seq < rs.replied:
		return k.state, nil
	}
	if err := rs.findStateBefore(p.address); err != nil {
		return nil, err
	}
	return k.before, nil
}

// repliedWithin reports whether one of the last replies is to a question that
// was asked below a path.
func (rs *runState) repliedWithin(path string) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, k := range rs.known {
		if k.question == nil || k.replied < rs.replied {
			continue
		}
		if asked := k.question.Path; path == "" && asked != "" || strings.HasPrefix(asked, path+"/") {
			return true
		}
	}
	return false
}

// earlier returns the state in which an earlier turn of the thread left the
// graph at an address, or the zero S. It sets run to that turn's run.
func (r *Runner[S]) earlier(rs *runState, address string, run *int64) (s S, err error) {
	rec, err := rs.lastState(address)
	if err != nil || rec == nil {
		return s, err
	}
	*run = rec.Run
	c, err := r.checkpoint(rec)
	if err == nil {
		s, err = readState[S](c.State)
	}
	if err != nil {
		// The messages are still used: only the graph's state is lost.
		rs.stateDiscarded(fmt.Errorf("the state of %s from an earlier turn cannot be used: %w", r.name, err))
		var zero S
		return zero, nil
	}
	return s, nil
}
