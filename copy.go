package qed

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"
)

// newCopier returns a function that sets to to a copy of from that shares no memory
// with it: the result of its Clone method if S has one. Otherwise slices, maps and
// pointers are copied, a value with unexported fields becomes what its own JSON
// decodes to, and strings, numbers and times are shared. How to copy an S is found
// out once, here. An S that [Graph.Compile] refuses cannot be copied.
func newCopier[S any]() func(to, from *S) error {
	if _, ok := any(*new(S)).(interface{ Clone() S }); ok {
		return func(to, from *S) (err error) {
			defer recoverInto(&err)
			*to = any(*from).(interface{ Clone() S }).Clone()
			return nil
		}
	}
	kinds := copyKinds{reflect.TypeFor[time.Time](): shared}
	kinds.of(reflect.TypeFor[S]())
	return func(to, from *S) (err error) {
		defer recoverInto(&err)
		*to = *from
		if err := kinds.own(reflect.ValueOf(to).Elem(), 0); err != nil {
			return fmt.Errorf("the state cannot be copied: %w", err)
		}
		return nil
	}
}

// A copyKind is how the values of a type are copied.
type copyKind int

const (
	never   copyKind = iota
	shared           // assigning is enough
	inParts          // their elements or fields
	asJSON           // by their own JSON
)

// copyKinds has the types that a state consists of.
type copyKinds map[reflect.Type]copyKind

// of finds out how a t is copied, and what it consists of.
func (c copyKinds) of(t reflect.Type) copyKind {
	if kind, ok := c[t]; ok {
		return kind
	}
	c[t] = inParts // it may contain itself
	kind := inParts
	switch t.Kind() {
	case reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		kind = never
	case reflect.Struct:
		kind = c.ofFields(t)
	case reflect.Array:
		if kind = c.of(t.Elem()); kind == asJSON {
			kind = inParts
		}
	case reflect.Slice, reflect.Map, reflect.Pointer:
		if c.of(t.Elem()) == never {
			kind = never
		}
	default:
		kind = shared
	}
	if kind == never && t.Kind() != reflect.Interface && hasCodec(t) {
		kind = asJSON
	}
	c[t] = kind
	return kind
}

func (c copyKinds) ofFields(t reflect.Type) copyKind {
	all := shared
	for f := range t.Fields() {
		kind := never
		switch {
		case f.IsExported():
			kind = c.of(f.Type)
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			if kind = c.ofFields(f.Type); kind != never { // else another field may be copied by its JSON
				c[f.Type] = kind
			}
		}
		switch kind {
		case never:
			return never
		case inParts, asJSON:
			all = inParts
		}
	}
	return all
}

// own makes v share no memory with the value from which it was assigned.
func (c copyKinds) own(v reflect.Value, depth int) error {
	switch kind := v.Kind(); {
	case kind < reflect.Array, kind == reflect.String:
		return nil
	case kind == reflect.Slice:
		switch list := v.Addr().Interface().(type) {
		case *[]string: // without reflection
			*list = slices.Clone(*list)
			return nil
		case *[]int:
			*list = slices.Clone(*list)
			return nil
		}
	}
	switch c[v.Type()] {
	case shared:
		return nil
	case asJSON:
		return ownJSON(v)
	case never:
		return fmt.Errorf("a %s has no JSON", v.Type())
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if err := c.own(v.Field(i), depth); err != nil {
				return err
			}
		}
		return nil
	case reflect.Array:
		return c.ownEach(v, depth)
	}
	switch {
	case v.IsNil():
		return nil
	case depth == maxDepth:
		return fmt.Errorf("it is nested deeper than %d levels: it seems to contain itself", maxDepth)
	}
	switch v.Kind() {
	case reflect.Slice:
		list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(list, v)
		v.Set(list)
		return c.ownEach(v, depth+1)
	case reflect.Map:
		entries := reflect.MakeMapWithSize(v.Type(), v.Len())
		for e := v.MapRange(); e.Next(); {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(e.Value())
			if err := c.own(value, depth+1); err != nil {
				return err
			}
			entries.SetMapIndex(e.Key(), value)
		}
		v.Set(entries)
		return nil
	}
	to := reflect.New(v.Type().Elem())
	to.Elem().Set(v.Elem())
	v.Set(to)
	return c.own(to.Elem(), depth+1)
}

func (c copyKinds) ownEach(v reflect.Value, depth int) error {
	if c[v.Type().Elem()] == shared {
		return nil
	}
	for i := range v.Len() {
		if err := c.own(v.Index(i), depth); err != nil {
			return err
		}
	}
	return nil
}

// ownJSON copies what has its own JSON.
func ownJSON(v reflect.Value) error {
	raw, err := json.Marshal(v.Addr().Interface()) // its methods may be those of the pointer
	if err != nil {
		return err
	}
	v.SetZero()
	return json.Unmarshal(raw, v.Addr().Interface())
}
