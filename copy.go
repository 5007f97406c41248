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
	plan, ok := copyPlans{}.of(reflect.TypeFor[S]())
	return func(to, from *S) (err error) {
		defer recoverInto(&err)
		*to = *from
		switch {
		case !ok:
			err = fmt.Errorf("a %T has no JSON", *from)
		case plan != nil:
			err = plan(reflect.ValueOf(to).Elem(), reflect.ValueOf(from).Elem(), 0)
		}
		if err != nil {
			return fmt.Errorf("the state cannot be copied: %w", err)
		}
		return nil
	}
}

// A copyPlan makes to, which has been assigned from, share no memory with it. Nil
// means that assigning is enough.
type copyPlan func(to, from reflect.Value, depth int) error

// copyPlans has the plans of the types that are being planned.
type copyPlans map[reflect.Type]*copyPlan

// of returns the plan of a t. It reports false if a t cannot be copied.
func (c copyPlans) of(t reflect.Type) (copyPlan, bool) {
	if t == reflect.TypeFor[time.Time]() {
		return nil, true
	}
	if within := c[t]; within != nil {
		return func(to, from reflect.Value, depth int) error {
			if depth == maxDepth {
				return fmt.Errorf("it is nested deeper than %d levels: it seems to contain itself", maxDepth)
			}
			return (*within)(to, from, depth+1)
		}, true
	}
	plan := new(copyPlan)
	c[t] = plan
	defer delete(c, t)
	var ok bool
	if *plan, ok = c.byKind(t); !ok && t.Kind() != reflect.Interface && hasCodec(t) {
		*plan, ok = copyJSON, true
	}
	return *plan, ok
}

func (c copyPlans) byKind(t reflect.Type) (copyPlan, bool) {
	switch t.Kind() {
	case reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return nil, false
	case reflect.Struct:
		return c.ofFields(t)
	case reflect.Slice, reflect.Array, reflect.Map, reflect.Pointer:
	default:
		return nil, true
	}
	elem, ok := c.of(t.Elem())
	if !ok {
		return nil, false
	}
	switch t.Kind() {
	case reflect.Slice:
		return copySlice(t, elem), true
	case reflect.Map:
		return copyMap(elem), true
	case reflect.Pointer:
		return copyPointer(elem), true
	}
	return elem.ofEach(), true
}

// ofFields returns the plan of a struct.
func (c copyPlans) ofFields(t reflect.Type) (copyPlan, bool) {
	plans := make([]copyPlan, t.NumField())
	some := false
	for i := range plans {
		f, ok := t.Field(i), false
		switch {
		case f.IsExported():
			plans[i], ok = c.of(f.Type)
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			plans[i], ok = c.ofFields(f.Type)
		}
		if !ok {
			return nil, false
		}
		some = some || plans[i] != nil
	}
	if !some {
		return nil, true
	}
	return func(to, from reflect.Value, depth int) error {
		for i, plan := range plans {
			if plan == nil {
				continue
			}
			if err := plan(to.Field(i), from.Field(i), depth); err != nil {
				return err
			}
		}
		return nil
	}, true
}

// ofEach returns the plan of an array whose elements have the plan p.
func (p copyPlan) ofEach() copyPlan {
	if p == nil {
		return nil
	}
	return func(to, from reflect.Value, depth int) error {
		for i := range from.Len() {
			if err := p(to.Index(i), from.Index(i), depth); err != nil {
				return err
			}
		}
		return nil
	}
}

// cloneSlice copies a []E whose elements need no copying, without reflection.
func cloneSlice[E any](to, _ reflect.Value, _ int) error {
	own := to.Addr().Interface().(*[]E)
	*own = slices.Clone(*own)
	return nil
}

func copySlice(t reflect.Type, elem copyPlan) copyPlan {
	switch t {
	case reflect.TypeFor[[]string]():
		return cloneSlice[string]
	case reflect.TypeFor[[]int]():
		return cloneSlice[int]
	}
	each := elem.ofEach()
	return func(to, from reflect.Value, depth int) error {
		if from.IsNil() {
			return nil
		}
		if from.Len() == 0 {
			to.Set(reflect.MakeSlice(from.Type(), 0, 0)) // empty, and not nil
			return nil
		}
		to.SetZero()
		to.Grow(from.Len())
		to.SetLen(from.Len())
		reflect.Copy(to, from)
		if each == nil {
			return nil
		}
		return each(to, from, depth)
	}
}

func copyMap(elem copyPlan) copyPlan {
	return func(to, from reflect.Value, depth int) error {
		if from.IsNil() {
			return nil
		}
		to.Set(reflect.MakeMapWithSize(from.Type(), from.Len()))
		for entries := from.MapRange(); entries.Next(); {
			value := entries.Value()
			if elem != nil {
				own := reflect.New(value.Type()).Elem()
				own.Set(value)
				if err := elem(own, value, depth); err != nil {
					return err
				}
				value = own
			}
			to.SetMapIndex(entries.Key(), value)
		}
		return nil
	}
}

func copyPointer(elem copyPlan) copyPlan {
	return func(to, from reflect.Value, depth int) error {
		if from.IsNil() {
			return nil
		}
		to.Set(reflect.New(from.Type().Elem()))
		to.Elem().Set(from.Elem())
		if elem == nil {
			return nil
		}
		return elem(to.Elem(), from.Elem(), depth)
	}
}

// copyJSON copies what has its own JSON.
func copyJSON(to, _ reflect.Value, _ int) error {
	raw, err := json.Marshal(to.Addr().Interface()) // its methods may be those of the pointer
	if err != nil {
		return err
	}
	to.SetZero()
	return json.Unmarshal(raw, to.Addr().Interface())
}
