package sqlast

import (
	"reflect"
	"slices"
	"sync"
)

// Equal reports whether two trees are the same query. It ignores positions,
// bindings and the quotes around names.
func Equal(a, b *Query) bool { return EqualUpTo(a, b, nil) }

// EqualUpTo is [Equal] for queries some of whose literals may differ: those that are of one
// kind, a [*String] or a [*Number], and of which same returns true for the texts.
func EqualUpTo(a, b *Query, same func(a, b string) bool) bool {
	return comparison(same).value(reflect.ValueOf(a), reflect.ValueOf(b))
}

// A comparison is the function same of [EqualUpTo], or nil.
type comparison func(a, b string) bool

// EqualExpr is [Equal] for expressions. Most of those that are compared are columns.
func EqualExpr(a, b Expr) bool {
	x, ok := a.(*Column)
	y, also := b.(*Column)
	if ok && also {
		return x.Schema == y.Schema && x.Table == y.Table && x.Name == y.Name && slices.Equal(x.Path, y.Path)
	}
	return ok == also && comparison(nil).value(reflect.ValueOf(&a).Elem(), reflect.ValueOf(&b).Elem())
}

// value compares two values of one type that is part of a tree.
func (c comparison) value(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Interface, reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		a, b = a.Elem(), b.Elem()
		return a.Type() == b.Type() && c.value(a, b)
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !c.value(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		if literal := literalFields[a.Type()]; literal != "" && c != nil {
			return c(a.FieldByName(literal).String(), b.FieldByName(literal).String())
		}
		for _, i := range comparedFields(a.Type()) {
			if !c.value(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	}
	return a.Equal(b)
}

// literalFields are the fields with the text of a literal.
var literalFields = map[reflect.Type]string{reflect.TypeFor[String](): "Value", reflect.TypeFor[Number](): "Text"}

// bound are the fields that say where a node stands, and what it is bound to.
var bound = map[string]bool{
	"Pos": true, "DoubleQuoted": true, "Unnamed": true, "Simple": true, "Groupings": true, "Unsafe": true,
	"Of": true, "Index": true, "Object": true, "Reads": true, "CTE": true, "CTEColumns": true, "Bounded": true,
	"Printed": true,
}

var fieldsOf sync.Map // from the type of a struct to the []int of the fields that are compared

func comparedFields(t reflect.Type) []int {
	if known, ok := fieldsOf.Load(t); ok {
		return known.([]int)
	}
	var fields []int
	for i := range t.NumField() {
		if !bound[t.Field(i).Name] {
			fields = append(fields, i)
		}
	}
	fieldsOf.Store(t, fields)
	return fields
}
