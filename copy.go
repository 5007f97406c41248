package qed

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"
)

// copier returns a function that gives a shallow copy of an S its own copy of all that it points to.
//
// A type with a method Clone that returns the type itself is copied by it. A [time.Time] is immutable. What has parts that
// cannot be reached from here, and reads and writes its own JSON, is copied through that. What to do is found out once, here.
func copier[S any]() func(*S) error {
	if _, ok := any(*new(S)).(interface{ Clone() S }); ok {
		return func(s *S) (err error) {
			defer recoverInto(&err)
			*s = any(*s).(interface{ Clone() S }).Clone()
			return nil
		}
	}
	t := reflect.TypeFor[S]()
	deepen, ok := copyCompiler{}.compile(t)
	switch {
	case !ok:
		return func(*S) error { return fmt.Errorf("qed: a %s cannot be copied", t) }
	case deepen == nil:
		return func(*S) error { return nil }
	}
	return func(s *S) (err error) {
		defer func() {
			if failed, ok := errors.AsType[copyError](err); ok {
				err = failed.error
			}
		}()
		defer recoverInto(&err)
		deepen(reflect.ValueOf(s).Elem(), 0)
		return nil
	}
}

// A deepener makes a shallow copy a deep one, in place. Nil means that there is nothing to do.
type deepener func(v reflect.Value, depth int)

// maxDepth is how deep a value can nest. A deeper one holds itself, mostly.
const maxDepth = 10_000

// A copyError is panicked with from the depth of a value, and recovered at its top.
type copyError struct{ error }

// A copyCompiler has the types that are compiled, or being compiled.
type copyCompiler map[reflect.Type]*compiledCopy

type compiledCopy struct {
	deepen deepener
	done   bool // false while the type, which holds itself, is compiled
}

// compile returns how to deepen a t. It reports false when a t has something that cannot be copied.
func (c copyCompiler) compile(t reflect.Type) (deepener, bool) {
	if t == reflect.TypeFor[time.Time]() {
		return nil, true
	}
	if clone := cloner(t); clone != nil {
		return clone, true
	}
	if clone, ok := common[t]; ok {
		return clone, true
	}
	if known := c[t]; known != nil && known.done {
		return known.deepen, true
	} else if known != nil {
		return func(v reflect.Value, depth int) { known.deepen(v, depth) }, true
	}
	known := &compiledCopy{}
	c[t] = known
	var ok bool
	known.deepen, ok = c.compileKind(t)
	if !ok && hasCodec(t) && t.Kind() != reflect.Interface {
		known.deepen, ok = throughJSON(t), true
	}
	if !ok {
		delete(c, t)
		return nil, false
	}
	known.done = true
	return known.deepen, true
}

func (c copyCompiler) compileKind(t reflect.Type) (deepener, bool) {
	switch t.Kind() {
	case reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return nil, false
	case reflect.Struct:
		return c.compileStruct(t)
	case reflect.Array, reflect.Slice, reflect.Map, reflect.Pointer:
	default:
		return nil, true
	}
	elem, ok := c.compile(t.Elem())
	if !ok {
		return nil, false
	}
	switch t.Kind() {
	case reflect.Array:
		return copyArray(elem), true
	case reflect.Slice:
		return copySlice(t, elem), true
	case reflect.Map:
		if key, ok := c.compile(t.Key()); key != nil || !ok {
			return nil, false
		}
		return copyMap(t, elem), true
	}
	return copyPointer(t, elem), true
}

func (c copyCompiler) compileStruct(t reflect.Type) (deepener, bool) {
	type field struct {
		index  int
		deepen deepener
	}
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		deepen, ok := c.compile(f.Type)
		if !ok || deepen != nil && !f.IsExported() {
			return nil, false
		}
		if deepen != nil {
			fields = append(fields, field{i, deepen})
		}
	}
	if fields == nil {
		return nil, true
	}
	return func(v reflect.Value, depth int) {
		for _, f := range fields {
			f.deepen(v.Field(f.index), depth)
		}
	}, true
}

