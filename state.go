package qed

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
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

// copyState returns a copy of s that shares no memory with it: the result of its
// Clone method if S has one, or else what its JSON decodes to.
func copyState[S any](s S) (c S, err error) {
	defer recoverInto(&err)
	if own, ok := any(s).(interface{ Clone() S }); ok {
		return own.Clone(), nil
	}
	raw, err := json.Marshal(&s) // its methods may be those of the pointer
	if err == nil {
		err = json.Unmarshal(raw, &c)
	}
	if err != nil {
		return c, fmt.Errorf("the state cannot be copied: %w", err)
	}
	return c, nil
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