func copyArray(elem deepener) deepener {
	if elem == nil {
		return nil
	}
	return func(v reflect.Value, depth int) {
		for i := range v.Len() {
			elem(v.Index(i), depth)
		}
	}
}

func copySlice(t reflect.Type, elem deepener) deepener {
	return func(v reflect.Value, depth int) {
		if v.IsNil() {
			return
		}
		depth = deeper(depth)
		fresh := reflect.MakeSlice(t, v.Len(), v.Len())
		reflect.Copy(fresh, v)
		if elem != nil {
			for i := range fresh.Len() {
				elem(fresh.Index(i), depth)
			}
		}
		v.Set(fresh)
	}
}

func copyMap(t reflect.Type, elem deepener) deepener {
	return func(v reflect.Value, depth int) {
		if v.IsNil() {
			return
		}
		depth = deeper(depth)
		fresh := reflect.MakeMapWithSize(t, v.Len())
		key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		for entries := v.MapRange(); entries.Next(); {
			key.SetIterKey(entries)
			value.SetIterValue(entries)
			if elem != nil {
				elem(value, depth)
			}
			fresh.SetMapIndex(key, value)
		}
		v.Set(fresh)
	}
}

func copyPointer(t reflect.Type, elem deepener) deepener {
	return func(v reflect.Value, depth int) {
		if v.IsNil() {
			return
		}
		depth = deeper(depth)
		fresh := reflect.New(t.Elem())
		fresh.Elem().Set(v.Elem())
		if elem != nil {
			elem(fresh.Elem(), depth)
		}
		v.Set(fresh)
	}
}

// common has the types that most states are made of. They need no reflection.
var common = map[reflect.Type]deepener{
	reflect.TypeFor[[]string]():          inPlace(slices.Clone[[]string]),
	reflect.TypeFor[[]int]():             inPlace(slices.Clone[[]int]),
	reflect.TypeFor[[]float64]():         inPlace(slices.Clone[[]float64]),
	reflect.TypeFor[[]byte]():            inPlace(slices.Clone[[]byte]),
	reflect.TypeFor[map[string]string](): inPlace(maps.Clone[map[string]string]),
	reflect.TypeFor[map[string]int]():    inPlace(maps.Clone[map[string]int]),
	reflect.TypeFor[map[string]bool]():   inPlace(maps.Clone[map[string]bool]),
}

func inPlace[T any](clone func(T) T) deepener {
	return func(v reflect.Value, _ int) {
		p := v.Addr().Interface().(*T)
		*p = clone(*p)
	}
}

// cloner returns how to copy a t by its own method Clone, or nil when it has none.
func cloner(t reflect.Type) deepener {
	if m, ok := t.MethodByName("Clone"); ok && t.Kind() != reflect.Interface && isClone(m.Type, t) {
		return func(v reflect.Value, _ int) {
			if v.Kind() != reflect.Pointer || !v.IsNil() {
				v.Set(v.MethodByName("Clone").Call(nil)[0])
			}
		}
	}
	if p := reflect.PointerTo(t); t.Kind() != reflect.Pointer {
		if m, ok := p.MethodByName("Clone"); ok && isClone(m.Type, p) {
			return func(v reflect.Value, _ int) {
				v.Set(v.Addr().MethodByName("Clone").Call(nil)[0].Elem())
			}
		}
	}
	return nil
}

// isClone reports whether method, whose first parameter is its receiver, returns a t and takes nothing.
func isClone(method, t reflect.Type) bool {
	return method.NumIn() == 1 && method.NumOut() == 1 && method.Out(0) == t
}

func throughJSON(t reflect.Type) deepener {
	return func(v reflect.Value, _ int) {
		raw, err := json.Marshal(v.Addr().Interface()) // its methods may be the pointer's
		if err != nil {
			panic(copyError{err})
		}
		fresh := reflect.New(t)
		if err := json.Unmarshal(raw, fresh.Interface()); err != nil {
			panic(copyError{err})
		}
		v.Set(fresh.Elem())
	}
}

func deeper(depth int) int {
	if depth == maxDepth {
		panic(copyError{fmt.Errorf("qed: the state nests deeper than %d: it seems to hold itself", maxDepth)})
	}
	return depth + 1
}
